# SPDX-License-Identifier: Apache-2.0
"""./dev bench --tree on small trees: that every part is there. What it times is not looked at."""

import copy
import pathlib
import sys

import pytest
from bench_pages import expect_refusal, headers, section

import rbd_parallel

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "rbd_parallel_core/benchmark/tree"))

import bench_tree
import front_end
import tree_goals
import tree_tables
from tree_results import Results

BINARY = pathlib.Path(rbd_parallel.__file__).parents[2] / "benchmark/rbd_tree_bench"
SIZES = {"inverse-dynamics": [100, 130], "forward-dynamics": [100], "dense": [70], "sparse": [100, 200], "scans": [100],
         "peer": [10], "accuracy": [100]}  # fmt: skip
LARGEST_VALUES = 100_000  # bytes: chains of at most 157 bodies
BRANCHING = ["branching 1.01", "branching 1.5", "branching 2"]

built = pytest.mark.skipif(not BINARY.exists(), reason="built without RBD_BUILD_BENCHMARK")


@pytest.fixture(scope="module")
def report():
    return bench_tree.measure(BINARY, SIZES, seconds=0.01, largest_values=LARGEST_VALUES)


def runners(report, part, shape):
    case = next(case for case in report["cases"] if (case["part"], case["shape"]) == (part, shape))
    return {(runner["name"], runner["threads"]) for runner in case["runners"]}


@built
def test_every_part_is_measured(report):
    trees = {}
    for case in report["cases"]:
        trees.setdefault(case["part"], []).append((case["shape"], case["bodies"]))
        for runner in case["runners"]:
            assert len(runner["wall_ns"]) == len(runner["cpu_ns"]) >= 5
            assert min(runner["wall_ns"]) > 0
    peers = ["peer RNEA", "peer CRBA", "peer ABA"] if not report["left_out"] else []
    assert set(trees) == {"inverse_dynamics", "forward_dynamics", "dense", "sparse", "scans", *peers}
    assert trees["inverse_dynamics"] == [(shape, bodies) for shape in ["chain", *BRANCHING] for bodies in (100, 130)]
    assert trees["dense"] == [(shape, 70) for shape in ("chain", "branching 1.01", "branching 2")]
    assert trees["scans"] == [("branching 2", 100)]
    both = {(family, threads) for family in ("blocks", "scans") for threads in (1, 2)} | {("recursion", 1)}
    assert runners(report, "inverse_dynamics", "chain") == both
    assert runners(report, "dense", "chain") == both | {(fill, threads) for fill in ("fill", "memset") for threads in (1, 2)}
    kinds = {name for name, _ in runners(report, "scans", "branching 2")}
    assert kinds >= {"sequential", "Blelloch", "recurrence", "mapped sums", *(f"blocked {2**k}" for k in range(4, 10))}


@built
def test_sparse_matrices_end_where_the_values_do_not_fit(report):
    sizes = {}
    for case in report["cases"]:
        if case["part"] == "sparse":
            sizes.setdefault(case["shape"], []).append(case["bodies"])
            assert case["pairs"] * 8 <= LARGEST_VALUES
    assert sizes["chain"] == [100, 157]
    assert sizes["branching 2"] == [100, 200]


@built
def test_errors_are_those_of_rounding(report):
    found = list(tree_tables.errors(report))
    assert {error["shape"] for error in found} == {"straight chain", "chain", *BRANCHING}
    assert len(found) == 5 * 2 * 3
    for error in found:
        if error["family"] != "scans":
            assert max(error[measure] for measure in tree_tables.MEASURES) < 1000 * tree_tables.EPSILON[error["precision"]]


