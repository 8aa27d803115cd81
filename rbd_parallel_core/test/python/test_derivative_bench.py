# SPDX-License-Identifier: Apache-2.0
"""./dev bench --derivatives for one arm: that every part is there. What it times is not looked at."""

import pathlib
import sys

import pytest
from bench_pages import expect_refusal, headers, section

import rbd_parallel

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "rbd_parallel_core/benchmark/derivatives"))

import bench_derivatives
import derivative_goals
import derivative_tables
import front_end
from results import Results

BINARY = pathlib.Path(rbd_parallel.__file__).parents[2] / "benchmark/rbd_bench"
PLOTS = ["derivatives_ratios.png", "derivatives_cost.png"]
MATRICES = ("RNEA derivatives", "ABA derivatives")


@pytest.fixture(scope="module")
def report():
    return bench_derivatives.measure(BINARY, ["UR5", "ANYmal floating"], 0.01)


def contestants(report, robot, operation, batch):
    [case] = [c for c in report["cases"] if (c["robot"], c["operation"], c["batch"]) == (robot, operation, batch)]
    return {(entry["who"], entry["variant"]) for entry in case["entries"]}


def has_peer(report, name):
    return any(peer["name"] == name for peer in report["peers"])


def test_every_operation_is_measured(report):
    measured = {(case["robot"], case["operation"], case["batch"]) for case in report["cases"]}
    assert measured == {(robot, operation, batch) for robot in ("UR5", "ANYmal floating")
                        for operation in derivative_goals.WORDS for batch in (1, 1024)}  # fmt: skip
    for case in report["cases"]:
        assert case["flops"] > 0
        for entry in case["entries"]:
            assert entry["samples"] >= 5
            assert entry["median_ns"] > 0


def test_every_contestant_takes_part(report):
    ours = {("rbd_parallel", "cpu"), ("rbd_parallel", "compiled")}
    alone = ours | {("rbd_parallel", "reference")}
    for robot, mujoco in (("UR5", has_peer(report, "MuJoCo")), ("ANYmal floating", False)):
        for operation, way in zip(MATRICES, ("mjd_inverseFD", "mjd_transitionFD")):
            peers = {("Pinocchio", "")} if has_peer(report, "Pinocchio") else set()
            peers |= {("MuJoCo", way)} if mujoco else set()
            differences = {("rbd_parallel", "finite differences")} if operation == MATRICES[0] else set()
            assert contestants(report, robot, operation, 1024) == ours | peers | differences
            assert contestants(report, robot, operation, 1) == alone | peers
        assert contestants(report, robot, "RNEA jvp", 1024) == ours
        assert contestants(report, robot, "ABA vjp", 1) == alone
    # What disagrees would be left out with a sentence of its own.
    assert not [sentence for sentence in report["left_out"] if "disagrees" in sentence]


def test_differences_have_half_of_the_digits_and_all_others_have_them_all(report):
    for case in report["cases"]:
        for entry in case["entries"]:
            differences = entry["variant"] == "finite differences" or entry["variant"].endswith("FD")
            assert (entry["disagreement"] > 1e-9) == differences


def test_everything_is_written(report, tmp_path):
    sections, plots = bench_derivatives.write_all(report, tmp_path)
    assert list(sections) == ["speed"]
    assert plots == PLOTS
    assert {"derivatives.json", "derivatives.md", *plots} == {path.name for path in tmp_path.iterdir()}
    for title in ("Matrices.", "Products", "One state", "What they are derivatives of,"):
        assert f"**{title}" in sections["speed"], title
    for name in plots:
        assert f"]({name})" in sections["speed"]


def test_docs_can_be_updated(report, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(bench_derivatives.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    sections, plots = bench_derivatives.write_all(report, tmp_path / "out")
    front_end.update_page(page, sections, plots, tmp_path / "out")
    shown = section(page.read_text(encoding="utf-8"), "speed")
    assert headers(shown) == headers(sections["speed"]) != []
    assert {path.name for path in tmp_path.iterdir()} == {"page.md", "out", *PLOTS}


def test_bad_arguments_are_refused():
    expect_refusal([BINARY, "--derivatives", "--operations", "RNEA", "--chain", "2", "1"], "--operations does not go with")
    with pytest.raises(front_end.BenchError, match="no robot named R2D2"):
        bench_derivatives.measure(BINARY, ["R2D2"], 0.01)


def made_up(dynamics_ns, ours_ns, products_ns, reference_ns):
    """Pinocchio takes 1200 ns for everything."""

    def entry(who, variant, median):
        layout, isa = ("rows", "avx2") if who == "rbd_parallel" else ("", "")
        return {"who": who, "variant": variant, "precision": "double", "layout": layout, "isa": isa, "threads": 1,
                "disagreement": 0.0, "median_ns": median}  # fmt: skip

    times = dict.fromkeys(MATRICES, ours_ns) | dict.fromkeys(("RNEA", "ABA"), dynamics_ns)
    cases = []
    for robot in derivative_goals.ROBOTS:
        for operation in derivative_goals.WORDS:
            for batch, backend in ((1, "reference"), (1024, "cpu")):
                ns = reference_ns if batch == 1 else times.get(operation, products_ns)
                entries = [entry("rbd_parallel", backend, ns), entry("Pinocchio", "", 1200.0)]
                cases.append({"robot": robot, "nq": 6, "nv": 6, "bodies": 6, "operation": operation, "batch": batch,
                              "threads": 1, "flops": 1000, "entries": entries})  # fmt: skip
    return {"cpu": "CPU", "cores": 2, "busy_cores": 0.0, "date": "2000-01-01", "command": "./dev bench --derivatives",
            "peers": [{"name": "Pinocchio", "version": "1"}], "left_out": [], "bandwidths": [], "cases": cases,
            "peaks": [{"isa": "avx2", "precision": "double", "flops_per_ns": 50.0}]}  # fmt: skip


def verdicts(report):
    return [found.verdict(busy_cores=0.0) for found in derivative_goals.outcomes(Results(report))]


def test_targets():
    # Ratios: 12 and 10 for the matrices, 2 for one state, 2.2 and 4 at most for the products.
    assert verdicts(made_up(50.0, 100.0, 110.0, 600.0)) == ["ok"] * 7
    assert verdicts(made_up(50.0, 110.0, 110.0, 600.0)) == ["missed", *["ok"] * 6]
    assert verdicts(made_up(50.0, 130.0, 110.0, 600.0)) == ["missed"] * 3 + ["ok"] * 4
    assert verdicts(made_up(50.0, 100.0, 120.0, 610.0)) == ["ok"] * 3 + ["missed"] * 3 + ["ok"]
    assert verdicts(made_up(50.0, 100.0, 201.0, 600.0)) == ["ok"] * 5 + ["missed"] * 2


def test_one_robot_below_a_target_misses_it():
    report = made_up(50.0, 100.0, 110.0, 600.0)
    slow = next(c for c in report["cases"] if (c["robot"], c["operation"], c["batch"]) == ("Panda", MATRICES[0], 1024))
    slow["entries"][0]["median_ns"] = 150.0
    assert verdicts(report) == ["missed", *["ok"] * 6]
    text = derivative_tables.speed(Results(report))
    assert "| at least 12x | 12.00x | 8.00x |  |  | **missed** |" in text
    assert "| at least 10x |  |  | 12.00x | 12.00x | ok |" in text


def test_a_target_without_all_its_robots_is_left_out():
    report = made_up(50.0, 100.0, 110.0, 600.0)
    report["cases"] = [case for case in report["cases"] if case["robot"] != "Talos"]
    assert len(verdicts(report)) == 1  # of the arms
