# SPDX-License-Identifier: Apache-2.0
"""
Starts the dynamics node alongside a robot.

    ros2 launch rbd_parallel_ros dynamics.launch.py                       # robot from the topic robot_description
    ros2 launch rbd_parallel_ros dynamics.launch.py urdf:=robot.urdf      # or from a file, .xacro too
    ros2 launch rbd_parallel_ros dynamics.launch.py effort_mode:=gravity  # efforts for joint_states, on dynamics/effort_commands
    ros2 launch rbd_parallel_ros dynamics.launch.py namespace:=left backend:=rbd_parallel/cpu autostart:=false

With autostart (the default) the node configures and activates itself as soon as it has a robot description; without,
use `ros2 lifecycle set /dynamics configure` and `... activate`.
"""

import pathlib

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode
from launch_ros.parameter_descriptions import ParameterValue

DEFAULT_PARAMETERS = pathlib.Path(get_package_share_directory("rbd_parallel_ros")) / "config" / "dynamics.yaml"


def existing(name, path, expected):
    """The path, which the argument `name` gives, if it is a file."""
    path = pathlib.Path(path).expanduser()
    if not path.is_file():
        raise RuntimeError(f"{name}:={path}: there is no such file; expected {expected}")
    return path


def expand_xacro(path):
    """URDF text of a xacro file; xacro is needed for these only."""
    try:
        import xacro
    except ImportError as error:
        raise RuntimeError(f"urdf:={path} needs the package xacro, which is not installed") from error
    try:
        return xacro.process_file(str(path)).toxml()
    except Exception as error:  # of many kinds, and few of them name the file
        raise RuntimeError(f"urdf:={path}: xacro cannot expand it: {error}") from error


def read_robot(path):
    """URDF text of a .urdf or .xacro file."""
    path = existing("urdf", path, "a .urdf or .xacro file")
    if path.suffix == ".xacro":
        return expand_xacro(path)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RuntimeError(f"urdf:={path}: expected text in UTF-8: {error}") from error


def start_node(context):
    """The node with the values of the arguments, which are known only now."""
    argument = {
        name: LaunchConfiguration(name).perform(context)
        for name in ("urdf", "params_file", "namespace", "backend", "effort_mode", "autostart")
    }
    # launch itself would only warn of a missing file, and start the node without it.
    params_file = existing("params_file", argument["params_file"], "a YAML file with parameters of the node")
    parameters = [str(params_file), {"autostart": argument["autostart"].lower() == "true"}]
    if argument["backend"]:
        parameters.append({"backend": argument["backend"]})
    if argument["effort_mode"]:
        parameters.append({"effort_mode": ParameterValue(argument["effort_mode"], value_type=str)})  # YAML has a bool off
    if argument["urdf"]:
        # As a string, since launch would take the text for YAML.
        parameters.append({"robot_description": ParameterValue(read_robot(argument["urdf"]), value_type=str)})
    return [
        LifecycleNode(
            package="rbd_parallel_ros",
            executable="dynamics_node",
            name="dynamics",
            namespace=argument["namespace"],
            parameters=parameters,
            output="both",
        )
    ]


def generate_launch_description():
    """Arguments, then the node."""
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "urdf", default_value="", description="URDF or xacro file; empty: from the topic robot_description"
            ),
            DeclareLaunchArgument(
                "params_file", default_value=str(DEFAULT_PARAMETERS), description="parameters of the node"
            ),
            DeclareLaunchArgument("namespace", default_value="", description="namespace of the node"),
            DeclareLaunchArgument("backend", default_value="", description="plugin; empty: as in params_file"),
            DeclareLaunchArgument(
                "effort_mode", default_value="", description="off, gravity, bias or inverse_dynamics; empty: as in params_file"
            ),
            DeclareLaunchArgument(
                "autostart",
                default_value="true",
                choices=["true", "false", "True", "False"],
                description="configure and activate the node at start",
            ),
            OpaqueFunction(function=start_node),
        ]
    )
