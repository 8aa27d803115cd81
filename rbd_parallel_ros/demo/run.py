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
Try it from another terminal. Paste this as it is:

{client}
With a ROS 2 installation that has these packages:

    ros2 lifecycle get /dynamics
    ros2 service call /dynamics/get_model_info rbd_parallel_msgs/srv/GetModelInfo
    ros2 service call /dynamics/bias_forces rbd_parallel_msgs/srv/BiasForces "{{{state}, terms: 1}}"
    ros2 service call /dynamics/mass_matrix rbd_parallel_msgs/srv/MassMatrix "{{{state}}}"

Ctrl-C ends it.
"""

CLIENT = """
{dev} exec python - <<'END'
import rclpy
from geometry_msgs.msg import Pose
from rbd_parallel_msgs.srv import BiasForces, GetModelInfo

rclpy.init()
node = rclpy.create_node("client")

def call(service, name, **fields):
    client = node.create_client(service, "/dynamics/" + name)
    client.wait_for_service()
    future = client.call_async(service.Request(**fields))
    rclpy.spin_until_future_complete(node, future)
    return future.result()

info = call(GetModelInfo, "get_model_info").model_info
position = []
for kind, size in zip(info.joint_types, info.joint_nq):  # a quaternion is x y z w
    position += [0.0] * (size - 1) + [float(kind in ("floating", "spherical"))]
answer = call(BiasForces, "bias_forces", position=position, base_pose=[Pose()] * info.floating_base,
              terms=BiasForces.Request.TERMS_GRAVITY)
print(answer.error_msg or dict(zip(answer.joint_names, answer.effort)))
rclpy.shutdown()
END
"""

DEV = pathlib.Path(__file__).resolve().parents[2] / "dev"


def coordinates(urdf):
    """How many positions a request has: of joints that move and follow no other."""
    size = {"revolute": 1, "continuous": 1, "prismatic": 1, "planar": 3, "floating": 7}
    joints = xml.parse(urdf).getroot().findall("joint")
    return sum(size.get(joint.get("type"), 0) for joint in joints if joint.find("mimic") is None)


def parameters_file(folder, urdf, given):
    """The file for the node. Every parameter stands in it once: of two values of different types rcl takes one in silence."""
    path = folder / "parameters.yaml"
    values = {"autostart": "true", "max_batch": "10000", **given}
    lines = ["/**:", "  ros__parameters:", *(f"    {json.dumps(name)}: {value}" for name, value in values.items())]
    # JSON is YAML: no line of the text can be taken for anything else.
    lines.append(f"    robot_description: {json.dumps(urdf.read_text(encoding='utf-8'))}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def parameters_of(arguments):
    """PARAMETER:=VALUE... as a dictionary of texts, as YAML reads them."""
    given = {}
    for pair in arguments:
        name, separator, value = pair.partition(":=")
        if not separator or not name or "\n" in pair:
            raise ValueError(f"{pair!r} is no parameter, expected PARAMETER:=VALUE")
        if name in given:
            raise ValueError(f"{name} is given twice: {given[name]!r} and {value!r}; give it once")
        if name == "robot_description":
            raise ValueError("robot_description is the robot's; name its file as the first argument")
        if not value.strip():
            raise ValueError(f'{name} has no value; an empty text is {name}:=\'""\'')
        given[name] = value
    return given


def check_robot(urdf):
    try:
        urdf.read_text(encoding="utf-8")
        coordinates(urdf)
    except (OSError, UnicodeDecodeError, xml.ParseError) as error:
        raise ValueError(f"{urdf} cannot be read as a URDF: {error}") from error


def lines_to_try(urdf, given):
    """A client to paste, and lines for ros2, at the position zero."""
    state = "position: [" + ", ".join(["0"] * coordinates(urdf)) + "]"
    if given.get("base") == "floating":
        state += ", base_pose: [{orientation: {w: 1}}]"
    return LINES.format(client=CLIENT.format(dev=DEV), state=state)


def main():
    if len(sys.argv) < 2:
        print("usage: run.py ROBOT.urdf [PARAMETER:=VALUE ...]", file=sys.stderr)
        return 2
    urdf = pathlib.Path(sys.argv[1])
    try:
        given = parameters_of(sys.argv[2:])
        check_robot(urdf)
    except ValueError as fault:
        print(fault, file=sys.stderr)
        return 2
    program = pathlib.Path(get_package_prefix("rbd_parallel_ros")) / "lib" / "rbd_parallel_ros" / "dynamics_node"
    with tempfile.TemporaryDirectory() as folder:
        path = parameters_file(pathlib.Path(folder), urdf, given)
        print(lines_to_try(urdf, given), flush=True)
        node = subprocess.Popen([str(program), "--ros-args", "--params-file", str(path)], env=os.environ)
        # The node gets Ctrl-C from the terminal itself; a SIGTERM comes to this process only.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda *_: node.terminate())
        return node.wait()


if __name__ == "__main__":
    sys.exit(main())
