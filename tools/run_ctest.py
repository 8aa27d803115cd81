# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that ctest knows of a build folder, many GoogleTest cases in one process, and writes one JUnit report.

ctest starts a process for every case. Of some thousand cases most take less time than the start of their program, which loads
its libraries and registers all of its cases. So cases of the same program, environment and folder are run together here, by their
filter. All other tests, and programs with the label `alone`, are left to ctest.

No case can get lost. A program that dies, hangs or reports less than it was asked for is run again, case by case, each in a
process of its own, as ctest would have; and the report says that it failed even if each of its cases passes alone.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

FILTER = "--gtest_filter="
TOGETHER = 100  # cases of one process, at most: few enough that all cores have something to do until the end
# What gtest_discover_tests says of every case, and what this program can do. A test with more than these is ctest's.
KNOWN_PROPERTIES = {"WORKING_DIRECTORY", "SKIP_REGULAR_EXPRESSION", "ENVIRONMENT"}


@dataclasses.dataclass
class Case:
    """One case of a program: `name` is ctest's, `filter` is GoogleTest's."""

    name: str
    filter: str


@dataclasses.dataclass(frozen=True)
class Program:
    """What cases that may share a process have in common."""

    command: tuple  # without the filter
    folder: str
    environment: tuple = ()

    def title(self):
        return " ".join([*self.environment, pathlib.Path(self.command[0]).name])


@dataclasses.dataclass
class Outcome:
    """Of one case. Neither failure nor skipped: it passed."""

    name: str
    seconds: float = 0.0
    failure: str | None = None
    skipped: str | None = None


# ---- what there is to run


