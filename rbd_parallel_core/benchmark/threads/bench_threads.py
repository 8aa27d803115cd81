#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What two threads gain, beside two processes with one thread and half of the work each.

Prints what docs/performance.md has between its marks; writes that and all samples to build/threads.
"""

import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import bench_robots
import front_end
import machine

BINARY = front_end.BUILD / "rbd_threads_bench"
PAGE = front_end.ROOT / "docs/performance.md"
ROBOTS = ("UR5", "Talos")
BACKENDS = ("cpu", "compiled")
BATCHES = (64, 256, 512, 1024, 2048, 4096, 16384, 100_000)
QUICK_BATCHES = (64, 1024, 16384)
TREES = (1_000, 10_000, 100_000)
QUICK_TREES = (10_000,)
FULL_SECONDS, QUICK_SECONDS = 2.0, 0.3  # for each case

# From so many microseconds of work on, two threads are to reach this share of what the control does; and nowhere less than
# this share of one thread.
GOALS = {150: 0.95, 50: 0.8}
LEAST_OF_ONE = 0.98


def measure(binary, batches, trees, seconds, robots=ROBOTS, backends=BACKENDS, more=()):
    """Everything that the table shows; progress goes to stderr. more: further arguments of the program."""
    others = machine.OtherPrograms()
    with tempfile.TemporaryDirectory() as directory:
        words = []
        for name, path, base, fixed in bench_robots.ROBOTS:
            if name in robots and base == "fixed":
                text = (bench_robots.robots_directory() / path).read_text(encoding="utf-8")
                copy = pathlib.Path(directory) / f"{name}.urdf"
                copy.write_text(bench_robots.prepared(text, fixed), encoding="utf-8")
                words += ["--robot", name, copy]
        if trees:
            words += ["--tree", ",".join(map(str, trees))]
        words += ["--batches", ",".join(map(str, batches)), "--backends", ",".join(backends)]
        measured, _ = front_end.run_binary(binary, *words, "--case-seconds", seconds, *more)
    return {
        **front_end.conditions(),
        "command": front_end.command("--threads"),
        "busy_cores": others.busy_cores(),
        **measured,
    }


def ratio(case, name):
    """How much faster than one thread: of the same round, the median."""
    return statistics.median(one / other for one, other in zip(case["one_us"], case[f"{name}_us"], strict=True))


def verdict(case):
    """Whether a case reaches its goals, or what it misses."""
    work, two, control = statistics.median(case["one_us"]), ratio(case, "two"), ratio(case, "control")
    if two < LEAST_OF_ONE:
        return f"**missed**: below {LEAST_OF_ONE} of one thread"
    goal = next((share for least, share in GOALS.items() if work >= least), None)
    if goal is None:
        return "no goal"
    return "ok" if two >= goal * control else f"**missed**: below {goal} of the control"


def table(report):
    lines = ["| robot | backend | states | one thread, us | two threads | control | of the control | goal |",
             "|---|---|--:|--:|--:|--:|--:|---|"]  # fmt: skip
    for case in report["cases"]:
        two, control = ratio(case, "two"), ratio(case, "control")
        lines.append(
            f"| {case['robot']} | `{case['backend']}` | {case['batch']} | {statistics.median(case['one_us']):.1f} "
            f"| {two:.2f}x | {control:.2f}x | {two / control:.2f} | {verdict(case)} |"
        )
    return "\n".join(lines)


def section(report):
    return (
        f"{report['cpu']}, {report['cores']} cores{', virtual' if machine.is_virtual() else ''}, {report['date']}; other programs "
        f"used {report['busy_cores']:.1f} cores meanwhile. `{report['command']}`\n\n{table(report)}\n"
    )


def write_all(report, folder):
    """threads.json and threads.md. Returns the Markdown of the section; there are no plots."""
    front_end.kept(report, folder, "threads")
    text = section(report)
    (folder / "threads.md").write_text(f"## Two threads\n\n{text}", encoding="utf-8")
    return {"threads": text}, []


def parse_arguments():
    parser = front_end.parser("--threads", __doc__, BINARY, "threads", "fewer batches and samples", update_docs=True)
    parser.add_argument("--spin-us", metavar="N", type=int, help="another spin_us than the default")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    seconds = QUICK_SECONDS if arguments.quick else FULL_SECONDS
    batches = QUICK_BATCHES if arguments.quick else BATCHES
    trees = QUICK_TREES if arguments.quick else TREES
    more = [] if arguments.spin_us is None else ["--spin-us", arguments.spin_us]
    report = front_end.measured(
        arguments, lambda: measure(arguments.binary, batches, trees, seconds, more=more)
    )
    front_end.write_docs("threads", arguments, report, write_all, PAGE)


if __name__ == "__main__":
    sys.exit(front_end.run(main))
