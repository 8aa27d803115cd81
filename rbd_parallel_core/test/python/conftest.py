# SPDX-License-Identifier: Apache-2.0
"""Collects the errors against the references, and shows the largest of each operation at the end of the run."""

import json
import pathlib

import pytest

from largest_errors import Errors, Largest


def pytest_addoption(parser):
    parser.addoption("--errors-json", metavar="FILE", help="write the largest errors of each operation to FILE")


def pytest_configure(config):
    config.rbd_errors = Errors()


@pytest.fixture(scope="session")
def errors(pytestconfig):
    return pytestconfig.rbd_errors


def pytest_sessionfinish(session):
    """A process that runs some of the tests (pytest -n) hands over what it has seen ..."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["rbd_errors"] = session.config.rbd_errors.rows()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """... to the one that has them all."""
    for operation, row in getattr(node, "workeroutput", {}).get("rbd_errors", {}).items():
        node.config.rbd_errors.note(operation, Largest(**row))


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
        pathlib.Path(path).write_text(json.dumps(config.rbd_errors.rows(), indent=2) + "\n")
