# SPDX-License-Identifier: Apache-2.0
"""./dev bench --realtime, for a moment: what it counts is checked, what it times is not."""

import pathlib
import re
import subprocess
import sys

import pytest
from bench_pages import expect_refusal, headers, section

import rbd_parallel

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "rbd_parallel_core/benchmark/realtime"))

import bench_realtime

BINARY = pathlib.Path(rbd_parallel.__file__).parents[2] / "benchmark/realtime/rbd_realtime"
CYCLES, CALLS, INPUT_CALLS = 200, 300, 50
OPERATIONS = ["gravity_forces", "bias_forces", "inverse_dynamics", "mass_matrix", "forward_dynamics", "control"]

pytestmark = pytest.mark.skipif(not BINARY.exists(), reason="rbd_realtime is built on Linux only")


@pytest.fixture(scope="module")
def report():
    return bench_realtime.measure(BINARY, seconds=CYCLES / 1000, calls=CALLS, input_calls=INPUT_CALLS)


@pytest.mark.parametrize(("part", "calls"), [("periodic", CYCLES), ("back_to_back", CALLS), ("inputs", INPUT_CALLS)])
def test_nothing_disturbs_a_call(report, part, calls):
    for run in report[part]:
        where = (run["backend"], run["inputs"])
        for event in ("allocations", "minor_faults", "major_faults", "voluntary_switches"):
            assert run["inside"][event] == 0, (event, where)
        assert run["outside"]["voluntary_switches"] > 0, where  # the sleeps
        assert list(run["calls"]) == OPERATIONS
        for histogram in run["calls"].values():
            assert histogram["count"] == calls == sum(count for _, count in histogram["buckets"]), where
        assert run["wake_up"]["count"] == (calls if part == "periodic" else 0)


def test_both_backends_and_all_inputs_are_run(report):
    for part in ("periodic", "back_to_back"):
        assert [run["backend"] for run in report[part]] == ["reference", "cpu"]
    unknown = subprocess.run([BINARY, bench_realtime.ROBOT, "--inputs", "?"], capture_output=True, text=True, check=False)
    assert unknown.returncode == 1
    kinds = [line.strip() for line in unknown.stderr.splitlines()[1:]]
    assert list(dict.fromkeys(run["inputs"] for run in report["inputs"])) == kinds


def test_first_calls_find_their_pages(report):
    runs = [run for run in report["first"] if run["memory"] == "locked"]
    if not runs:
        pytest.skip("this user may not lock memory")
    for run in runs:
        assert run["first_usage"]["minor_faults"] + run["first_usage"]["major_faults"] == 0


def test_a_refused_scheduler_is_said():
    run = bench_realtime.run_loop(BINARY, "--seconds", "0.01", "--priority", "1000")
    assert run["scheduler"].startswith("ordinary, SCHED_FIFO was refused (")
    assert run["wake_up"]["count"] == 10


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seconds", "0"], "--seconds: expected a number of at least"),
        (["--calls", "many"], "--calls: expected a number of at least 1, got 'many'"),
        (["--period"], "--period lacks a value"),
        (["--unknown"], "unknown argument '--unknown'"),
        (["--backend", "none"], "none"),
    ],
)
def test_bad_arguments_are_refused(arguments, words):
    expect_refusal([BINARY, bench_realtime.ROBOT, *arguments], words)


def shape(markdown):
    """Headers, and the first cell of each row."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    return headers(markdown), [line.split("|")[1] for line in lines]


def test_page_has_what_is_written(report, tmp_path):
    sections, _ = bench_realtime.write_all(report, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"realtime.json", "realtime.md", "realtime.png"}
    page = bench_realtime.PAGE.read_text(encoding="utf-8")
    if any(run["memory"] not in ("locked", "not locked") for run in report["first"]):
        pytest.skip("this user may not lock memory")
    assert shape(section(page, "measured")) == shape(sections["measured"])


def test_code_of_the_page_is_what_was_measured():
    """Its lines are lines of the program, in their order."""
    page = bench_realtime.PAGE.read_text(encoding="utf-8")
    folder = pathlib.Path(bench_realtime.__file__).parent
    texts = [(folder / name).read_text(encoding="utf-8") for name in ("rbd_realtime.cpp", "thread_setup.hpp", "loop.cpp")]
    blocks = re.findall(r"^```cpp\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        remaining = [iter(text.splitlines()) for text in texts]
        assert any(all(line in lines for line in block.splitlines() if line) for lines in remaining), block
