#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One state of one large tree: how fast the backend tree is, and how much it rounds.

Prints what docs/vtree.md has between its marks; writes that, plots and all samples to build/tree.
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
import tree_plots
import tree_tables
from tree_results import Results

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = ROOT / "build/rbd_parallel_core/benchmark/rbd_tree_bench"
PAGE = ROOT / "docs/vtree.md"
LARGEST_VALUES = 2_000_000_000  # bytes of a sparse mass matrix
THREADS = (1, 2)

# Numbers of bodies for each part, and seconds for each case.
POWERS = [10**k for k in range(2, 7)]
FULL = {"inverse-dynamics": POWERS[1:], "forward-dynamics": POWERS[1:], "dense": [1_000, 3_000, 10_000],
        "sparse": POWERS[1:], "scans": POWERS[1:4],
        "peer": [300], "accuracy": POWERS}  # fmt: skip
QUICK = {"inverse-dynamics": POWERS[1:4], "forward-dynamics": POWERS[1:4], "dense": [1_000, 3_000],
         "sparse": POWERS[1:4], "scans": [10_000], "peer": [300],
         "accuracy": POWERS[:3]}  # fmt: skip
FULL_SECONDS, QUICK_SECONDS = 3.0, 0.3


class BenchError(Exception):
    """Something the user can act on."""


def measure(binary, sizes, seconds, threads=THREADS, largest_values=LARGEST_VALUES):
    """Everything that the tables show; progress goes to stderr."""
    others = machine.OtherPrograms()
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        command = [str(binary), "--json", str(result), "--case-seconds", str(seconds)]
        command += ["--threads", ",".join(map(str, threads)), "--largest-values", str(largest_values)]
        for part, bodies in sizes.items():
            command += [f"--{part}", ",".join(map(str, bodies))]
        done = subprocess.run(command, check=False)
        if done.returncode != 0:
            raise BenchError(f"{shlex.join(command)} failed with exit code {done.returncode}")
        measured = json.loads(result.read_text(encoding="utf-8"))
    return {
        "cpu": machine.cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "command": shlex.join(["./dev", "bench", "--tree", *sys.argv[1:]]),
        "busy_cores": others.busy_cores(),
        "threads": list(threads),
        "largest_values": largest_values,
        **measured,
    }


def write_all(report, folder):
    """tree.json, tree.md and plots. Returns the Markdown of each section that was measured, and the names of the plots."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tree.json").write_text(json.dumps(report), encoding="utf-8")
    sections = {"speed": tree_tables.speed(Results(report)), "accuracy": tree_tables.accuracy(report)}
    sections = {name: text for name, text in sections.items() if text}
    text = "\n".join(f"## {name.capitalize()}\n\n{text}" for name, text in sections.items())
    (folder / "tree.md").write_text(text, encoding="utf-8")
    return sections, tree_plots.write_plots(Results(report), folder)


def replace_section(page, name, text):
    """The page with the text between the marks of that name."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise BenchError(f"expected one line {begin.strip()} and one line {end.strip()}")
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"


def update_docs(sections, plots, folder):
    page = PAGE.read_text(encoding="utf-8")
    for name, text in sections.items():
        page = replace_section(page, name, text)
    PAGE.write_text(page, encoding="utf-8")
    for name in plots:
        shutil.copy(folder / name, PAGE.parent)


def chosen_sizes(arguments):
    sizes = QUICK if arguments.quick else FULL
    if arguments.accuracy:
        return {"accuracy": sizes["accuracy"]}
    if arguments.speed:
        return {part: bodies for part, bodies in sizes.items() if part != "accuracy"}
    return sizes


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench --tree", description=__doc__.splitlines()[0])
    parser.add_argument("--binary", metavar="FILE", default=BINARY, help="another built rbd_tree_bench")
    parser.add_argument("--quick", action="store_true", help="fewer samples and smaller trees")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--accuracy", action="store_true", help="only how much is rounded")
    only.add_argument("--speed", action="store_true", help="only how fast it is")
    parser.add_argument("--threads", metavar="NUMBERS", default=",".join(map(str, THREADS)), help="default: 1,2")
    parser.add_argument("--out", metavar="FOLDER", default=ROOT / "build/tree", help="default: build/tree")
    parser.add_argument("--from", metavar="FILE", dest="source", help="write it from this tree.json, without measuring")
    parser.add_argument("--update-docs", action="store_true", help="put tables and plots into docs/")
    arguments = parser.parse_args()
    try:
        arguments.threads = sorted({1, *map(int, arguments.threads.split(","))})
    except ValueError:
        parser.error(f"--threads: expected whole numbers with commas between them, got '{arguments.threads}'")
    return arguments


def main():
    arguments = parse_arguments()
    try:
        if arguments.source:
            report = json.loads(pathlib.Path(arguments.source).read_text(encoding="utf-8"))
        else:
            seconds = QUICK_SECONDS if arguments.quick else FULL_SECONDS
            report = measure(arguments.binary, chosen_sizes(arguments), seconds, arguments.threads)
        folder = pathlib.Path(arguments.out)
        sections, plots = write_all(report, folder)
        print((folder / "tree.md").read_text(encoding="utf-8"))
        if arguments.update_docs:
            update_docs(sections, plots, folder)
        print(f"written to {folder}: tree.md, tree.json, {', '.join(plots)}", file=sys.stderr)
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
