#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark on real robots and writes tables, plots and a page of both.

Run it with the Python that has `example-robot-data` installed, so that the robots are found.
"""

import json
import sys
import tempfile

import bench_robots
import front_end
import machine
import page
import plots
import tables
from results import Results

BINARY = front_end.BUILD / "rbd_bench"
FULL_SECONDS, QUICK_SECONDS = 2.5, 0.4  # for each case


def measure(arguments):
    """Everything that the tables show."""
    others = machine.OtherPrograms()
    words = ["--case-seconds", QUICK_SECONDS if arguments.quick else FULL_SECONDS]
    for option in ("isa", "operations"):
        if getattr(arguments, option):
            words += [f"--{option}", getattr(arguments, option)]
    with tempfile.TemporaryDirectory() as directory:
        robots = bench_robots.arguments_for(directory, arguments.robots, arguments.batches)
        measured, _ = front_end.run_binary(arguments.binary, *robots, *words)
    return {**front_end.conditions(), "command": front_end.command(), "busy_cores": others.busy_cores(), **measured}


def write_all(report, folder):
    """bench.json, bench.md, plots and bench.html. Returns the Markdown."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    results = Results(report)
    text = tables.to_markdown(results)
    (folder / "bench.md").write_text(text, encoding="utf-8")
    page.write_page(folder / "bench.html", text, plots.write_plots(results, folder))
    return text


def parse_arguments():
    parser = front_end.parser("", __doc__, BINARY, "bench", "fewer samples, and no batch of 16384")
    parser.add_argument("--isa", metavar="SETS", help="instruction sets of our kernels: avx2, or baseline,avx2; "
                        "default: avx2 and the best of the machine")  # fmt: skip
    parser.add_argument("--operations", metavar="NAMES", help="some of RNEA,CRBA,ABA")
    parser.add_argument("--robots", metavar="NAMES", default="", help="some of the robots, as in 'UR5,chain 30'")
    parser.add_argument("--batches", metavar="SIZES", default="", help="some of the batches, as in 1,1024")
    arguments = parser.parse_args()
    arguments.robots = [name for name in arguments.robots.split(",") if name]
    arguments.batches = front_end.numbers(parser, "--batches", arguments.batches)
    if arguments.quick and not arguments.batches:
        arguments.batches = bench_robots.QUICK_BATCHES
    return arguments


def main():
    arguments = parse_arguments()
    print(write_all(front_end.measured(arguments, lambda: measure(arguments)), arguments.out))
    print(f"written to {arguments.out}: bench.html, bench.md, bench.json, *.png, *.svg", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(front_end.run(main))
