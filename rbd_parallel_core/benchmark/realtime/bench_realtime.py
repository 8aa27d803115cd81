#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls the backends from a real-time loop, and shows how long calls take and what happens in them.

Prints what docs/realtime.md has between its marks; writes that, a plot and all counts to build/realtime.
"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import front_end
import machine
import realtime_plot
import realtime_tables

BINARY = front_end.BUILD / "realtime/rbd_realtime"
ROBOT = front_end.ROOT / "config/robots/arm7.urdf"
PAGE = front_end.ROOT / "docs/realtime.md"

BACKENDS = ("reference", "cpu")
DENORMAL = ("denormal rates", "denormal products", "denormal angles and rates")
INPUTS = ("ordinary", "zero", "large angles", "huge angles", *DENORMAL, "infinite", "NaN")
INPUT_CALLS = 20000  # of each operation, for each kind of input
FRESH_PROCESSES = 5  # to see first calls


def run_loop(binary, *options):
    """One process; its table goes to stderr. Returns its report."""
    report, table = front_end.run_binary(binary, ROBOT, *options, stdout=subprocess.PIPE)
    if report["refused"]:
        raise front_end.BenchError(f"{binary} {' '.join(options)}: {report['refused']} calls were refused")
    print(table, file=sys.stderr)
    return report


def measure(binary, seconds, calls, input_calls=INPUT_CALLS):
    """Everything that the tables show."""
    others, load_before = machine.OtherPrograms(), os.getloadavg()
    report = {
        **front_end.conditions(),
        "virtual": machine.is_virtual(),
        "kernel": machine.kernel(),
        "governor": machine.governors(),
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
    """realtime.json, realtime.md, realtime.png. Returns the Markdown by its section of the page, and the plot's name."""
    front_end.kept(report, folder, "realtime")
    text = realtime_tables.to_markdown(report)
    (folder / "realtime.md").write_text(text, encoding="utf-8")
    realtime_plot.write_plot(report, folder / "realtime.png")
    return {"measured": text}, ["realtime.png"]


def parse_arguments():
    parser = front_end.parser("--realtime", __doc__, BINARY, "realtime", update_docs=True)
    parser.add_argument("--seconds", type=float, default=60, help="of each periodic loop, default 60")
    parser.add_argument("--calls", type=int, default=1_000_000, help="of each operation in a row, default 1000000")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    report = front_end.measured(arguments, lambda: measure(arguments.binary, arguments.seconds, arguments.calls))
    front_end.write_docs("realtime", arguments, report, write_all, PAGE)


if __name__ == "__main__":
    sys.exit(front_end.run(main))
