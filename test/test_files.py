# SPDX-License-Identifier: Apache-2.0
"""Files that only a ROS 2 installation runs are checked as far as that goes without one."""

import ast
import pathlib

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAUNCH_FILE = ROOT / "launch" / "dynamics.launch.py"


@pytest.mark.parametrize("path", [LAUNCH_FILE, ROOT / "test" / "launch" / "test_dynamics.launch.py"])
def test_syntax(path):
    compile(path.read_text(), str(path), "exec")


def test_launch_arguments():
    """Law: the launch file declares the arguments that it reads."""
    calls = [node for node in ast.walk(ast.parse(LAUNCH_FILE.read_text())) if isinstance(node, ast.Call)]
    declared = {call.args[0].value for call in calls if getattr(call.func, "id", "") == "DeclareLaunchArgument"}
    assert declared == {"urdf", "params_file", "namespace", "backend", "effort_mode", "autostart"}


def test_parameter_file_has_the_defaults(serve):
    """Law: config/dynamics.yaml shows every parameter, with the value that it has anyway."""
    shown = yaml.safe_load((ROOT / "config" / "dynamics.yaml").read_text())["/**"]["ros__parameters"]
    client = serve().client
    for name, value in shown.items():
        default = client.get(name)
        default = list(default) if hasattr(default, "__len__") and not isinstance(default, str) else default
        assert default == ([] if value == [""] else value), name
    undocumented = {name for name in client.parameter_names() if client.describe(name).description} - set(shown)
    assert {name for name in undocumented if "." not in name} <= {"use_sim_time", "start_type_description_service"}


def test_parameter_file_is_accepted(serve):
    serving = serve(arguments=["--params-file", str(ROOT / "config" / "dynamics.yaml")])
    assert serving.client.get("max_batch") == 10000
