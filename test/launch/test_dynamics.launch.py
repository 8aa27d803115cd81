# SPDX-License-Identifier: Apache-2.0
"""The node as `ros2 launch` starts it, with the test bodies that pytest uses. Needs launch_testing."""

import importlib.util
import pathlib
import runpy
import sys
import tempfile
import unittest

import launch
import launch_testing.actions
import launch_testing.asserts
import pytest
import rclpy
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

TEST = pathlib.Path(__file__).resolve().parent.parent
LAUNCH_FILE = str(TEST.parent / "launch" / "dynamics.launch.py")
sys.path.insert(0, str(TEST))

import bodies  # noqa: E402
import own_domain  # noqa: E402, F401
from dynamics_client import DynamicsClient  # noqa: E402
from node_process import ROBOTS  # noqa: E402


def dynamics(namespace, autostart):
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(LAUNCH_FILE),
        launch_arguments={
            "urdf": str(ROBOTS / "arm7.urdf"),
            "namespace": namespace,
            "backend": "rbd_parallel/cpu",
            "autostart": autostart,
        }.items(),
    )


@pytest.mark.launch_test
def generate_test_description():
    return launch.LaunchDescription(
        [dynamics("launched", "true"), dynamics("manual", "false"), launch_testing.actions.ReadyToTest()]
    )


class TestDynamics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rclpy.init()

    @classmethod
    def tearDownClass(cls):
        rclpy.shutdown()

    def client(self, namespace):
        client = DynamicsClient(namespace)
        self.addCleanup(client.close)
        return client

    def test_autostart_brings_it_to_active(self):
        client = self.client("launched")
        client.wait_for_state("active")
        bodies.every_service_answers(client)

    def test_lifecycle(self):
        bodies.walk_the_lifecycle(self.client("manual"))


class TestFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.read_robot = runpy.run_path(LAUNCH_FILE)["read_robot"]

    def explains(self, name, content, *words):
        """Law: a file that is of no use is named, with the reason."""
        path = self.folder / name
        if content is not None:
            path.write_bytes(content)
        with self.assertRaises(RuntimeError) as raised:
            self.read_robot(str(path))
        for word in (f"urdf:={path}", *words):
            self.assertIn(word, str(raised.exception))

    def test_bad_files_are_explained(self):
        self.explains("missing.urdf", None, "there is no such file", "expected a .urdf or .xacro file")
        self.explains("binary.urdf", b"\xff\xfe", "expected text in UTF-8")

    @unittest.skipUnless(importlib.util.find_spec("xacro"), "the package xacro is not installed")
    def test_xacro(self):
        xacro = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="{}"/></robot>'
        path = self.folder / "robot.xacro"
        path.write_text(xacro.format("link_${1 + 2}"))
        self.assertIn('"link_3"', self.read_robot(str(path)))
        self.explains("broken.xacro", xacro.format("${nothing}").encode(), "xacro cannot expand it", "'nothing'")
        self.explains("text.xacro", b"this is not a robot", "xacro cannot expand it")


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    def test_exit_codes(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
