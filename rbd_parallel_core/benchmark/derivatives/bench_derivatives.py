#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the dynamics, against those of Pinocchio, MuJoCo and finite differences.

Prints what docs/derivatives.md has between its marks; writes that, plots and all medians to build/derivatives.
"""

import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tree")]

import bench_robots
import derivative_goals
import derivative_plots
import derivative_tables
import front_end
import machine
from results import Results

BINARY = front_end.BUILD / "rbd_bench"
PAGE = front_end.ROOT / "docs/derivatives.md"
BATCHES = (1, derivative_goals.BATCH)
FULL_SECONDS, QUICK_SECONDS = 2.5, 0.4  # for each operation of a robot


def measure(binary, robots, seconds, *more):
    """Everything that the tables show; progress goes to stderr. more: further arguments of the program."""
    others = machine.OtherPrograms()
    with tempfile.TemporaryDirectory() as directory:
        words = bench_robots.arguments_for(directory, robots, BATCHES)
        measured, _ = front_end.run_binary(binary, *words, "--derivatives", "--case-seconds", seconds, *more)
    return {
        **front_end.conditions(),
        "command": front_end.command("--derivatives"),
        "busy_cores": others.busy_cores(),
        **measured,
    }


def write_all(report, folder):
    """derivatives.json, derivatives.md and plots. Returns the Markdown of the section, and the names of the plots."""
    front_end.kept(report, folder, "derivatives")
    results = Results(report)
    text = derivative_tables.speed(results)
    (folder / "derivatives.md").write_text(f"## Speed\n\n{text}", encoding="utf-8")
    return {"speed": text}, derivative_plots.write_plots(results, folder)


def parse_arguments():
    parser = front_end.parser("--derivatives", __doc__, BINARY, "derivatives", "fewer samples", update_docs=True)
    parser.add_argument("--isa", metavar="SETS", help="instruction sets of our kernels: avx2, or baseline,avx2; "
                        "default: avx2 and the best of the machine")  # fmt: skip
    parser.add_argument("--robots", metavar="NAMES", default=",".join(derivative_goals.ROBOTS),
                        help="default: %(default)s")  # fmt: skip
    arguments = parser.parse_args()
    arguments.robots = [name for name in arguments.robots.split(",") if name]
    return arguments


def main():
    arguments = parse_arguments()
    seconds = QUICK_SECONDS if arguments.quick else FULL_SECONDS
    more = ["--isa", arguments.isa] if arguments.isa else []
    report = front_end.measured(arguments, lambda: measure(arguments.binary, arguments.robots, seconds, *more))
    front_end.write_docs("derivatives", arguments, report, write_all, PAGE)


if __name__ == "__main__":
    sys.exit(front_end.run(main))
