# SPDX-License-Identifier: Apache-2.0
"""The cases of device_array_cases.py, in a process of their own: the library that plays a CUDA device has the name of the real
one, which another test may have loaded."""

import pathlib
import subprocess
import sys

import pytest

from device_memory import LIBRARY

CASES = pathlib.Path(__file__).with_name("device_array_cases.py")


def test_arrays_on_a_device():
    if not LIBRARY.exists():
        pytest.skip("the library that plays a CUDA device was not built: it belongs to the C++ tests")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(CASES)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0 and " passed" in result.stdout, result.stdout + result.stderr
    assert "skipped" not in result.stdout
