#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what the backends cost on this machine, and writes the table by which `auto` chooses.

One half of the cases is fitted; the other half judges the choices that follow from it.
"""

import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import fit
import front_end
import machine

BINARY = front_end.BUILD / "calibrate/rbd_calibrate"
BUILD = front_end.ROOT / "build"


def run(binary, *words, **environment):
    """What the program prints, a dict for each line."""
    done = subprocess.run(
        [str(binary), *words], env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        raise front_end.BenchError(f"{binary} {' '.join(words)} failed with exit code {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def remarks(busy_cores):
    """What a reader of the table must know."""
    now = front_end.conditions()
    return [
        "What the backends cost, measured by ./dev bench --calibrate: docs/backends.md says what the columns mean.",
        f"{now['cpu']}, {now['cores']} cores{', virtual' if machine.is_virtual() else ''}, {now['date']}; "
        f"other programs used {busy_cores:.1f} cores meanwhile.",
    ]


def parse_arguments():
    parser = front_end.parser("--calibrate", __doc__, BINARY)
    parser.add_argument("--output", metavar="FILE", type=pathlib.Path, default=BUILD / "costs.txt",
                        help="the table, default: build/costs.txt")  # fmt: skip
    parser.add_argument("--seconds", type=float, default=0.02, help="for each case and backend, default 0.02")
    parser.add_argument("--times", metavar="FILE", type=pathlib.Path, default=BUILD / "calibrate/times.json",
                        help="where the measured times go, default: build/calibrate/times.json")  # fmt: skip
    parser.add_argument("--from", metavar="FILE", nargs="+", type=pathlib.Path, dest="sources",
                        help="fit the least of these times, without measuring")  # fmt: skip
    return parser.parse_args()


def measured(arguments):
    """{"times": ..., "busy_cores": ...}, kept in a file."""
    if arguments.sources:
        runs = [json.loads(source.read_text(encoding="utf-8")) for source in arguments.sources]
        busy = min(run["busy_cores"] for run in runs)
        return {"busy_cores": busy, "times": fit.merged(run["times"] for run in runs)}
    others = machine.OtherPrograms()
    times = run(arguments.binary, "measure", f"{arguments.seconds:g}")
    result = {"busy_cores": others.busy_cores(), "times": times}
    arguments.times.parent.mkdir(parents=True, exist_ok=True)
    arguments.times.write_text(json.dumps(result), encoding="utf-8")
    return result


def main():
    arguments = parse_arguments()
    result = measured(arguments)
    to_fit, to_judge = fit.halves(result["times"])
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(fit.to_table(fit.fit(to_fit), remarks(result["busy_cores"])), encoding="utf-8")
    choices = run(arguments.binary, "choose", RBD_PARALLEL_COSTS=str(arguments.output.resolve()))
    print(fit.report(fit.judge(to_judge, choices)))
    print(f"written to {arguments.output}; RBD_PARALLEL_COSTS={arguments.output} has it used", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(front_end.run(main))
