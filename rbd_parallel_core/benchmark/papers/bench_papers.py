#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The experiments of the papers that the methods are from, on this machine.

Prints what docs/papers.md has between its marks; writes that, plots and all samples to build/papers.
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

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tree")]

import machine
import papers_plots
import papers_tables
from bench_tree import BenchError, replace_section
from tree_results import Results

ROOT = HERE.parents[2]
BINARY = ROOT / "build/rbd_parallel_core/benchmark/rbd_papers_bench"
PAGE = ROOT / "docs/papers.md"
THREADS = (1, 2)

# Numbers of bodies for each experiment, and seconds for each case.
FULL = {"links": [5, 10, 20, 50, 100, 200, 500], "groups": [10, 100, 200], "dcae": [128, 256, 1024],
        "accuracy": [16, 64, 128, 256, 512, 1024, 2048, 4096], "blocks": [1_000, 10_000, 100_000, 1_000_000]}  # fmt: skip
QUICK = {"links": [5, 20, 100, 200], "groups": [10, 100, 200], "dcae": [128, 256, 1024],
         "accuracy": [16, 128, 1024], "blocks": [1_000, 10_000, 100_000]}  # fmt: skip
FULL_SECONDS, QUICK_SECONDS = 4.0, 0.4


def measure(binary, sizes, seconds, *more):
    """Everything that the tables show; progress goes to stderr. more: further arguments of the program."""
    others = machine.OtherPrograms()
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        command = [str(binary), "--json", str(result), "--case-seconds", str(seconds)]
        command += ["--threads", ",".join(map(str, THREADS)), *more]
        for experiment, bodies in sizes.items():
            command += [f"--{experiment}", ",".join(map(str, bodies))]
        done = subprocess.run(command, check=False)
        if done.returncode != 0:
            raise BenchError(f"{shlex.join(command)} failed with exit code {done.returncode}")
        measured = json.loads(result.read_text(encoding="utf-8"))
    return {
        "cpu": machine.cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "command": shlex.join(["./dev", "bench", "--papers", *sys.argv[1:]]),
        "busy_cores": others.busy_cores(),
        "threads": list(THREADS),
        "errors": measured["errors"],
        **measured["timed"],
    }


def write_all(report, folder):
    """papers.json, papers.md and plots. Returns the Markdown of each section, and the names of the plots."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "papers.json").write_text(json.dumps(report), encoding="utf-8")
    sections = papers_tables.sections(Results(report))
    text = "\n".join(f"## {name.replace('_', ' ').capitalize()}\n\n{text}" for name, text in sections.items())
    (folder / "papers.md").write_text(text, encoding="utf-8")
    return sections, papers_plots.write_plots(Results(report), folder)


def update_docs(sections, plots, folder):
    page = PAGE.read_text(encoding="utf-8")
    for name, text in sections.items():
        page = replace_section(page, name, text)
    PAGE.write_text(page, encoding="utf-8")
    for name in plots:
        shutil.copy(folder / name, PAGE.parent)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench --papers", description=__doc__.splitlines()[0])
    parser.add_argument("--binary", metavar="FILE", default=BINARY, help="another built rbd_papers_bench")
    parser.add_argument("--quick", action="store_true", help="fewer samples and smaller trees")
    parser.add_argument("--only", choices=sorted(FULL), help="only this experiment")
    parser.add_argument("--out", metavar="FOLDER", default=ROOT / "build/papers", help="default: build/papers")
    parser.add_argument("--from", metavar="FILE", dest="source", help="write it from this papers.json, without measuring")
    parser.add_argument("--update-docs", action="store_true", help="put tables and plots into docs/")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        if arguments.source:
            report = json.loads(pathlib.Path(arguments.source).read_text(encoding="utf-8"))
        else:
            sizes = QUICK if arguments.quick else FULL
            sizes = {name: bodies for name, bodies in sizes.items() if arguments.only in (None, name)}
            report = measure(arguments.binary, sizes, QUICK_SECONDS if arguments.quick else FULL_SECONDS)
        folder = pathlib.Path(arguments.out)
        sections, plots = write_all(report, folder)
        print((folder / "papers.md").read_text(encoding="utf-8"))
        if arguments.update_docs:
            update_docs(sections, plots, folder)
        print(f"written to {folder}: papers.md, papers.json, {', '.join(plots)}", file=sys.stderr)
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
