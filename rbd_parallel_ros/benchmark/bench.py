#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call of the dynamics node costs beyond the trip there and back.

Starts the node with the 7-axis arm and an echo server with the same services, each in a process of its own, and lets one
client call both in turn. Prints a table, and writes ros.json and ros.md."""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
os.environ.setdefault("ROS_DOMAIN_ID", str(1 + os.getpid() % 100))  # apart from other robots on this machine

from ament_index_python.packages import get_package_prefix  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "rbd_parallel_core" / "benchmark"))
from machine import cpu_model  # noqa: E402

ROBOT = ROOT / "config" / "robots" / "arm7.urdf"
SERVICES = ["inverse_dynamics", "mass_matrix", "bias_forces", "forward_dynamics"]
BATCH = 1000
LIMIT = {1: 1.2, BATCH: 1.5}  # the ratio that is promised
STOP_TIMEOUT = 20  # s


class BenchError(Exception):
    """Something the user can act on."""


def program(name):
    path = pathlib.Path(get_package_prefix("rbd_parallel_ros")) / "lib" / "rbd_parallel_ros" / name
    if not path.exists():
        raise BenchError(f"{path} does not exist; build rbd_parallel_ros with -DRBD_BUILD_BENCHMARK=ON")
    return str(path)


def parameters_file(folder, **parameters):
    """The node configures and activates itself."""
    lines = "".join(f"    {name}: {value}\n" for name, value in parameters.items())
    text = "\n".join("      " + line for line in ROBOT.read_text(encoding="utf-8").splitlines())
    path = folder / "parameters.yaml"
    path.write_text(
        f"/**:\n  ros__parameters:\n    autostart: true\n{lines}    robot_description: |\n{text}\n", encoding="utf-8"
    )
    return str(path)


class Server:
    """A process that serves until the end of the block; its log is shown where something went wrong."""

    def __init__(self, folder, name, *arguments):
        self.name, self.log = name, folder / f"{name}.log"
        self.command = [program(name), *arguments]

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=subprocess.STDOUT)
        return self

    def __exit__(self, kind, *_):
        self.process.terminate()
        try:
            code = self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        if kind or code != 0:
            print(f"bench: {self.name} ended with {code}:\n{self.log.read_text(errors='replace')}", file=sys.stderr)


def measure(rounds, backend, services):
    """What service_bench measured; its progress goes to stderr."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        result = folder / "result.json"
        parameters = parameters_file(folder, backend=backend, max_batch=BATCH)
        node = Server(folder, "dynamics_node", "--ros-args", "--params-file", parameters)
        with node, Server(folder, "echo_server"):
            command = [program("service_bench"), str(rounds), str(BATCH), str(result), *services]
            done = subprocess.run(command, check=False)
            if done.returncode != 0:
                raise BenchError(f"service_bench ended with {done.returncode}")
        return json.loads(result.read_text(encoding="utf-8"))


def spread(timing):
    return f"{timing['lower_quartile_us']:.0f} .. {timing['upper_quartile_us']:.0f}, {timing['percentile_99_us']:.0f}"


HEADER = ("service", "states", "echo us", "25 .. 75, 99 %", "node us", "25 .. 75, 99 %", "ratio", "limit", "")


def cells(case):
    limit = LIMIT[case["states"]]
    node, echo = case["node"], case["echo"]
    return (
        case["service"], str(case["states"]), f"{echo['median_us']:.0f}", spread(echo), f"{node['median_us']:.0f}",
        spread(node), f"{case['ratio']:.2f}x", f"{limit}x", "ok" if case["ratio"] <= limit else "over",
    )  # fmt: skip


def to_markdown(report):
    """A table whose columns are as readable on a terminal."""
    rows = [HEADER, *map(cells, report["cases"])]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
    lines = ["| " + " | ".join(text.rjust(width) for text, width in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|")
    title = (
        f"{report['cpu']}, {report['date']}. {ROBOT.name}, backend `{report['backend']}`; round trips seen by a C++ client, "
        f"medians of {report['rounds']} calls of each, interleaved."
    )
    return "\n".join([title, "", *lines]) + "\n"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2000, help="calls of each kind (default 2000)")
    parser.add_argument("--backend", default="rbd_parallel/reference", help="plugin that computes")
    parser.add_argument("--service", action="append", choices=SERVICES, help="measure this one only; may be repeated")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build" / "bench", help="folder for ros.json, ros.md")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        report = measure(arguments.rounds, arguments.backend, arguments.service or SERVICES)
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    report = {"cpu": cpu_model(), "date": today, "backend": arguments.backend, **report}
    text = to_markdown(report)
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "ros.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    (arguments.output / "ros.md").write_text(text, encoding="utf-8")
    print(f"\n{text}\nwritten: {arguments.output}/ros.json, ros.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
