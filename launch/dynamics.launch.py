# SPDX-License-Identifier: Apache-2.0
"""
Starts the dynamics node alongside a robot.

    ros2 launch rbd_parallel_ros dynamics.launch.py                       # robot from the topic robot_description
    ros2 launch rbd_parallel_ros dynamics.launch.py urdf:=robot.urdf      # or from a file, .xacro too
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


def expand_xacro(path):
    """URDF text of a xacro file; xacro is needed for these only."""
    try:
        import xacro
    except ImportError as error:
        raise RuntimeError(f"{path} needs the package xacro, which is not installed") from error
    return xacro.process_file(str(path)).toxml()


def read_robot(path):
    """URDF text of a .urdf or .xacro file."""
    path = pathlib.Path(path).expanduser()
    if not path.is_file():
        raise RuntimeError(f"urdf:={path}: there is no such file; expected a .urdf or .xacro file")
    return expand_xacro(path) if path.suffix == ".xacro" else path.read_text()


def start_node(context):
    """The node with the values of the arguments, which are known only now."""
    argument = {
        name: LaunchConfiguration(name).perform(context)
        for name in ("urdf", "params_file", "namespace", "backend", "autostart")
    }
    parameters = [argument["params_file"], {"autostart": argument["autostart"].lower() in ("true", "1")}]
    if argument["backend"]:
        parameters.append({"backend": argument["backend"]})
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
                "autostart", default_value="true", description="configure and activate the node at start"
            ),
            OpaqueFunction(function=start_node),
        ]
    )
