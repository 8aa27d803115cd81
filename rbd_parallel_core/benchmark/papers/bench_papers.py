#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The experiments of the papers that the methods are from, on this machine.

Prints what docs/papers.md has between its marks; writes that, plots and all samples to build/papers.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tree")]

import front_end
import machine
import papers_plots
import papers_tables
from tree_results import Results

BINARY = front_end.BUILD / "rbd_papers_bench"
PAGE = front_end.ROOT / "docs/papers.md"
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
    words = ["--case-seconds", seconds, "--threads", ",".join(map(str, THREADS)), *more]
    measured, _ = front_end.run_binary(binary, *words, *front_end.sized(sizes))
    return {
        **front_end.conditions(),
        "command": front_end.command("--papers"),
        "busy_cores": others.busy_cores(),
        "threads": list(THREADS),
        "errors": measured["errors"],
        **measured["timed"],
    }


def write_all(report, folder):
    """papers.json, papers.md and plots. Returns the Markdown of each section, and the names of the plots."""
    front_end.kept(report, folder, "papers")
    sections = papers_tables.sections(Results(report))
    text = "\n".join(f"## {name.replace('_', ' ').capitalize()}\n\n{text}" for name, text in sections.items())
    (folder / "papers.md").write_text(text, encoding="utf-8")
    return sections, papers_plots.write_plots(Results(report), folder)


def parse_arguments():
    quick = "fewer samples and smaller trees"
    parser = front_end.parser("--papers", __doc__, BINARY, "papers", quick, update_docs=True)
    parser.add_argument("--only", choices=sorted(FULL), help="only this experiment")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    sizes = QUICK if arguments.quick else FULL
    sizes = {name: bodies for name, bodies in sizes.items() if arguments.only in (None, name)}
    seconds = QUICK_SECONDS if arguments.quick else FULL_SECONDS
    report = front_end.measured(arguments, lambda: measure(arguments.binary, sizes, seconds))
    front_end.write_docs("papers", arguments, report, write_all, PAGE)


if __name__ == "__main__":
    sys.exit(front_end.run(main))
