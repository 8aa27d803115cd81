#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark on real robots and writes tables, plots and a page of both.

Run it with the Python that has `example-robot-data` installed, so that the robots are found.
"""

import argparse
import datetime
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import bench_robots
import page
import plots
import tables
from machine import OtherPrograms, cpu_model
from results import Results

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = ROOT / "build/rbd_parallel_core/benchmark/rbd_bench"
FULL_SECONDS, QUICK_SECONDS = 2.5, 0.4  # for each case


def conditions():
    """What a reader of the figures must know of the machine."""
    return {
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "command": shlex.join(["./dev", "bench", *sys.argv[1:]]),
    }


def run_binary(arguments):
    """Runs the benchmark; its progress goes to stderr. Returns its report."""
    with tempfile.TemporaryDirectory() as directory:
        result = pathlib.Path(directory) / "result.json"
        command = [str(arguments.binary), *bench_robots.arguments_for(directory, arguments.robots, arguments.batches)]
        command += ["--json", str(result), "--case-seconds", str(QUICK_SECONDS if arguments.quick else FULL_SECONDS)]
        for option in ("isa", "operations"):
            if getattr(arguments, option):
                command += [f"--{option}", getattr(arguments, option)]
        completed = subprocess.run(command, check=False)
        if completed.returncode != 0:
            raise bench_robots.BenchError(f"{arguments.binary} failed with exit code {completed.returncode}")
        return json.loads(result.read_text(encoding="utf-8"))


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
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.splitlines()[0])
    parser.add_argument("--binary", metavar="FILE", default=BINARY, help="another built rbd_bench")
    parser.add_argument("--quick", action="store_true", help="fewer samples, and no batch of 16384")
    parser.add_argument("--isa", metavar="SETS", help="instruction sets of our kernels: avx2, or baseline,avx2; "
                        "default: avx2 and the best of the machine")  # fmt: skip
    parser.add_argument("--operations", metavar="NAMES", help="some of RNEA,CRBA,ABA")
    parser.add_argument("--robots", metavar="NAMES", default="", help="some of the robots, as in 'UR5,chain 30'")
    parser.add_argument("--batches", metavar="SIZES", default="", help="some of the batches, as in 1,1024")
    parser.add_argument("--out", metavar="FOLDER", default=ROOT / "build/bench", help="default: build/bench")
    parser.add_argument("--from", metavar="FILE", dest="source", help="write it from this bench.json, without measuring")
    arguments = parser.parse_args()
    arguments.robots = [name for name in arguments.robots.split(",") if name]
    try:
        arguments.batches = [int(size) for size in arguments.batches.split(",") if size]
    except ValueError:
        parser.error(f"--batches: expected whole numbers with commas between them, got '{arguments.batches}'")
    if arguments.quick and not arguments.batches:
        arguments.batches = bench_robots.QUICK_BATCHES
    return arguments


def main():
    arguments = parse_arguments()
    try:
        if arguments.source:
            report = json.loads(pathlib.Path(arguments.source).read_text(encoding="utf-8"))
        else:
            others = OtherPrograms()
            measured = run_binary(arguments)
            report = {**conditions(), "busy_cores": others.busy_cores(), **measured}
        folder = pathlib.Path(arguments.out)
        print(write_all(report, folder))
        print(f"written to {folder}: bench.html, bench.md, bench.json, *.png, *.svg", file=sys.stderr)
    except (bench_robots.BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
