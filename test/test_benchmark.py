# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of the node run. What it measures is no matter here: no test asserts a time."""

import json
import pathlib
import subprocess
import sys

import pytest
from node_process import executable

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "rbd_parallel_ros" / "benchmark"


def run(script, *arguments):
    return subprocess.run([sys.executable, str(FOLDER / script), *map(str, arguments)], capture_output=True, text=True)


@pytest.mark.skipif(not executable("service_bench").exists(), reason="built without RBD_BUILD_BENCHMARK")
def test_every_service_is_measured(tmp_path):
    done = run("bench.py", "--rounds", 3, "--output", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    cases = json.loads((tmp_path / "ros.json").read_text())["cases"]
    services = ["inverse_dynamics", "mass_matrix", "bias_forces", "forward_dynamics"]
    assert [(case["service"], case["states"]) for case in cases] == [(s, n) for s in services for n in (1, 1000)]
    assert all(case["ratio"] > 0 for case in cases)
    assert (tmp_path / "ros.md").read_text() in done.stdout


@pytest.mark.skipif(not executable("stream_bench").exists(), reason="built without RBD_BUILD_BENCHMARK")
def test_every_joint_state_of_the_stream_is_accounted_for(tmp_path):
    """Law: each joint state that the node received yields one effort; all others were lost on the way."""
    done = run("stream.py", "--seconds", 2, "--output", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "stream.json").read_text())
    assert report["sent"] == 2000
    assert 0 < report["efforts"] <= report["computed"] == report["received"] <= report["sent"]
    node = report["node"]
    assert node["received"] == node["computed"] == node["published"] == sum(node["histogram_ns"].values())
    assert (tmp_path / "stream.md").read_text() in done.stdout


def test_stream_bench_would_see_a_missing_effort(monkeypatch):
    """The positive control."""
    monkeypatch.syspath_prepend(str(FOLDER))
    from stream import faults_of

    counts = {"received": 9, "computed": 9, "published": 9}
    good = {"sent": 10, "received": 9, "computed": 9, "efforts": 8, "node": counts}
    assert faults_of(good) == []
    for wrong in ({"computed": 8}, {"node": {**counts, "published": 8}}, {"received": 11, "computed": 11}, {"efforts": 10}):
        assert len(faults_of({**good, **wrong})) == 1
