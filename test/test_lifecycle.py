# SPDX-License-Identifier: Apache-2.0
"""The states of the node, and how it starts and ends."""

import signal

import bodies
import pytest
from node_process import NodeProcess, urdf
from rbd_parallel_msgs.srv import GetModelInfo, InverseDynamics


def test_walk(serve):
    bodies.walk_the_lifecycle(serve(robot_description=urdf("arm7")).client)


def test_shutdown_ends_the_service_not_the_process(serve):
    serving = serve(robot_description=urdf("arm7"))
    serving.client.activate()
    assert serving.client.shut_down()
    assert serving.client.state() == "finalized"
    bodies.only_errors_while_inactive(serving.client)
    assert serving.node.alive()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_cleanly(serve, how):
    serving = serve(robot_description=urdf("arm7"), autostart=True)
    serving.client.wait_for_state("active")
    assert serving.node.stop(how) == 0, serving.node.log


def test_autostart(serve):
    serving = serve(robot_description=urdf("arm7"), autostart=True)
    serving.client.wait_for_state("active")
    bodies.every_service_answers(serving.client)


def test_autostart_waits_for_the_topic(serve):
    serving = serve(autostart=True)
    serving.node.wait_for_log("autostart waits")
    assert serving.client.state() == "unconfigured"
    publish = serving.client.description_publisher()
    publish("this is not a robot")
    serving.node.wait_for_log("configure failed")
    publish(urdf("arm7"))
    serving.client.wait_for_state("active")


def test_autostart_is_over_once_configured(serve):
    serving = serve(autostart=True, robot_description=urdf("arm7"))
    serving.client.wait_for_state("active")
    assert serving.client.transition("deactivate")
    assert serving.client.transition("cleanup")
    serving.client.description_publisher()(urdf("pendulum2"))
    serving.node.wait_for_log("came by topic")
    assert serving.client.state() == "unconfigured"


def test_autostart_by_topic_is_over_once_configured(serve):
    serving = serve(autostart=True)
    publish = serving.client.description_publisher()
    publish(urdf("arm7"))
    serving.client.wait_for_state("active")
    assert serving.client.transition("deactivate")
    assert serving.client.transition("cleanup")
    publish(urdf("pendulum2"))
    serving.node.wait_for_log(f"({len(urdf('pendulum2'))} bytes); the next configure uses it")
    assert serving.client.state() == "unconfigured"


def test_bad_start_parameter_is_explained(tmp_path):
    node = NodeProcess(tmp_path, {"max_batch": -5})
    assert node.process.wait(20) == 1
    assert "max_batch" in node.log


def test_kill_and_restart(serve):
    """Law: a client survives the death of the node and is served by the next one."""
    first = serve(robot_description=urdf("arm7"), autostart=True, namespace="phoenix")
    first.client.wait_for_state("active")
    first.node.stop(signal.SIGKILL)
    first.close = first.client.close
    second = serve(robot_description=urdf("arm7"), autostart=True, namespace="phoenix")
    second.client.wait_for_state("active")
    for client in (first.client, second.client):
        assert client.call_again(InverseDynamics, position=[0.0] * 7).error_code == 0


def test_two_nodes_in_two_namespaces(serve):
    left = serve(namespace="left", robot_description=urdf("arm7"))
    right = serve(namespace="right", robot_description=urdf("pendulum2"))
    for serving in (left, right):
        serving.client.activate()
    assert left.client.good(GetModelInfo).model_info.name == "arm7"
    assert right.client.good(GetModelInfo).model_info.name == "pendulum2"
    left.client.good(InverseDynamics, position=[0.0] * 7)
    right.client.good(InverseDynamics, position=[0.0] * 2)


def test_many_rounds_keep_memory_flat(serve):
    """Law: configure ... cleanup gives back what it took: 200 rounds hold as much memory as 20 do."""
    serving = serve(robot_description=urdf("arm7"))
    client = serving.client

    def rounds(count):
        for _ in range(count):
            for transition in ("configure", "activate", "deactivate", "cleanup"):
                assert client.transition(transition)
        return serving.node.resident_bytes()

    early = rounds(20)
    late = rounds(180)
    assert late - early < 2 << 20, f"{early} bytes after 20 rounds, {late} after 200"
