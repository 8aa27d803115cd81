#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Serves the dynamics of a robot until Ctrl-C, and prints lines to try it with."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

from ament_index_python.packages import get_package_prefix

LINES = """
Try it from another terminal. With a ROS 2 installation:

    ros2 lifecycle get /dynamics
    ros2 service call /dynamics/get_model_info rbd_parallel_msgs/srv/GetModelInfo
    ros2 service call /dynamics/bias_forces rbd_parallel_msgs/srv/BiasForces "{{position: {zeros}, terms: 1}}"
    ros2 service call /dynamics/mass_matrix rbd_parallel_msgs/srv/MassMatrix "{{position: {zeros}}}"

Ctrl-C ends it.
"""


def coordinates(urdf):
    """How many positions a request has: of joints that move and follow no other."""
    size = {"revolute": 1, "continuous": 1, "prismatic": 1, "planar": 3, "floating": 7}
    joints = xml.parse(urdf).getroot().findall("joint")
    return sum(size.get(joint.get("type"), 0) for joint in joints if joint.find("mimic") is None)


def parameters_file(folder, urdf, extra):
    path = folder / "parameters.yaml"
    lines = ["/**:", "  ros__parameters:", "    autostart: true", "    max_batch: 10000"]
    lines += [f"    {pair.replace(':=', ': ', 1)}" for pair in extra]
    # JSON is YAML: no line of the text can be taken for anything else.
    lines.append(f"    robot_description: {json.dumps(urdf.read_text(encoding='utf-8'))}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def fault_of(urdf, extra):
    """What is wrong with the arguments, if anything is."""
    for pair in extra:
        if ":=" not in pair:
            return f"{pair!r} is no parameter, expected PARAMETER:=VALUE"
    try:
        urdf.read_text(encoding="utf-8")
        coordinates(urdf)
    except (OSError, UnicodeDecodeError, xml.ParseError) as error:
        return f"{urdf} cannot be read as a URDF: {error}"
    return ""


def main():
    if len(sys.argv) < 2:
        print("usage: run.py ROBOT.urdf [PARAMETER:=VALUE ...]", file=sys.stderr)
        return 2
    urdf, extra = pathlib.Path(sys.argv[1]), sys.argv[2:]
    if fault := fault_of(urdf, extra):
        print(fault, file=sys.stderr)
        return 2
    program = pathlib.Path(get_package_prefix("rbd_parallel_ros")) / "lib" / "rbd_parallel_ros" / "dynamics_node"
    with tempfile.TemporaryDirectory() as folder:
        path = parameters_file(pathlib.Path(folder), urdf, extra)
        print(LINES.format(zeros="[" + ", ".join(["0"] * coordinates(urdf)) + "]"), flush=True)
        node = subprocess.Popen([str(program), "--ros-args", "--params-file", str(path)], env=os.environ)
        # The node gets Ctrl-C from the terminal itself; a SIGTERM comes to this process only.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda *_: node.terminate())
        return node.wait()


if __name__ == "__main__":
    sys.exit(main())
