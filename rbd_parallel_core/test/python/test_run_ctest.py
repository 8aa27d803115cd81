# SPDX-License-Identifier: Apache-2.0
"""tools/run_ctest.py, which runs many cases in one process: whatever that process does, each case has its outcome."""

import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest
from test_readme import ROOT

# It does what its cases are called, and reports as a program of GoogleTest does. Each process leaves a line of what it was asked.
PROGRAM = '''
import os, signal, sys, time
flags = dict(line.split("=", 1) for line in open(sys.argv[-1].split("=", 1)[1]).read().splitlines())
cases = flags["--gtest_filter"].split(":")
open({log!r}, "a").write(os.environ.get("SET", "") + ":".join(cases) + "\\n")
lines = []
for case in cases:
    suite, name = case.split(".")
    inner = {{"fails": "<failure message='1 is not 2'>1 is not 2, at length</failure>",
              "skips": "<skipped message='file.cpp:1&#x0A;no such device'/>"}}.get(name, "")
    print("[ RUN      ]", case, flush=True)
    if name == "dies" or (name == "dies_in_company" and len(cases) > 1):
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "hangs":
        time.sleep(60)
    if name != "is_forgotten":
        lines.append(f"<testcase classname='{{suite}}' name='{{name}}' status='run' time='0.5'>{{inner}}</testcase>")
open(flags["--gtest_output"].removeprefix("xml:"), "w").write("<testsuites>" + "".join(lines) + "</testsuites>")
sys.exit(23 if "A.leaks" in cases else "A.fails" in cases)
'''


class Folder:
    """A build folder with these cases of one program, and with plain tests of ctest."""

    def __init__(self, path):
        self.path, self.lines = path, []
        self.program, self.log = path / "program.py", path / "log.txt"
        self.program.write_text(PROGRAM.format(log=str(self.log)))

    def case(self, name, prefix="", properties=""):
        self.plain(prefix + name, [sys.executable, self.program, f"--gtest_filter={name}", "--gtest_also_run_disabled_tests"],
                   r'WORKING_DIRECTORY "%s" SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]" %s' % (self.path, properties))  # fmt: skip

    def plain(self, name, command, properties=""):
        self.lines.append(f"add_test({name} {' '.join(map(str, command))})")
        if properties:
            self.lines.append(f"set_tests_properties({name} PROPERTIES {properties})")

    def run(self, *arguments):
        """Exit code, {test: passed, failed or why it was skipped}, and what was printed."""
        (self.path / "CTestTestfile.cmake").write_text("\n".join(self.lines) + "\n")
        report = self.path / "report.xml"
        done = subprocess.run(
            [sys.executable, ROOT / "tools" / "run_ctest.py", self.path, report, "--jobs", "2", *arguments],
            capture_output=True, text=True,
        )  # fmt: skip
        outcomes = {}
        for entry in xml.parse(report).getroot() if report.is_file() else []:
            skip = entry.find("skipped")
            failed = entry.find("failure") is not None
            outcomes[entry.get("name")] = "failed" if failed else skip.get("message") if skip is not None else "passed"
        return done.returncode, outcomes, done.stdout + done.stderr

    def processes(self):
        return self.log.read_text().splitlines()


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


def test_cases_share_a_process(folder):
    for name in ("A.passes", "A.skips", "B.passes"):
        folder.case(name)
    folder.plain("plain", ["true"])
    code, outcomes, _ = folder.run()
    assert outcomes == {"A.passes": "passed", "A.skips": "no such device", "B.passes": "passed", "plain": "passed"}
    assert code == 0 and folder.processes() == ["A.passes:A.skips:B.passes"]


def test_a_case_that_fails_is_named_with_its_reason(folder):
    for name in ("A.passes", "A.fails"):
        folder.case(name)
    code, outcomes, said = folder.run()
    assert code == 1 and outcomes == {"A.passes": "passed", "A.fails": "failed"}
    assert "1 is not 2, at length" in said and len(folder.processes()) == 1


@pytest.mark.parametrize("offender", ["dies", "hangs", "is_forgotten", "leaks"])
def test_no_case_gets_lost(folder, offender):
    """Law: the others are run where one ends the process, keeps it, is not reported, or makes it end badly."""
    for name in ("A.passes", f"A.{offender}", "B.passes"):
        folder.case(name)
    code, outcomes, _ = folder.run("--timeout", "2")
    assert code == 1 and outcomes == {"A.passes": "passed", f"A.{offender}": "failed", "B.passes": "passed"}


def test_a_process_that_dies_is_a_failure_even_if_each_case_passes_alone(folder):
    for name in ("A.dies_in_company", "A.passes"):
        folder.case(name)
    code, outcomes, _ = folder.run()
    assert code == 1
    assert [name for name, outcome in outcomes.items() if outcome == "failed"] == [
        f"{sys.executable.rsplit('/', 1)[1]}: 2 cases in one process, from A.dies_in_company"
    ]
    assert outcomes["A.dies_in_company"] == outcomes["A.passes"] == "passed"


def test_another_environment_is_another_process(folder):
    folder.case("A.passes")
    folder.case("A.passes", prefix="other.", properties='ENVIRONMENT "SET=other "')
    code, outcomes, _ = folder.run()
    assert code == 0 and outcomes == {"A.passes": "passed", "other.A.passes": "passed"}
    assert sorted(folder.processes()) == ["A.passes", "other A.passes"]


def test_what_ctest_alone_understands_is_left_to_it(folder):
    """Here the words that make a test pass, the exit code that makes it skipped, and a program that does not exist."""
    folder.plain("says", ["echo", "[=[hello (you)]=]"], 'PASS_REGULAR_EXPRESSION "hello .you."')
    folder.plain("says_not", ["echo", "[=[goodbye]=]"], 'PASS_REGULAR_EXPRESSION "hello"')
    folder.plain("skipped", ["sh", "-c", "[=[exit 77]=]"], "SKIP_RETURN_CODE 77")
    folder.plain("off", ["true"], "DISABLED TRUE")
    folder.plain("gone", ["/no/such/program"])
    code, outcomes, _ = folder.run()
    assert code == 1 and outcomes == {
        "says": "passed", "says_not": "failed", "skipped": "SKIP_RETURN_CODE=77", "off": "disabled", "gone": "failed",
    }  # fmt: skip


def test_a_process_of_its_own_can_be_asked_for(folder):
    for name in ("A.passes", "B.passes"):
        folder.plain(name, [sys.executable, "-c", "[=[print(1)]=]", f"--gtest_filter={name}"], "LABELS alone")
    code, outcomes, said = folder.run()
    assert code == 0 and outcomes == {"A.passes": "passed", "B.passes": "passed"} and "2 tests by ctest" in said


def test_tests_are_chosen_as_ctest_chooses(folder):
    for name in ("A.passes", "A.skips", "B.passes"):
        folder.case(name)
    assert folder.run("-R", "^A", "-E", "skips")[1] == {"A.passes": "passed"}


def test_a_folder_without_tests_is_an_error_unless_tests_were_chosen(folder):
    assert folder.run()[0] != 0
    folder.case("A.passes")
    code, outcomes, _ = folder.run("-R", "no_such_test")
    assert code == 0 and outcomes == {}
