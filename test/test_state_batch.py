# SPDX-License-Identifier: Apache-2.0
"""~/state_batch in, ~/effort_batch out."""

import math
import time

import numpy as np
import pinocchio_oracle
import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from dynamics_client import TIMEOUT
from node_process import urdf
from rbd_parallel_msgs.msg import EffortBatch, StateBatch
from rbd_parallel_msgs.srv import InverseDynamics
from reference import states
from robot_side import OK, WARN, RobotSide
from std_msgs.msg import Header


class BatchTopics:
    """The topics of one node, from its client's side. Which answer belongs to which batch, frame_id says."""

    def __init__(self, client):
        self.client = client
        self.answers = []
        self.publisher = client.node.create_publisher(StateBatch, "dynamics/state_batch", 10)
        self.subscription = client.node.create_subscription(
            EffortBatch, "dynamics/effort_batch", self.answers.append, 10
        )

    def close(self):
        self.client.node.destroy_publisher(self.publisher)
        self.client.node.destroy_subscription(self.subscription)

    def send(self, name, **fields):
        self.publisher.publish(StateBatch(header=Header(frame_id=name, stamp=Time(sec=7, nanosec=8)), **fields))

    def spin(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.client.executor.spin_once(timeout_sec=0.02)

    def connect(self):
        """Until node and client hear each other; the node must be active."""
        end = time.monotonic() + TIMEOUT
        while not self.answers:
            assert time.monotonic() < end, f"no effort_batch came within {TIMEOUT} s"
            self.send("hello", position=[0.0])
            self.spin(0.2)

    def received(self):
        return [answer.header.frame_id for answer in self.answers if answer.header.frame_id != "hello"]

    def wait_for(self, name):
        """All answers but those to connect, once that to `name` has come."""
        end = time.monotonic() + TIMEOUT
        while name not in self.received():
            assert time.monotonic() < end, f"no answer to {name} within {TIMEOUT} s"
            self.client.executor.spin_once(timeout_sec=0.02)
        return [answer for answer in self.answers if answer.header.frame_id != "hello"]

    def ask(self, name, **fields):
        self.send(name, **fields)
        return self.wait_for(name)[-1]


@pytest.fixture
def topics(arm):
    topics = BatchTopics(arm.client)
    topics.connect()
    yield topics
    topics.close()


def fields_of(message):
    """All fields but the header; NaN equals NaN."""
    names = [name for name in InverseDynamics.Response.get_fields_and_field_types()]
    return {name: repr(getattr(message, name)) for name in names}


def test_against_pinocchio(topics):
    q, v, a = (states(7, 300, seed) for seed in (1, 2, 3))
    names, tau = pinocchio_oracle.inverse_dynamics("arm7", q, v, a)
    numbers = {name: x.ravel().tolist() for name, x in (("position", q), ("velocity", v), ("acceleration", a))}
    answer = topics.ask("batch", joint_names=names, **numbers)
    assert answer.error_code == EffortBatch.OK, answer.error_msg
    assert answer.header.stamp == Time(sec=7, nanosec=8)
    assert answer.batch_size == 300
    np.testing.assert_allclose(np.reshape(answer.effort, (300, 7)), tau, rtol=0, atol=1e-12 * abs(tau).max())


@pytest.mark.parametrize(
    "fields",
    [
        {"position": [0.1] * 21},
        {"position": [0.1] * 7 + [math.nan] * 7},
        {"position": [0.5, 0.6], "joint_names": ["joint_3", "joint_1"], "velocity": [1.0, 2.0]},
        {"position": [0.1] * 6},
        {"position": [0.1], "joint_names": ["elbow"]},
        {"position": [0.1] * 7, "external_wrench_axes": 7},
        {},
    ],
)
def test_answers_are_those_of_the_service(topics, arm, fields):
    """Law: the same states give the same answer by topic and by service, errors too; the header comes back."""
    answer = topics.ask("batch", **fields)
    assert fields_of(answer) == fields_of(arm.client.call(InverseDynamics, **fields))
    assert answer.header == Header(frame_id="batch", stamp=Time(sec=7, nanosec=8))


@pytest.mark.parametrize(
    "fields, reason",
    [
        ({"position": [0.1] * 6}, "1 requests refused, 0 with failed states; the last: position has 6 elements"),
        ({"position": [math.nan] * 7}, "0 requests refused, 1 with failed states; the last: 1 of 1 states failed"),
    ],
)
def test_diagnostics_tell_what_is_wrong_with_a_batch(topics, fields, reason):
    robot = RobotSide(topics.client)
    robot.wait_until(lambda: "services" in robot.diagnostics and robot.diagnostics["services"].level == OK, "quiet")
    messages = []
    robot.node.create_subscription(DiagnosticArray, "/diagnostics", messages.append, 100)
    topics.ask("batch", **fields)
    name = f"{robot.node.get_namespace()}/dynamics: services"
    robot.wait_until(
        lambda: any(reason in status.message for message in messages for status in message.status
                    if status.name == name and status.level == WARN), reason)


def test_each_batch_is_answered_once_and_in_order(topics):
    names = [f"batch {i}" for i in range(50)]
    for i, name in enumerate(names):
        topics.send(name, position=[0.01 * i] * (7 if i % 5 else 6))  # every fifth is refused
        if i % 5 == 4:
            topics.wait_for(name)  # no more ahead than fit into the queue
    topics.spin(0.3)
    answers = topics.wait_for(names[-1])
    assert [answer.header.frame_id for answer in answers] == names
    refused = [answer.error_code == EffortBatch.WRONG_SIZE for answer in answers]
    assert refused == [i % 5 == 0 for i in range(50)]


def test_dropped_while_inactive(serve):
    client = serve(robot_description=urdf("arm7")).client
    client.activate()
    topics = BatchTopics(client)
    topics.connect()
    assert client.transition("deactivate")
    topics.send("early", position=[0.0] * 7)
    topics.spin(0.5)
    assert client.state() == "inactive"
    assert client.transition("activate")
    topics.send("late", position=[0.0] * 7)
    assert [answer.header.frame_id for answer in topics.wait_for("late")] == ["late"]
