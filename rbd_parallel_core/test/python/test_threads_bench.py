# SPDX-License-Identifier: Apache-2.0
"""./dev bench --threads on few states: that every part is there. What it times is not looked at."""

import pathlib
import sys

import pytest
from bench_pages import expect_refusal, headers, section

import rbd_parallel

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "rbd_parallel_core/benchmark/threads"))

import bench_threads

BINARY = pathlib.Path(rbd_parallel.__file__).parents[2] / "benchmark/rbd_threads_bench"

built = pytest.mark.skipif(not BINARY.exists(), reason="built without RBD_BUILD_BENCHMARK")


@pytest.fixture(scope="module")
def report():
    return bench_threads.measure(BINARY, (7, 1024), (100,), seconds=0.01)


@built
def test_every_case_is_measured_three_ways(report):
    cases = [(case["robot"], case["backend"], case["batch"]) for case in report["cases"]]
    assert cases == [
        (robot, backend, batch) for robot in ("UR5", "Talos") for backend in ("cpu", "compiled") for batch in (7, 1024)
    ] + [("chain 100", "tree", 1)]
    for case in report["cases"]:
        samples = [case[f"{name}_us"] for name in ("one", "two", "control")]
        assert len({len(times) for times in samples}) == 1 and len(samples[0]) >= 5
        assert min(min(times) for times in samples) > 0


@built
def test_the_page_has_the_table(report, tmp_path):
    sections, plots = bench_threads.write_all(report, tmp_path)
    assert plots == [] and (tmp_path / "threads.json").exists()
    page = bench_threads.PAGE.read_text(encoding="utf-8")
    assert headers(section(page, "threads")) == headers(sections["threads"])


def case(one, two, control):
    return {"one_us": [one] * 5, "two_us": [two] * 5, "control_us": [control] * 5}


@pytest.mark.parametrize(
    "times, expected",
    [
        ((20, 20, 10), "no goal"),
        ((20, 21, 10), "**missed**: below 0.98 of one thread"),
        ((100, 60, 50), "ok"),
        ((100, 70, 50), "**missed**: below 0.8 of the control"),
        ((200, 102, 100), "ok"),
        ((200, 120, 100), "**missed**: below 0.95 of the control"),
    ],
)
def test_goals(times, expected):
    assert bench_threads.verdict(case(*times)) == expected


@built
@pytest.mark.parametrize(
    "words, said",
    [
        (["--robot", "x", "no_such_file"], "cannot read 'no_such_file'"),
        (["--operation", "flight"], "'flight' is not known"),
        (["--batches", "0"], "--batches: expected a positive number"),
        (["--spin-us", "-1"], "--spin-us: expected a number of at least 0"),
    ],
)
def test_wrong_arguments_are_refused(words, said):
    expect_refusal([str(BINARY), *words], said)
