# SPDX-License-Identifier: Apache-2.0
"""tools/left_out.txt leaves out tests that exist: a test that was renamed would run again where it cannot."""

import re

import pytest
from test_readme import ROOT

LINE = re.compile(r"(ctest|pytest)-(sanitize-address|sanitize-thread|coverage)-(\w+) +(.*\S) +# (.+)")
FOLDERS = {"rbd_parallel_core": "rbd_parallel_core", "rbd_parallel_ros": "rbd_parallel_ros",
           "rclcpp_standin": "rbd_parallel_ros/rclcpp_standin"}  # fmt: skip
CPP_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.MULTILINE)
CTEST = re.compile(r"add_test\(\s*NAME ([\w.]+)")


def entries():
    lines = (ROOT / "tools" / "left_out.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def ctest_names(folder):
    """By their text, since what is built for a sanitizer is not there in a plain build."""
    names = []
    for path in (ROOT / folder).rglob("*"):
        if path.suffix in (".cpp", ".hpp"):
            names += [".".join(found) for found in CPP_TEST.findall(path.read_text(encoding="utf-8"))]
        elif path.name == "CMakeLists.txt":
            names += CTEST.findall(path.read_text(encoding="utf-8"))
    return names


def is_there(line):
    """Whether a line of the list has the right form and leaves something out."""
    if not (match := LINE.fullmatch(line)):
        return False
    runner, _, package, pattern, _ = match.groups()
    if runner == "ctest":
        return package in FOLDERS and any(re.search(pattern, name) for name in ctest_names(FOLDERS[package]))
    file, _, test = pattern.partition("::")
    path = ROOT / file
    return path.is_file() and re.search(rf"^def {test}", path.read_text(encoding="utf-8"), re.MULTILINE) is not None


@pytest.mark.parametrize("line", entries())
def test_each_line_leaves_out_a_test(line):
    assert is_there(line)


@pytest.mark.parametrize("line", [
    "ctest-sanitize-address-rbd_parallel_core ^NoSuchSuite[.] # gone",
    "pytest-sanitize-thread-rbd_parallel_ros test/test_lifecycle.py::test_no_such_test # gone",
    "pytest-sanitize-thread-rbd_parallel_ros test/no_such_file.py::test_any # gone",
    "ctest-sanitize-address-rbd_parallel_core ^AllocationGate[.]",
])  # fmt: skip
def test_a_line_without_a_test_or_a_reason_is_seen(line):
    """The positive control."""
    assert not is_there(line)
