# SPDX-License-Identifier: Apache-2.0
"""The report of ./dev bench, from made-up times: nothing is measured here."""

import html.parser
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmark"))

import bench
import must_show
import tables
from results import Results

PINOCCHIO_NS = 1200.0


def entry(who, median, variant="", precision="double", layout="", isa="", threads=1):
    how = {"who": who, "variant": variant, "precision": precision, "layout": layout, "isa": isa, "threads": threads}
    return {**how, "disagreement": 0.0, "median_ns": median}


def case(robot, ours_ns, operation="RNEA", batch=1024):
    entries = [
        entry("Pinocchio", PINOCCHIO_NS, "LOCAL"),
        entry("Pinocchio", 2 * PINOCCHIO_NS, "WORLD"),
        entry("rbd_parallel", ours_ns, "cpu", layout="rows", isa="avx2"),
        entry("rbd_parallel", ours_ns / 2, "cpu", precision="float", layout="rows", isa="avx2"),
    ]
    return {
        "robot": robot, "nq": 6, "nv": 6, "bodies": 6, "operation": operation, "batch": batch, "threads": 1,
        "flops": 1000, "entries": entries,
    }  # fmt: skip


def report(ours_ns):
    """`ours_ns`: by robot."""
    return {
        "cpu": "a <CPU>", "cores": 2, "busy_cores": 0.0, "date": "2000-01-01", "command": "./dev bench",
        "peers": [{"name": "Pinocchio", "version": "1"}],
        "peaks": [{"isa": "avx2", "precision": precision, "flops_per_ns": 50.0} for precision in ("double", "float")],
        "bandwidths": [{"array_bytes": 2**20, "read_bytes_per_ns": 10.0, "write_bytes_per_ns": 5.0}],
        "left_out": ["MuJoCo: not installed"],
        "cases": [case(robot, ns) for robot, ns in ours_ns.items()],
    }  # fmt: skip


def rnea_outcome(ours_ns):
    return next(
        found for found in must_show.outcomes(Results(report(ours_ns))) if found.goal.what == "RNEA, Pinocchio"
    )


def test_faster_convention_counts():
    [only] = Results(report({"UR5": 100.0})).cases
    assert only.ratio("Pinocchio", "avx2") == pytest.approx(12.0)
    assert only.peer_variant("Pinocchio") == "LOCAL"
    assert only.peak_share("avx2") == pytest.approx(1000 / 100 / 50)


@pytest.mark.parametrize(
    ("last", "reached"),
    [(99.0, True), (101.0, False), (130.0, False)],
    ids=["reached", "mean too small", "one robot too slow"],
)
def test_target(last, reached):
    # The mean of the last one is above the target; its slowest robot is below 0.8 of it.
    others = 50.0 if last == 130.0 else last
    ours = dict.fromkeys(must_show.ROBOTS, others) | {must_show.ROBOTS[-1]: last}
    assert rnea_outcome(ours).reached == reached


def test_no_verdict_on_threads_of_a_busy_machine():
    found = rnea_outcome(dict.fromkeys(must_show.ROBOTS, 50.0))
    assert found.verdict(busy_cores=1.0) == "ok"
    found.goal.threads = 2
    assert found.verdict(busy_cores=0.01) == "ok"
    assert found.verdict(busy_cores=1.0) == "machine busy"


def test_target_without_all_robots_is_left_out():
    assert must_show.outcomes(Results(report({"UR5": 1.0}))) == []


def test_everything_is_written(tmp_path):
    text = bench.write_all(report(dict.fromkeys(must_show.ROBOTS, 90.0)), tmp_path)
    assert "| RNEA, Pinocchio | 12x | 13.3x |" in text
    assert "- MuJoCo: not installed" in text
    names = {"bench.json", "bench.md", "bench.html"}
    names |= {f"{plot}.{ending}" for plot in ("throughput", "time_against_bodies", "ratios") for ending in ("png", "svg")}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_page_is_whole(tmp_path):
    bench.write_all(report(dict.fromkeys(must_show.ROBOTS, 90.0)), tmp_path)
    tags = []

    class Tags(html.parser.HTMLParser):
        def handle_starttag(self, tag, attributes):
            tags.append(tag)

    page = (tmp_path / "bench.html").read_text(encoding="utf-8")
    Tags().feed(page)
    assert tags.count("svg") == 3
    assert tags.count("table") == sum(line.startswith("|---") for line in tables.to_markdown(
        Results(report(dict.fromkeys(must_show.ROBOTS, 90.0)))).splitlines())  # fmt: skip
    assert "a &lt;CPU&gt;" in page
