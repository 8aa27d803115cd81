#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark on real robots and prints the comparison as a Markdown table.

Needs nothing but the standard library; run it with the Python that has `example-robot-data`
installed, so that the robots are found.
"""

import argparse
import datetime
import importlib.metadata
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

# Name in the table, file among example-robot-data's robots, base, joints that are fixed in place.
ROBOTS = [
    ("UR5", "ur_description/urdf/ur5_robot.urdf", "fixed", ()),
    (
        "Panda",
        "panda_description/urdf/panda.urdf",
        "fixed",
        ("panda_finger_joint1", "panda_finger_joint2"),
    ),
    ("Talos", "talos_data/robots/talos_reduced.urdf", "fixed", ()),
    ("Talos floating", "talos_data/robots/talos_reduced.urdf", "floating", ()),
]
CHAINS = [30]


class BenchError(Exception):
    """Something the user can act on."""


def robots_directory():
    """The folder of example-robot-data's robots in this Python's site-packages."""
    try:
        distribution = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        raise BenchError(
            f"{sys.executable} lacks the robots: pip install example-robot-data"
        ) from None
    relative = "cmeel.prefix/share/example-robot-data/robots"
    return pathlib.Path(distribution.locate_file(relative))


def with_fixed_joints(urdf, joint_names):
    """The URDF text with the named joints fixed, so that every contestant reads the same robot."""
    root = ElementTree.fromstring(urdf)
    missing = set(joint_names) - {joint.get("name") for joint in root.iter("joint")}
    if missing:
        raise BenchError(f"no joint named {', '.join(sorted(missing))}")
    for joint in root.iter("joint"):
        if joint.get("name") in joint_names:
            joint.set("type", "fixed")
            for mimic in joint.findall("mimic"):
                joint.remove(mimic)
    return ElementTree.tostring(root, encoding="unicode")


def prepare_robots(directory):
    """Writes the robots' URDFs to `directory` and returns the binary's arguments for them."""
    source = robots_directory()
    arguments = []
    for name, path, base, fixed_joints in ROBOTS:
        text = (source / path).read_text(encoding="utf-8")
        if fixed_joints:
            text = with_fixed_joints(text, fixed_joints)
        copy = pathlib.Path(directory) / f"{name.replace(' ', '_')}.urdf"
        copy.write_text(text, encoding="utf-8")
        arguments += ["--robot", name, str(copy), base]
    for bodies in CHAINS:
        arguments += ["--chain", str(bodies)]
    return arguments


def cpu_model():
    """The processor's name as the kernel gives it."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown CPU"
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown CPU"


def run_binary(binary, quick):
    """Runs the benchmark; its progress goes to stderr. Returns its report."""
    with tempfile.TemporaryDirectory() as directory:
        result = pathlib.Path(directory) / "result.json"
        command = [binary, *prepare_robots(directory), "--json", str(result)]
        if quick:
            command.append("--quick")
        completed = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        if completed.returncode != 0:
            raise BenchError(f"{binary} failed with exit code {completed.returncode}")
        return json.loads(result.read_text(encoding="utf-8"))


def median_of(case, contestant):
    return next(t["median_ns"] for t in case["timings"] if t["name"] == contestant)


def case_row(case):
    convention = case["best_peer"].removeprefix("Pinocchio").strip() or "-"
    return (
        f"| {case['operation']} | {case['robot']} | {case['nv']} "
        f"| {median_of(case, case['best_peer']):.0f} | {convention} "
        f"| {median_of(case, case['ours']):.0f} | **{case['ratio']:.2f}x** "
        f"| {case['disagreement']:.0e} |"
    )


def operations_of(report):
    return list(dict.fromkeys(case["operation"] for case in report["cases"]))


def summary_line(report, operation):
    ratios = [case["ratio"] for case in report["cases"] if case["operation"] == operation]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"- {operation}: {mean:.2f}x geometric mean, {min(ratios):.2f}x least"


def to_markdown(report):
    lines = [
        f"{report['cpu']}, {report['date']}. One state, one thread, double; median of "
        f"{report['rounds']} interleaved samples over {report['states']} random states; "
        f"{report['peer']} from its wheel in its faster convention, "
        f"rbd_parallel backend `{report['backend']}`.",
        "",
        "| operation | robot | nv | Pinocchio ns | convention | rbd_parallel ns | ratio | disagreement |",
        "|---|---|--:|--:|---|--:|--:|--:|",
    ]
    operations = operations_of(report)
    for operation in operations:
        lines += [case_row(case) for case in report["cases"] if case["operation"] == operation]
    lines += ["", *(summary_line(report, operation) for operation in operations)]
    return "\n".join(lines)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="the built rbd_bench")
    parser.add_argument("--quick", action="store_true", help="fewer samples")
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        report = run_binary(arguments.binary, arguments.quick)
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    report = {"cpu": cpu_model(), "date": today, **report}
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(to_markdown(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
