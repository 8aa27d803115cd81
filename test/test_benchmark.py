# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the services runs. What it measures is no matter here: no test asserts a time."""

import json
import pathlib
import subprocess
import sys

import pytest
from node_process import executable

BENCH = pathlib.Path(__file__).resolve().parent.parent / "rbd_parallel_ros" / "benchmark" / "bench.py"


@pytest.mark.skipif(not executable("service_bench").exists(), reason="built without RBD_BUILD_BENCHMARK")
def test_every_service_is_measured(tmp_path):
    done = subprocess.run(
        [sys.executable, str(BENCH), "--rounds", "3", "--output", str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    cases = json.loads((tmp_path / "ros.json").read_text())["cases"]
    services = ["inverse_dynamics", "mass_matrix", "bias_forces", "forward_dynamics"]
    assert [(case["service"], case["states"]) for case in cases] == [(s, n) for s in services for n in (1, 1000)]
    assert all(case["ratio"] > 0 for case in cases)
    assert (tmp_path / "ros.md").read_text() in done.stdout
