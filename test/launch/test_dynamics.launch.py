# SPDX-License-Identifier: Apache-2.0
"""The node as `ros2 launch` starts it, with the test bodies that pytest uses. Needs launch_testing."""

import pathlib
import sys
import unittest

import launch
import launch_testing.actions
import launch_testing.asserts
import pytest
import rclpy
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

TEST = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TEST))

import bodies  # noqa: E402
import own_domain  # noqa: E402, F401
from dynamics_client import DynamicsClient  # noqa: E402
from node_process import ROBOTS  # noqa: E402


def dynamics(namespace, autostart):
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(TEST.parent / "launch" / "dynamics.launch.py")),
        launch_arguments={
            "urdf": str(ROBOTS / "arm7.urdf"),
            "namespace": namespace,
            "backend": "rbd_parallel/reference",
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


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    def test_exit_codes(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
