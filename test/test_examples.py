# SPDX-License-Identifier: Apache-2.0
"""The client that README.md shows, in a process of its own, beside the node."""

import time

import numpy as np
import pytest
from node_process import NodeProcess, urdf
from reference import backend
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

JOINTS = ["joint_3", "joint_1", "joint_2", "joint_7", "joint_5", "joint_6", "joint_4"]  # not in the order of the model
COLUMNS = [int(name[-1]) - 1 for name in JOINTS]
TIMEOUT = 30  # s


class Robot:
    """What a driver does: publishes joint_states, takes effort_commands."""

    def __init__(self, client):
        self.client, self.commands = client, []
        namespace = client.node.get_namespace()
        self.states = client.node.create_publisher(JointState, f"{namespace}/joint_states", 10)
        client.node.create_subscription(
            Float64MultiArray, f"{namespace}/effort_commands", lambda m: self.commands.append(list(m.data)), 10
        )

    def stand_at(self, position, names=JOINTS, until=lambda: False):
        """Publishes until the condition holds."""
        end = time.monotonic() + TIMEOUT
        while not until():
            assert time.monotonic() < end, f"nothing within {TIMEOUT} s"
            self.states.publish(JointState(name=names, position=position))
            self.client.executor.spin_once(timeout_sec=0.01)

    def wait_for_effort(self, position):
        """Until the command for this position comes; those for earlier ones may come before."""
        expected = backend("arm7").gravity_forces(np.array([position])[:, np.argsort(COLUMNS)])[0][COLUMNS]
        self.commands.clear()
        self.stand_at(position, until=lambda: any(np.allclose(c, expected, atol=1e-12) for c in self.commands))


@pytest.fixture
def compensation(serve, tmp_path):
    """(node, robot, example): the node active, the example running."""
    serving = serve(namespace="example", robot_description=urdf("arm7"))
    serving.client.activate()
    example = NodeProcess(tmp_path, namespace="example", program="gravity_compensation")
    yield serving, Robot(serving.client), example
    code = example.stop()
    assert code == 0, f"the example ended with {code}; its log:\n{example.log}"


def test_commands_hold_the_robot(compensation):
    """Law: the command is g(q), in the order of joint_states, for wherever the robot is now."""
    _, robot, _ = compensation
    robot.wait_for_effort([0.1, -0.4, 0.7, 1.0, -1.2, 0.3, 0.5])
    robot.wait_for_effort([0.0] * 7)


def test_refusals_are_logged_and_passed(compensation):
    """Law: no command comes from a refused request, and the next good answer is used."""
    serving, robot, example = compensation
    position = [0.2] * 7
    robot.wait_for_effort(position)
    assert serving.client.transition("deactivate")
    robot.stand_at(position, until=lambda: "the node is inactive; activate it first" in example.log)
    assert serving.client.transition("activate")
    robot.wait_for_effort(position)
    robot.stand_at(position, ["no_such_joint"] * 7, until=lambda: "'no_such_joint' is not known" in example.log)
    robot.wait_for_effort([0.3] * 7)


def test_loop_goes_on_without_the_node(compensation):
    serving, robot, example = compensation
    position = [0.2] * 7
    robot.wait_for_effort(position)
    serving.node.stop()
    robot.stand_at(position, until=lambda: "the dynamics node is not there" in example.log)
    assert example.alive()
