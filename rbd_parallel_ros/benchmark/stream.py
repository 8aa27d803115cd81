#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The effort stream at 1 kHz: what is lost, and how long an effort takes.

Starts the node with the 7-axis arm and effort_mode gravity, and a client that sends joint states and takes efforts, each
in a process of its own. Prints counts and latencies, and writes stream.json and stream.md. Fails where a joint state that
the node received did not yield exactly one effort; what DDS loses is counted."""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from bench import ROBOT, ROOT, BenchError, Server, parameters_file, program
from machine import cpu_model  # which bench finds

AIM = 200  # us, of the 99th percentile inside the node, on a quiet machine
BAR = 40


def summary_of(log):
    """What the node said about its stream when it ended."""
    counts = re.search(r"(\d+) joint states received, (\d+) efforts computed, (\d+) published", log)
    latency = re.search(r"latency p50 (\S+) us, p99 (\S+) us, max (\S+) us", log)
    histogram = re.search(r"latency histogram \(below ns: count\): (.*)", log)
    if not (counts and latency and histogram):
        raise BenchError(f"the node did not sum up its stream; its log:\n{log}")
    return {
        **dict(zip(("received", "computed", "published"), map(int, counts.groups()))),
        "latency_us": dict(zip(("p50", "p99", "max"), map(float, latency.groups()))),
        "histogram_ns": {int(end): int(count) for end, count in re.findall(r"(\d+): (\d+)", histogram[1])},
    }


def measure(seconds, backend):
    """What stream_bench counted, with the node's own summary as "node"."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        result = folder / "result.json"
        # A client that is held up for less than a second is no fault of the node.
        parameters = parameters_file(folder, backend=backend, effort_mode="gravity", input_timeout=1.0)
        node = Server(
            folder, "dynamics_node", "--ros-args", "--params-file", parameters, "--log-level", "dynamics:=debug"
        )
        with node:
            done = subprocess.run([program("stream_bench"), str(seconds), str(result)], check=False)
            if done.returncode != 0:
                raise BenchError(f"stream_bench ended with {done.returncode}")
        return {**json.loads(result.read_text(encoding="utf-8")), "node": summary_of(node.log.read_text(errors="replace"))}


def faults_of(report):
    """What must not be, whatever DDS loses."""
    node = report["node"]
    faults = []
    if report["received"] != report["computed"]:
        faults.append(f"{report['received']} joint states were received, but {report['computed']} efforts computed")
    if not node["received"] == node["computed"] == node["published"]:
        faults.append(
            f"from start to end: {node['received']} joint states received, {node['computed']} efforts computed, "
            f"{node['published']} published"
        )
    if report["received"] > report["sent"] or report["efforts"] > report["computed"]:
        faults.append("there is more than there can be")
    return faults


def table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join([row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]) + " |" for row in rows]
    lines.insert(1, "|" + "-" * (widths[0] + 2) + "|" + "|".join("-" * (width + 1) + ":" for width in widths[1:]) + "|")
    return "\n".join(lines)


def counts_table(report):
    sent, computed = report["sent"], report["computed"]
    return table([
        ("of one run", "messages", "lost by DDS"),
        ("joint states sent", str(sent), ""),
        ("received by the node", str(report["received"]), str(sent - report["received"])),
        ("efforts computed and published", str(computed), ""),
        ("`effort` received by the client", str(report["efforts"]), str(computed - report["efforts"])),
        ("`effort_commands` received by the client", str(report["commands"]), str(computed - report["commands"])),
    ])  # fmt: skip


def latency_table(report):
    def row(title, latency):
        return (title, *(f"{latency[key]:.1f}" for key in ("p50", "p99", "max")))

    return table([
        ("us", "p50", "p99", "max"),
        row("inside the node, received to published", report["node"]["latency_us"]),
        row("client, sent to received", report["round_trip_us"]),
    ])  # fmt: skip


def histogram(counts):
    most = max(counts.values())
    ends = range(min(counts).bit_length(), max(counts).bit_length() + 1)
    rows = [(2 ** (bits - 1), counts.get(2 ** (bits - 1), 0)) for bits in ends]
    return "\n".join(
        f"{'below':>9} {end / 1000:9.1f} us {count:8d}  {'#' * -(-BAR * count // most)}".rstrip() for end, count in rows
    )


def to_markdown(report):
    before, after = report["load_average"]
    return "\n\n".join([
        f"{report['cpu']}, {os.cpu_count()} cores, {report['date']}. {ROBOT.name}, backend `{report['backend']}`, "
        f"gravity, 1 kHz for {report['seconds']:g} s; {report['sent_late']} joint states were sent more than 1 ms late. "
        f"Load average before and after: {before:.2f}, {after:.2f}.",
        counts_table(report),
        latency_table(report),
        "Inside the node, from the joint state's callback to the end of publishing (the warm-up included):",
        f"```text\n{histogram(report['node']['histogram_ns'])}\n```",
    ]) + "\n"  # fmt: skip


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long (default 60)")
    parser.add_argument("--backend", default="rbd_parallel/auto", help="plugin that computes")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build" / "bench", help="folder for stream.json, stream.md")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    load = os.getloadavg()[0]
    try:
        report = measure(arguments.seconds, arguments.backend)
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    report |= {"cpu": cpu_model(), "date": today, "backend": arguments.backend, "seconds": arguments.seconds}
    report["load_average"] = [load, os.getloadavg()[0]]
    text = to_markdown(report)
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "stream.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    (arguments.output / "stream.md").write_text(text, encoding="utf-8")
    print(f"{text}\nwritten: {arguments.output}/stream.json, stream.md")
    p99 = report["node"]["latency_us"]["p99"]
    print(f"p99 inside the node: {p99:.1f} us, aim {AIM} us on a quiet machine: {'ok' if p99 < AIM else 'over'}")
    faults = faults_of(report)
    for fault in faults:
        print(f"bench: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