@built
def test_everything_is_written(report, tmp_path):
    sections, plots = bench_tree.write_all(report, tmp_path)
    assert list(sections) == ["speed", "accuracy"]
    assert {"tree.json", "tree.md", *plots} == {path.name for path in tmp_path.iterdir()}
    assert plots == ["tree_speed.png", "tree_threads.png", "tree_accuracy.png"]
    titles = ["Inverse dynamics.", "Mass matrix, dense.", "Mass matrix, sparse.", "Kinds of scans,", "beside the thesis"]
    for title in titles if report["left_out"] else [*titles, "Pinocchio,"]:
        assert title in sections["speed"], title
    assert "| branching 1.5, 130 |" in sections["speed"]
    assert "| 1000000 | 184429 | 11318 | - | - | - | - |" in sections["speed"]
    for name in plots:
        assert any(f"]({name})" in text for text in sections.values())


@built
def test_page_has_what_is_written(report, tmp_path):
    page = bench_tree.PAGE.read_text(encoding="utf-8")
    sections, _ = bench_tree.write_all(report, tmp_path)
    for name, text in sections.items():
        shown = section(page, name)
        # The scans have columns for each size, and small trees have no targets.
        assert set(headers(text)) - {line for line in headers(text) if "100, 1 thread" in line} <= set(headers(shown)), name


@built
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--dense", "many"], "--dense: expected a positive number, got 'many'"),
        (["--threads", "0"], "--threads: expected a positive number, got '0'"),
        (["--dense"], "--dense lacks a value"),
        (["--unknown", "1"], "unknown argument '--unknown'"),
        ([], "no --json FILE"),
    ],
)
def test_bad_arguments_are_refused(arguments, words):
    expect_refusal([BINARY, *arguments], words)


def runner(name, threads, cpu_ns, wall_ns):
    return {"name": name, "threads": threads, "disagreement": 0.0, "cpu_ns": cpu_ns, "wall_ns": wall_ns}


def made_up(blocks_ns):
    runners = [
        runner("recursion", 1, [100.0, 200.0, 900.0], [300.0, 300.0, 300.0]),
        runner("blocks", 1, [blocks_ns, 2 * blocks_ns, 9 * blocks_ns], [1.0, 1.0, 1.0]),
        runner("blocks", 2, [1.0, 1.0, 1.0], [100.0, 100.0, 100.0]),
    ]
    case = {"part": "inverse_dynamics", "shape": "chain", "bodies": 1000, "pairs": 500500, "runners": runners}
    return Results({"cases": [case], "threads": [1, 2], "accuracy": []})


def test_a_ratio_is_taken_round_by_round_on_one_clock():
    [case] = made_up(50.0).cases
    assert case.ratio(("recursion", 1), ("blocks", 1)) == pytest.approx(2.0)  # CPU time of one thread each
    assert case.ratio(("recursion", 1), ("blocks", 2)) == pytest.approx(3.0)  # the clock
    assert case.ratio(("recursion", 1), ("scans", 1)) is None
    assert case.ns_per_body("recursion") == pytest.approx(0.2)


@pytest.mark.parametrize(("blocks_ns", "verdict"), [(50.0, "ok"), (70.0, "missed")])
def test_targets(blocks_ns, verdict):
    alone, both = tree_goals.outcomes(made_up(blocks_ns))
    assert alone.verdict(busy_cores=1.0) == verdict
    assert (both.verdict(busy_cores=0.0), both.verdict(busy_cores=1.0)) == ("ok", "machine busy")


def test_a_target_can_be_an_upper_limit():
    results = made_up(50.0)
    large = copy.deepcopy(results.cases[0])
    large.bodies = 1_000_000
    results.cases.append(large)
    growth = next(found for found in tree_goals.outcomes(results) if not found.goal.at_least)
    assert growth.value == pytest.approx(1e-3)
    assert growth.reached
    growth.value = 3.0
    assert not growth.reached


def test_a_section_is_replaced_between_its_marks():
    page = "a\n<!-- speed: begin -->\nold\n<!-- speed: end -->\nb\n"
    assert front_end.replace_section(page, "speed", "new") == "a\n<!-- speed: begin -->\n\nnew\n\n<!-- speed: end -->\nb\n"
    with pytest.raises(front_end.BenchError, match="accuracy: begin"):
        front_end.replace_section(page, "accuracy", "new")
