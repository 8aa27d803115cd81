# SPDX-License-Identifier: Apache-2.0
"""Where the robot comes from: parameter, latched topic, early, late, bad."""

import time

import pytest
from node_process import urdf
from rbd_parallel_msgs.srv import GetModelInfo
from robot_side import RobotSide


def robot_of(client):
    return client.good(GetModelInfo).model_info.name


def test_without_a_description_configure_fails(serve):
    serving = serve()
    assert not serving.client.transition("configure")
    assert serving.client.state() == "unconfigured"
    assert "there is no robot description" in serving.node.log


def test_early_topic(serve):
    """Published before the node exists: transient local brings it."""
    from dynamics_client import DynamicsClient

    early = DynamicsClient("early")
    early.description_publisher()(urdf("pendulum2"))
    serving = serve(namespace="early")
    serving.node.wait_for_log("came by topic")
    serving.client.activate()
    assert robot_of(serving.client) == "pendulum2"
    early.close()


def test_late_topic(serve):
    serving = serve()
    assert not serving.client.transition("configure")
    publish = serving.client.description_publisher()
    publish(urdf("pendulum2"))
    serving.node.wait_for_log("came by topic")
    serving.client.activate()
    assert robot_of(serving.client) == "pendulum2"


def test_parameter_wins_over_topic(serve):
    serving = serve(robot_description=urdf("arm7"))
    serving.client.description_publisher()(urdf("pendulum2"))
    serving.node.wait_for_log("the parameter is set")
    serving.client.activate()
    assert robot_of(serving.client) == "arm7"


def test_new_description_waits_for_the_next_configure(serve):
    serving = serve()
    publish = serving.client.description_publisher()
    publish(urdf("pendulum2"))
    serving.node.wait_for_log("came by topic")
    serving.client.activate()
    publish(urdf("arm7"))
    serving.node.wait_for_log("came while active")
    assert "[WARN]" in serving.node.log
    robot = RobotSide(serving.client)
    robot.wait_until(lambda: "not in use" in robot.told(), "a word in diagnostics")
    assert robot_of(serving.client) == "pendulum2"
    assert serving.client.transition("deactivate")
    assert robot_of(serving.client) == "pendulum2"
    assert serving.client.transition("cleanup")
    serving.client.activate()
    assert robot_of(serving.client) == "arm7"


BAD = {
    "not_xml": ("hello", []),
    "cut_off": (urdf("arm7")[:2000], []),
    "html": ("<html><body/></html>", ["robot"]),
    "two_faults": (
        '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="x1"/></inertial></link>'
        '<joint name="j" type="revolving"><parent link="a"/><child link="b"/></joint></robot>',
        ["x1", "revolving"],
    ),
}


@pytest.mark.parametrize("bad", BAD)
def test_bad_description_fails_configure_and_nothing_else(serve, bad):
    text, words = BAD[bad]
    serving = serve(robot_description=text)
    assert not serving.client.transition("configure")
    assert serving.client.state() == "unconfigured"
    assert "configure failed" in serving.node.log
    for word in words:
        assert word in serving.node.log
    assert serving.client.set(robot_description=urdf("arm7"))[0].successful
    serving.client.activate()
    assert robot_of(serving.client) == "arm7"


def test_huge_description(serve):
    """50 MB of URDF by topic: answered, whatever comes of it."""
    chunk = '<link name="l{}"><!--' + "x" * 1000 + "--></link>"
    text = '<robot name="big">' + "".join(chunk.format(i) for i in range(50000)) + "</robot>"
    assert len(text) > 50e6
    serving = serve()
    publish = serving.client.description_publisher()
    publish(text)
    serving.node.wait_for_log("came by topic", timeout=60)
    assert not serving.client.transition("configure")
    assert "configure failed" in serving.node.log
    publish(urdf("arm7"))
    serving.node.wait_for_log(f"({len(urdf('arm7'))} bytes)")
    serving.client.activate()


def test_a_flood_of_descriptions_is_logged_now_and_then(serve):
    """Law: at 90 Hz the log gets a few lines at once, then one a second, which says how many there were."""
    serving = serve(robot_description=urdf("arm7"))
    serving.client.activate()
    publish = serving.client.description_publisher()
    publish("0")
    serving.node.wait_for_log("the parameter is set")
    start = time.monotonic()
    for i in range(1, 180):
        publish(str(i))
        time.sleep(1 / 90)
    time.sleep(1.1)
    publish("the last")
    serving.node.wait_for_log("(and so did ")
    lines = serving.node.log.count("the parameter is set")
    assert lines <= 6 + (time.monotonic() - start), serving.node.log
