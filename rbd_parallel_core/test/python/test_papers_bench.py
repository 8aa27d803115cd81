# SPDX-License-Identifier: Apache-2.0
"""./dev bench --papers on short chains: that every experiment is there. What it times is not looked at."""

import pathlib
import sys

import pytest
from bench_pages import expect_refusal, headers, section

import rbd_parallel

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "rbd_parallel_core/benchmark/papers"))

import bench_papers
import papers_tables
from tree_results import Results

BINARY = pathlib.Path(rbd_parallel.__file__).parents[2] / "benchmark/rbd_papers_bench"
SIZES = {"links": [4, 9], "groups": [5], "dcae": [20, 30], "accuracy": [16, 40], "blocks": [60]}

built = pytest.mark.skipif(not BINARY.exists(), reason="built without RBD_BUILD_BENCHMARK")


@pytest.fixture(scope="module")
def report():
    return bench_papers.measure(BINARY, SIZES, 0.01, "--shares", "0.5,0.75", "--group-count", "7")


def runners(report, part):
    case = next(case for case in report["cases"] if case["part"] == part)
    return {(runner["name"], runner["threads"]) for runner in case["runners"]}


@built
def test_every_experiment_is_measured(report):
    cases = [(case["part"], case["shape"], case["bodies"]) for case in report["cases"]]
    assert cases == [
        *((part, "chain", bodies) for bodies in SIZES["links"] for part in ("inverse_dynamics", "links_forward")),
        ("groups_inverse", "chain", 5), ("groups_forward", "chain", 5), ("dcae", "chain", 20), ("dcae", "chain", 30),
        *(("forward_dynamics", shape, 60) for shape in ("chain", "branching 1.01", "branching 1.5", "branching 2")),
    ]  # fmt: skip
    for case in report["cases"]:
        for runner in case["runners"]:
            assert len(runner["wall_ns"]) == len(runner["cpu_ns"]) >= 5
            assert min(runner["wall_ns"]) > 0
    both = {(name, threads) for name in ("DCA", "DCAe 0.5", "DCAe 0.75", "two-port") for threads in (1, 2)}
    assert runners(report, "dcae") == both | {("ABA", 1), ("ABA, reference", 1), ("DCAe, one block", 1)}
    assert {("JSIIA, serial", 1), ("JSIIA, batch", 2), ("hybrid ABIA", 2)} <= runners(report, "links_forward")
    assert runners(report, "groups_forward") == {("reference", 1), ("cpu", 1), ("cpu", 2)}


@built
def test_all_methods_agree(report):
    for case in report["cases"]:
        for runner in case["runners"]:
            assert runner["disagreement"] < 1e-9, (case["part"], runner["name"])
    assert {error["bodies"] for error in report["errors"]} == set(SIZES["accuracy"])
    assert len(report["errors"]) == 2 * 7
    for error in report["errors"]:
        assert error["forward"] < 1e-9, error


@built
def test_everything_is_written(report, tmp_path):
    sections, plots = bench_papers.write_all(report, tmp_path)
    assert list(sections) == ["prefix_sums", "dcae", "thesis"]
    assert {"papers.json", "papers.md", *plots} == {path.name for path in tmp_path.iterdir()}
    assert plots == ["papers_links.png", "papers_dcae.png", "papers_accuracy.png", "papers_blocks.png"]
    for name in plots:
        assert any(f"]({name})" in text for text in sections.values()), name
    for words in ("Crossovers.", "1000 groups,", "from about 190 links on"):
        assert words in sections["prefix_sums"], words
    for words in ("best share of the last block, 2 threads | 0.75 |", "| 30 bodies, 2 threads |", "Accuracy,"):
        assert words in sections["dcae"], words
    assert "EPYC 7413" in sections["thesis"]


@built
def test_page_has_what_is_written(report, tmp_path):
    page = bench_papers.PAGE.read_text(encoding="utf-8")
    sections, _ = bench_papers.write_all(report, tmp_path)
    for name, text in sections.items():
        shown = section(page, name)
        # Some tables have a column for each length or share.
        wanted = {line for line in headers(text) if "bodies" not in line and "share" not in line}
        assert wanted and wanted <= set(headers(shown)), name


@built
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--dcae", "many"], "--dcae: expected a positive number, got 'many'"),
        (["--shares", "0.5,1"], "--shares: expected numbers below 1"),
        (["--links"], "--links lacks a value"),
        (["--unknown", "1"], "unknown argument '--unknown'"),
        ([], "no --json FILE"),
    ],
)
def test_bad_arguments_are_refused(arguments, words):
    expect_refusal([BINARY, *arguments], words)


def test_a_crossover_lies_between_the_points_around_it():
    assert papers_tables.crossover([(10, 4.0), (1000, 0.25)]) == pytest.approx(100)
    assert papers_tables.crossover([(10, 0.9), (100, 0.5)]) is None
    assert papers_tables.crossover([(10, 3.0), (100, 2.0)]) is None


def made_up(times, busy_cores=0.0):
    """times: of runners, in nanoseconds."""
    made = [{"name": name, "threads": threads, "disagreement": 0.0, "cpu_ns": [ns] * 3, "wall_ns": [ns] * 3}
            for (name, threads), ns in times.items()]  # fmt: skip
    case = {"part": "dcae", "shape": "chain", "bodies": 1024, "pairs": 0, "runners": made}
    return Results({"cases": [case], "threads": [1, 2], "errors": [], "busy_cores": busy_cores})


@pytest.mark.parametrize(
    ("dcae_ns", "busy_cores", "verdict"), [(80.0, 0.0, "ok"), (110.0, 0.0, "missed"), (80.0, 1.0, "machine busy")]
)
def test_the_target_of_dcae(dcae_ns, busy_cores, verdict):
    results = made_up({("ABA", 1): 100.0, ("DCAe 0.5", 2): 130.0, ("DCAe 0.65", 2): dcae_ns}, busy_cores)
    assert papers_tables.best_share(results.cases[0], 2) == 0.65
    assert papers_tables.target(results) == (pytest.approx(100 / dcae_ns), verdict)


def test_what_a_body_of_the_first_block_costs():
    """Half of 1000 ns is paid twice over."""
    [case] = made_up({("DCAe, one block", 1): 1000.0, ("DCAe 0.5", 1): 1500.0, ("DCAe 0.75", 1): 1300.0}).cases
    assert papers_tables.cost_of_inner_body(case) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("slow", "fast", "words"), [(100.0, 50.0, "at every length from 1024 to 1024"), (50.0, 100.0, "nowhere up to 1024")]
)
def test_a_crossing_in_words(slow, fast, words):
    results = made_up({("JSIIA, batch", 1): slow, ("hybrid ABIA", 1): fast})
    assert papers_tables.crossing(results.cases, ("JSIIA, batch", 1), ("hybrid ABIA", 1)) == words
