# SPDX-License-Identifier: Apache-2.0
"""Collects the errors against the references, and shows the largest of each operation at the end of the run."""

import dataclasses
import json
import pathlib

import pytest

from largest_errors import Errors


def pytest_addoption(parser):
    parser.addoption("--errors-json", metavar="FILE", help="write the largest errors of each operation to FILE")


def pytest_configure(config):
    config.rbd_errors = Errors()


@pytest.fixture(scope="session")
def errors(pytestconfig):
    return pytestconfig.rbd_errors


def pytest_terminal_summary(terminalreporter, config):
    largest = config.rbd_errors.largest
    if not largest:
        return
    terminalreporter.section("largest errors")
    width = max(map(len, largest))
    terminalreporter.write_line(f"{'operation':{width}}   largest     limit   states  where")
    for operation, entry in sorted(largest.items()):
        terminalreporter.write_line(
            f"{operation:{width}}  {entry.error:8.1e}  {entry.limit:8.1e}  {entry.states:7d}  {entry.where}"
        )
    path = config.getoption("--errors-json")
    if path:
        rows = {operation: dataclasses.asdict(entry) for operation, entry in sorted(largest.items())}
        pathlib.Path(path).write_text(json.dumps(rows, indent=2) + "\n")
