#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Serves the dynamics of a robot until Ctrl-C, and prints lines to try it with."""

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
    text = "\n".join("      " + line for line in urdf.read_text(encoding="utf-8").splitlines())
    lines = ["/**:", "  ros__parameters:", "    autostart: true", "    max_batch: 10000"]
    lines += [f"    {pair.replace(':=', ': ', 1)}" for pair in extra]
    path.write_text("\n".join(lines) + f"\n    robot_description: |\n{text}\n", encoding="utf-8")
    return path


def main():
    if len(sys.argv) < 2:
        print("usage: run.py ROBOT.urdf [PARAMETER:=VALUE ...]", file=sys.stderr)
        return 2
    urdf, extra = pathlib.Path(sys.argv[1]), sys.argv[2:]
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
