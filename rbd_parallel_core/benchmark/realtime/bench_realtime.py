#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls the backends from a real-time loop, and shows how long calls take and what happens in them.

Prints what docs/realtime.md has between its marks; writes that, a plot and all counts to build/realtime.
"""

import argparse
import datetime
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import machine
import realtime_plot
import realtime_tables

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = ROOT / "build/rbd_parallel_core/benchmark/realtime/rbd_realtime"
ROBOT = ROOT / "config/robots/arm7.urdf"
PAGE = ROOT / "docs/realtime.md"
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"

BACKENDS = ("reference", "cpu")
DENORMAL = ("denormal rates", "denormal products", "denormal angles and rates")
INPUTS = ("ordinary", "zero", "large angles", "huge angles", *DENORMAL, "infinite", "NaN")
INPUT_CALLS = 20000  # of each operation, for each kind of input
FRESH_PROCESSES = 5  # to see first calls


class BenchError(Exception):
    """Something the user can act on."""


def run_loop(binary, *options):
    """One process; its table goes to stderr. Returns its report."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        command = [str(binary), str(ROBOT), *options, "--json", str(result)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise BenchError(f"{shlex.join(command)} failed with exit code {done.returncode}")
        report = json.loads(result.read_text(encoding="utf-8"))
    if report["refused"]:
        raise BenchError(f"{shlex.join(command)}: {report['refused']} calls were refused")
    print(done.stdout, file=sys.stderr)
    return report


def measure(binary, seconds, calls, input_calls=INPUT_CALLS):
    """Everything that the tables show."""
    others, load_before = machine.OtherPrograms(), os.getloadavg()
    report = {
        "cpu": machine.cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "virtual": machine.is_virtual(),
        "kernel": machine.kernel(),
        "governor": machine.governors(),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "seconds": seconds,
        "periodic": [run_loop(binary, "--backend", name, "--seconds", f"{seconds:g}") for name in BACKENDS],
    }
    in_a_row = ("--period", "0", "--calls")
    report["back_to_back"] = [run_loop(binary, "--backend", name, *in_a_row, str(calls)) for name in BACKENDS]
    kinds = [("--inputs", kind) for kind in INPUTS] + [("--inputs", kind, "--flush-denormals") for kind in DENORMAL]
    report["inputs"] = [run_loop(binary, *in_a_row, str(input_calls), *kind) for kind in kinds]
    report["first"] = [
        run_loop(binary, *in_a_row, "1", *lock) for lock in ((), ("--no-lock",)) for _ in range(FRESH_PROCESSES)
    ]
    report |= {"load": [load_before[0], os.getloadavg()[0]], "busy_cores": others.busy_cores()}
    return report


def write_all(report, folder):
    """realtime.json, realtime.md, realtime.png. Returns the Markdown."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "realtime.json").write_text(json.dumps(report), encoding="utf-8")
    text = realtime_tables.to_markdown(report)
    (folder / "realtime.md").write_text(text, encoding="utf-8")
    realtime_plot.write_plot(report, folder / "realtime.png")
    return text


def replace_measured(page, text):
    """The page with the text between its marks."""
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        raise BenchError(f"expected one line {BEGIN.strip()} and one line {END.strip()}")
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}"


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench --realtime", description=__doc__.splitlines()[0])
    parser.add_argument("--binary", metavar="FILE", default=BINARY, help="another built rbd_realtime")
    parser.add_argument("--seconds", type=float, default=60, help="of each periodic loop, default 60")
    parser.add_argument("--calls", type=int, default=1_000_000, help="of each operation in a row, default 1000000")
    parser.add_argument("--out", metavar="FOLDER", default=ROOT / "build/realtime", help="default: build/realtime")
    parser.add_argument("--from", metavar="FILE", dest="source", help="write it from this realtime.json, without measuring")
    parser.add_argument("--update-docs", action="store_true", help="put tables and plot into docs/")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        if arguments.source:
            report = json.loads(pathlib.Path(arguments.source).read_text(encoding="utf-8"))
        else:
            report = measure(arguments.binary, arguments.seconds, arguments.calls)
        folder = pathlib.Path(arguments.out)
        text = write_all(report, folder)
        print(text)
        if arguments.update_docs:
            PAGE.write_text(replace_measured(PAGE.read_text(encoding="utf-8"), text), encoding="utf-8")
            shutil.copy(folder / "realtime.png", PAGE.parent)
        print(f"written to {folder}: realtime.md, realtime.json, realtime.png", file=sys.stderr)
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
