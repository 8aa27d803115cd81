# SPDX-License-Identifier: Apache-2.0
"""Payloads: in the services, in the stream, in what the node says of itself."""

import pytest
from geometry_msgs.msg import Inertia, Vector3
from node_process import urdf
from rbd_parallel_msgs.msg import ModelInfo
from rbd_parallel_msgs.srv import BiasForces, GetModelInfo, SetPayload
from rclpy.qos import DurabilityPolicy, QoSProfile
from reference import rbd, same
from robot_side import RobotSide

POSITION = [0.3, -0.7, 0.2, 1.1, -0.4, 0.9, 0.1]
TOOL = Inertia(m=2.5, com=Vector3(x=0.02, y=-0.01, z=0.1), ixx=0.02, iyy=0.03, izz=0.015, ixy=0.001)


@pytest.fixture
def arm_with_stream(serve):
    serving = serve(robot_description=urdf("arm7"), effort_mode="gravity", input_timeout=0.5)
    serving.client.activate()
    robot = RobotSide(serving.client)
    robot.connect()
    return robot


def last_link(client):
    return client.good(GetModelInfo).model_info.link_names[-1]


def gravity(client):
    return list(client.good(BiasForces, position=POSITION, terms=BiasForces.Request.TERMS_GRAVITY).effort)


def test_payload_counts_everywhere(arm_with_stream):
    robot, client = arm_with_stream, arm_with_stream.client
    infos = []
    client.node.create_subscription(ModelInfo, "dynamics/model_info", infos.append,
                                    QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL))
    robot.wait_until(lambda: infos, "the latched model_info")
    assert infos[-1].effort_mode == "gravity" and list(infos[-1].payload_links) == []
    empty = gravity(client)
    _, came = robot.effort_of(position=POSITION)
    same(came.effort, empty)
    link = last_link(client)

    client.good(SetPayload, action=SetPayload.Request.ATTACH, link=link, inertia=TOOL)
    loaded = gravity(client)
    assert max(abs(a - b) for a, b in zip(loaded, empty)) > 1
    _, came = robot.effort_of(position=POSITION)
    same(came.effort, loaded)
    robot.wait_until(lambda: list(infos[-1].payload_links) == [link], "model_info with the payload")
    assert infos[-1].payload_inertias[0] == TOOL
    assert infos[-1].total_mass == pytest.approx(infos[0].total_mass + 2.5)
    robot.wait_until(lambda: robot.value("model", "payload mass (kg)") == "2.5", "the payload in diagnostics")

    client.good(SetPayload, action=SetPayload.Request.REMOVE, link=link)
    assert gravity(client) == empty
    _, came = robot.effort_of(position=POSITION)
    same(came.effort, empty)


def test_payload_against_a_robot_that_was_written_with_it(arm_with_stream):
    """The oracle: the same URDF with one more link, fixed to the last one."""
    if rbd is None:
        pytest.skip("the core's Python module rbd_parallel is needed for numbers to compare with")
    client = arm_with_stream.client
    link = last_link(client)
    tool = f"""<link name="held_tool"><inertial><origin xyz="0.02 -0.01 0.1"/><mass value="2.5"/>
      <inertia ixx="0.02" iyy="0.03" izz="0.015" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
      <joint name="to_held_tool" type="fixed"><parent link="{link}"/><child link="held_tool"/></joint></robot>"""
    written = rbd.Backend(rbd.load_urdf(urdf("arm7").replace("</robot>", tool)))
    client.good(SetPayload, action=SetPayload.Request.ATTACH, link=link, inertia=TOOL)
    same(gravity(client), written.gravity_forces([POSITION]))


def test_what_cannot_be_is_refused(arm_with_stream):
    client = arm_with_stream.client
    link, empty = last_link(client), gravity(client)
    refused, response = client.refused, SetPayload.Response
    refused(SetPayload, response.UNKNOWN_LINK, "'nobody'", link="nobody", inertia=TOOL)
    refused(SetPayload, response.INVALID_ARGUMENT, "mass", link=link, inertia=Inertia(m=-1.0))
    refused(SetPayload, response.INVALID_ARGUMENT, link=link, inertia=Inertia(m=float("nan")))
    refused(SetPayload, response.INVALID_ARGUMENT, "triangle", link=link, inertia=Inertia(m=1.0, ixx=1.0))
    refused(SetPayload, response.INVALID_ARGUMENT, "action", action=9, link=link, inertia=TOOL)
    refused(SetPayload, response.INVALID_ARGUMENT, "no payload", action=SetPayload.Request.REMOVE, link=link)
    assert gravity(client) == empty


def test_heavier_than_the_robot_is_told_and_done(arm_with_stream):
    """Law: a slip of units does not pass without a word; what is asked for is done, since a crane lifts more than it weighs."""
    client = arm_with_stream.client
    link = last_link(client)
    assert client.good(SetPayload, link=link, inertia=TOOL).warning == ""
    answer = client.good(SetPayload, link=link, inertia=Inertia(m=1e12))
    assert f"'{link}' has 1e+12 kg, more than the whole robot, which has 33.17 kg" in answer.warning
    assert client.good(GetModelInfo).model_info.total_mass > 1e12
    assert client.good(SetPayload, action=SetPayload.Request.REMOVE, link=link).warning == ""


def test_while_inactive(serve):
    serving = serve(robot_description=urdf("arm7"), effort_mode="gravity", input_timeout=0.5)
    client = serving.client
    infos = []
    client.node.create_subscription(ModelInfo, "dynamics/model_info", infos.append,
                                    QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL))
    assert client.transition("configure")
    robot = RobotSide(client)
    robot.wait_until(lambda: infos, "model_info as soon as there is a model")
    link = last_link(client)
    client.good(SetPayload, link=link, inertia=TOOL)
    robot.wait_until(lambda: list(infos[-1].payload_links) == [link], "model_info with the payload")
    robot.wait_until(lambda: robot.value("model", "payload mass (kg)") == "2.5", "the payload in diagnostics")
    assert client.transition("activate")
    robot.connect()
    _, came = robot.effort_of(position=POSITION)
    same(came.effort, gravity(client))


def test_before_configure(serve):
    serving = serve(robot_description=urdf("arm7"))
    serving.client.refused(SetPayload, SetPayload.Response.NOT_ACTIVE, "configure", link="tip", inertia=TOOL)


def test_no_gap_in_the_stream_while_payloads_change(arm_with_stream):
    robot, client = arm_with_stream, arm_with_stream.client
    link = last_link(client)
    robot.effort_of(position=POSITION)
    rounds, states = 20, 10
    for _ in range(rounds):
        pending = client.client(SetPayload).call_async(SetPayload.Request(link=link, inertia=TOOL))
        for _ in range(states):
            robot.send(position=POSITION)
            robot.spin(0.001)
        client.executor.spin_until_future_complete(pending, 30)
        assert pending.result().error_code == 0
    robot.wait_until(lambda: robot.value("effort stream", "received") == robot.value("effort stream", "computed")
                     and int(robot.value("effort stream", "computed") or 0) > rounds * states / 2,
                     "every state that came was computed")
