#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One state of one large tree: how fast the backend tree is, and how much it rounds.

Prints what docs/vtree.md has between its marks; writes that, plots and all samples to build/tree.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import front_end
import machine
import tree_plots
import tree_tables
from tree_results import Results

BINARY = front_end.BUILD / "rbd_tree_bench"
PAGE = front_end.ROOT / "docs/vtree.md"
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


def measure(binary, sizes, seconds, threads=THREADS, largest_values=LARGEST_VALUES):
    """Everything that the tables show; progress goes to stderr."""
    others = machine.OtherPrograms()
    words = ["--case-seconds", seconds, "--threads", ",".join(map(str, threads)), "--largest-values", largest_values]
    measured, _ = front_end.run_binary(binary, *words, *front_end.sized(sizes))
    return {
        **front_end.conditions(),
        "command": front_end.command("--tree"),
        "busy_cores": others.busy_cores(),
        "threads": list(threads),
        "largest_values": largest_values,
        **measured,
    }


def write_all(report, folder):
    """tree.json, tree.md and plots. Returns the Markdown of each section that was measured, and the names of the plots."""
    front_end.kept(report, folder, "tree")
    sections = {"speed": tree_tables.speed(Results(report)), "accuracy": tree_tables.accuracy(report)}
    sections = {name: text for name, text in sections.items() if text}
    text = "\n".join(f"## {name.capitalize()}\n\n{text}" for name, text in sections.items())
    (folder / "tree.md").write_text(text, encoding="utf-8")
    return sections, tree_plots.write_plots(Results(report), folder)


def chosen_sizes(arguments):
    sizes = QUICK if arguments.quick else FULL
    if arguments.accuracy:
        return {"accuracy": sizes["accuracy"]}
    if arguments.speed:
        return {part: bodies for part, bodies in sizes.items() if part != "accuracy"}
    return sizes


def parse_arguments():
    quick = "fewer samples and smaller trees"
    parser = front_end.parser("--tree", __doc__, BINARY, "tree", quick, update_docs=True)
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--accuracy", action="store_true", help="only how much is rounded")
    only.add_argument("--speed", action="store_true", help="only how fast it is")
    parser.add_argument("--threads", metavar="NUMBERS", default=",".join(map(str, THREADS)), help="default: 1,2")
    arguments = parser.parse_args()
    arguments.threads = sorted({1, *front_end.numbers(parser, "--threads", arguments.threads)})
    return arguments


def main():
    arguments = parse_arguments()
    seconds = QUICK_SECONDS if arguments.quick else FULL_SECONDS
    report = front_end.measured(
        arguments, lambda: measure(arguments.binary, chosen_sizes(arguments), seconds, arguments.threads)
    )
    front_end.write_docs("tree", arguments, report, write_all, PAGE)


if __name__ == "__main__":
    sys.exit(front_end.run(main))
