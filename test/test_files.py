# SPDX-License-Identifier: Apache-2.0
"""Files that only a ROS 2 installation runs are checked as far as that goes without one."""

import ast
import os
import pathlib
import shutil
import subprocess
import sys

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
    assert "there is no parameter" not in serving.node.log


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")


def install_share(package, work):
    """Configures the package that lies there, and installs what is not compiled; what CMake said, and the prefix."""
    prefix = work / "prefix"
    configure = ["cmake", "-S", package, "-B", work / "build", "-G", "Ninja", "-DBUILD_TESTING=OFF",
                 f"-DCMAKE_INSTALL_PREFIX={prefix}", f"-DPython3_EXECUTABLE={sys.executable}"]  # fmt: skip
    if "RBD_WHEELS_PREFIX" in os.environ:  # no ROS 2 installation
        repair = ROOT / "rbd_parallel_ros" / "rclcpp_standin" / "wheels_repair.cmake"
        configure.append(f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={repair}")
    done = subprocess.run(configure, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    subprocess.run(["cmake", "--install", work / "build", "--component", "share"], check=True, capture_output=True)
    return done.stderr, prefix


@pytest.mark.parametrize("layout", ["the folder alone", "the repository"])
def test_package_brings_launch_and_config(tmp_path, layout):
    """Law: the package installs them as files, from a clone of the repository and from a copy of its own folder (cp -rL)."""
    package = tmp_path / "rbd_parallel_ros"
    alone = layout == "the folder alone"
    shutil.copytree(ROOT / "rbd_parallel_ros", package, symlinks=not alone)
    for folder in ("launch", "config"):
        assert (package / folder).is_symlink() != alone
        if not alone:
            shutil.copytree(ROOT / folder, tmp_path / folder)
    said, prefix = install_share(package, tmp_path)
    assert "leads nowhere" not in said
    shutil.rmtree(package)  # nothing that is installed may lead back
    for folder in ("launch", "config"):
        installed = prefix / "share" / "rbd_parallel_ros" / folder
        assert files_below(installed) == files_below(ROOT / folder) != []


def test_package_without_them_says_so(tmp_path):
    shutil.copytree(ROOT / "rbd_parallel_ros", tmp_path / "rbd_parallel_ros", symlinks=True)
    said, prefix = install_share(tmp_path / "rbd_parallel_ros", tmp_path)
    assert "launch leads nowhere" in said and "config leads nowhere" in said and "cp -rL" in said