def listed_tests(arguments):
    """The tests that ctest would run with these arguments."""
    done = subprocess.run(["ctest", *arguments, "--show-only=json-v1"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"ctest cannot list the tests (exit code {done.returncode}):\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return json.loads(done.stdout)["tests"]


def case_of(test):
    """The program and the case, or None where the test is not a plain case of GoogleTest."""
    properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
    command = test.get("command", [])
    filters = [word for word in command if word.startswith(FILTER)]
    if set(properties) - KNOWN_PROPERTIES or "SKIP_REGULAR_EXPRESSION" not in properties or len(filters) != 1:
        return None
    wanted = filters[0].removeprefix(FILTER)
    if not re.fullmatch(r"[\w./]+", wanted):  # a pattern, not the name of one case
        return None
    program = Program(
        tuple(word for word in command if word != filters[0]),
        properties.get("WORKING_DIRECTORY", os.getcwd()),
        tuple(properties.get("ENVIRONMENT", ())),
    )
    return program, Case(test["name"], wanted)


def batches_of(tests):
    """(program, cases) of what can be run together, and the names of the tests that are left to ctest."""
    programs, others = {}, []
    for test in tests:
        if found := case_of(test):
            programs.setdefault(found[0], []).append(found[1])
        else:
            others.append(test["name"])
    batches = []
    for program, cases in programs.items():
        count = -(-len(cases) // TOGETHER)
        # Neighbours often take the same time: every batch gets some of each.
        batches += [(program, cases[k::count]) for k in range(count)]
    return batches, others


# ---- running


def end_with_children(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run_process(program, cases, folder, patience):
    """Runs them in one process. Returns exit code, output and the report of GoogleTest, which may not be there. A process that
    says nothing for `patience` seconds is killed: GoogleTest says when a case begins and ends."""
    report, output, flags = folder / "report.xml", folder / "output.txt", folder / "flags"
    flags.write_text(FILTER + ":".join(case.filter for case in cases) + f"\n--gtest_output=xml:{report}\n")
    environment = os.environ | dict(entry.split("=", 1) for entry in program.environment)
    with open(output, "wb") as file:
        process = subprocess.Popen(
            [*program.command, f"--gtest_flagfile={flags}"], cwd=program.folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        size, since = 0, time.monotonic()
        late = False
        while True:
            try:
                process.wait(1)
                break
            except subprocess.TimeoutExpired:
                now, size_now = time.monotonic(), output.stat().st_size
                if size_now != size:
                    size, since = size_now, now
                elif now - since > patience:
                    end_with_children(process)
                    late = True
                    break
    said = output.read_text(errors="replace")
    if late:
        said += f"\nkilled after {patience:.0f} s without a word\n"
    return process.returncode, said, report


def outcomes_of(report, cases):
    """What GoogleTest reports of these cases, or None unless it reports each of them."""
    try:
        entries = xml.parse(report).getroot().iter("testcase")
    except (OSError, xml.ParseError):
        return None
    names = {case.filter: case.name for case in cases}
    outcomes = {}
    for entry in entries:
        name = names.get(f"{entry.get('classname')}.{entry.get('name')}")
        if name is None or entry.get("status") != "run":
            continue
        outcome = outcomes[name] = Outcome(name, float(entry.get("time", 0)))
        failures, skip = entry.findall("failure"), entry.find("skipped")
        if failures:
            outcome.failure = "\n".join(failure.text or failure.get("message", "") for failure in failures)
        elif skip is not None:
            place, _, reason = skip.get("message", "").partition("\n")  # FILE:LINE, and what was said
            outcome.skipped = " ".join((reason or place).split())
    return [outcomes[case.name] for case in cases] if len(outcomes) == len(cases) else None


def run_cases(program, cases, patience):
    """Runs the cases in one process, or where that one dies, each in its own."""
    with tempfile.TemporaryDirectory() as folder:
        code, said, report = run_process(program, cases, pathlib.Path(folder), patience)
        outcomes = outcomes_of(report, cases)
    if outcomes is not None and code == int(any(outcome.failure is not None for outcome in outcomes)):
        return outcomes
    if len(cases) == 1:
        if outcomes is not None and outcomes[0].failure is not None:
            said = outcomes[0].failure + "\n" + said
        return [Outcome(cases[0].name, failure=f"exit code {code}\n{said}")]
    alone = [outcome for case in cases for outcome in run_cases(program, [case], patience)]
    if all(outcome.failure is None for outcome in alone):
        title = f"{program.title()}: {len(cases)} cases in one process, from {cases[0].name}"
        alone.append(Outcome(title, failure=f"exit code {code}, though each case passes alone\n{said}"))
    return alone


# ---- what is left to ctest


def exactly(names):
    return "^(" + "|".join(re.sub(r"([][()^$.*+?|\\])", r"\\\1", name) for name in names) + ")$"


def ctest_outcome(entry):
    """Of one entry of ctest's report."""
    outcome = Outcome(entry.get("name"), float(entry.get("time", 0)))
    said, skip = entry.findtext("system-out", ""), entry.find("skipped")
    if entry.find("failure") is not None or entry.find("error") is not None:
        outcome.failure = said or "failed without a word"
    elif skip is not None:
        reason = skip.get("message", "")
        if reason.startswith("SKIP_"):
            given = re.search(r": Skipped\n+(.+)", said)  # GTEST_SKIP() << reason
            outcome.skipped = given.group(1) if given else reason
        else:  # no executable, no fixture: it should have run
            outcome.failure = reason
    elif entry.get("status") == "disabled":
        outcome.skipped = "disabled"
    elif entry.get("status") != "run":
        outcome.failure = f"its status is '{entry.get('status')}'"
    return outcome


def run_by_ctest(names, build, patience, jobs):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.xml")
        done = subprocess.run(
            ["ctest", "--test-dir", build, "-R", exactly(names), "--parallel", str(jobs), "--timeout", str(patience),
             "--output-junit", report],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        try:
            outcomes = [ctest_outcome(entry) for entry in xml.parse(report).getroot().iter("testcase")]
        except (OSError, xml.ParseError):
            outcomes = []
    reported = {outcome.name for outcome in outcomes}
    missing = [name for name in names if name not in reported]
    return outcomes + [Outcome(name, failure=f"ctest does not report it:\n{done.stdout[-2000:]}") for name in missing]


# ---- all of it


def write_report(path, outcomes):
    """As JUnit: a failure or the reason why a case was skipped is a child of the case."""
    suite = xml.Element("testsuite", name="ctest", tests=str(len(outcomes)))
    for outcome in sorted(outcomes, key=lambda outcome: outcome.name):
        entry = xml.SubElement(suite, "testcase", name=outcome.name, time=f"{outcome.seconds:.3f}")
        if outcome.failure is not None:
            xml.SubElement(entry, "failure").text = re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd]", "?", outcome.failure)
        elif outcome.skipped is not None:
            xml.SubElement(entry, "skipped", message=outcome.skipped)
    xml.ElementTree(suite).write(path, encoding="unicode")


def run_all(tests, build, patience, jobs):
    """The outcomes of all tests, as they come."""
    batches, others = batches_of(tests)
    with concurrent.futures.ThreadPoolExecutor(jobs + 1) as pool:
        running = {}
        if others:  # beside the batches: some of them take long
            share = jobs if not batches else max(1, jobs // 2)
            running[pool.submit(run_by_ctest, others, build, patience, share)] = f"{len(others)} tests by ctest"
        for program, cases in batches:
            running[pool.submit(run_cases, program, cases, patience)] = f"{len(cases)} cases of {program.title()}"
        for done in concurrent.futures.as_completed(running):
            yield running[done], done.result()


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", help="the build folder")
    parser.add_argument("report", help="the JUnit file to write")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at the same time")
    parser.add_argument("--timeout", type=int, default=300, help="seconds that a test may take")
    parser.add_argument("-R", metavar="REGEX", dest="only", help="only tests with such a name, as of ctest")
    parser.add_argument("-E", metavar="REGEX", dest="but", help="no tests with such a name, as of ctest")
    return parser.parse_args(words)


def main(words):
    given = arguments(words)
    choice = [*(["-R", given.only] if given.only else []), *(["-E", given.but] if given.but else [])]
    tests = listed_tests(["--test-dir", given.build, *choice])
    if not tests and not given.only:
        raise SystemExit("there are no tests")
    outcomes = []
    for title, some in run_all(tests, given.build, given.timeout, given.jobs):
        outcomes += some
        print(f"{len(outcomes)}/{len(tests)} {title}, {sum(outcome.seconds for outcome in some):.1f} s", flush=True)
    write_report(given.report, outcomes)
    failed = [outcome for outcome in outcomes if outcome.failure is not None]
    for outcome in failed:
        print(f"\n---- failed: {outcome.name}\n{outcome.failure.rstrip()}")
    print(f"\n{len(outcomes)} tests, {len(failed)} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
