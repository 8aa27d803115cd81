# SPDX-License-Identifier: Apache-2.0
"""Backends by pluginlib: ours, a third party's, and broken ones."""

import re

import bodies
import numpy as np
import pytest
from node_process import urdf
from rbd_parallel_msgs.srv import BiasForces, GetModelInfo, InverseDynamics
from reference import backend, same, states
from robot_side import RobotSide
from third_party import USERS_PREFIXES, third_party

OURS = {"rbd_parallel/auto": "cpu", "rbd_parallel/compiled": "compiled", "rbd_parallel/cpu": "cpu",
        "rbd_parallel/reference": "reference", "rbd_parallel/tree": "tree"}
AVAILABLE = [f"'{name}'" for name in [*OURS, "rbd_parallel/cuda"]]


@pytest.mark.parametrize("name, computes_with", OURS.items())
def test_ours(serve, name, computes_with):
    serving = serve(robot_description=urdf("arm7"), backend=name)
    serving.client.activate()
    bodies.every_service_answers(serving.client)
    bodies.every_service_answers(serving.client, batch=37)  # a multiple of no SIMD register
    assert f"backend '{name}' computes with '{computes_with}'" in serving.node.log


def test_cuda_falls_back(serve):
    """Law: without a GPU the node serves all the same, and says what is missing."""
    serving = serve(robot_description=urdf("arm7"), backend="rbd_parallel/cuda")
    serving.client.activate()
    name = serving.client.good(GetModelInfo).model_info.backend_name
    if name == "cuda":
        pytest.skip("there is a GPU: nothing falls back")
    assert name == "cpu"
    bodies.every_service_answers(serving.client)
    assert "backend 'rbd_parallel/cuda' computes with 'cpu'" in serving.node.log
    assert re.search(r"\[WARN\].*backend 'rbd_parallel/cuda' fell back to cpu: ", serving.node.log), serving.node.log
    robot = RobotSide(serving.client)
    robot.wait_until(lambda: robot.value("model", "why this backend"), "diagnostics of the model")
    assert re.search("fell back to cpu: (cuda: there is no NVIDIA driver|cuda: the NVIDIA driver finds no device|backend 'cuda' is not there)",
                     robot.value("model", "why this backend"))


def test_threads_change_nothing(serve):
    """Law: the same bits whatever the threads, in a batch that is large enough to be shared out."""
    position = states(7, 5000).ravel().tolist()
    answers = []
    for threads in (1, 2):
        client = serve(robot_description=urdf("arm7"), backend="rbd_parallel/cpu", threads=threads).client
        client.activate()
        answers.append(client.good(InverseDynamics, batch_size=5000, position=position).effort)
    assert answers[0] == answers[1]
    same(answers[0], backend("arm7", max_batch=5000).inverse_dynamics(np.reshape(position, (5000, 7))))


def test_instruction_set_that_the_machine_lacks(serve, monkeypatch):
    """Law: what the core says against the environment is in the log, and another try is free."""
    monkeypatch.setenv("RBD_PARALLEL_ISA", "mmx")
    serving = serve(robot_description=urdf("arm7"), backend="rbd_parallel/cpu")
    assert not serving.client.transition("configure")
    assert "RBD_PARALLEL_ISA is 'mmx', expected one of baseline" in serving.node.log
    assert serving.client.state() == "unconfigured"


@third_party
def test_third_party(serve):
    client = serve(robot_description=urdf("arm7"), backend="third_party/constant").client
    client.activate()
    assert list(client.good(InverseDynamics, position=[0.0] * 7).effort) == [42.0] * 7
    info = client.good(GetModelInfo).model_info
    assert (info.backend, info.backend_name) == ("third_party/constant", "constant")
    client.refused(BiasForces, BiasForces.Response.UNSUPPORTED, "does not offer", position=[0.0] * 7)


@pytest.mark.parametrize(
    "name, reason",
    [
        ("no/such_plugin", "no plugin of this name"),
        ("", "no plugin of this name"),
        pytest.param("third_party/throws", "the licence has run out", marks=third_party),
        pytest.param("third_party/throws_int", "no std::exception", marks=third_party),
        pytest.param("third_party/refuses", "there is no such device", marks=third_party),
        pytest.param("third_party/not_exported", "cannot be loaded", marks=third_party),
    ],
)
def test_broken_plugin_lists_what_is_available(serve, name, reason):
    serving = serve(robot_description=urdf("arm7"), backend=name)
    for _ in range(3):  # again and again, with the library loaded
        assert not serving.client.transition("configure")
    for word in [reason, *AVAILABLE]:
        assert word in serving.node.log
    assert serving.client.set(backend="rbd_parallel/auto")[0].successful
    serving.client.activate()
    bodies.every_service_answers(serving.client)


def test_plugins_of_tests_are_not_shown_to_users(serve, monkeypatch):
    """Law: after ./dev test, the list has only backends that a user can want."""
    monkeypatch.setenv("AMENT_PREFIX_PATH", USERS_PREFIXES)
    serving = serve(robot_description=urdf("arm7"), backend="no/such_plugin")
    assert not serving.client.transition("configure")
    (line,) = {line.split("available: ")[1] for line in serving.node.log.splitlines() if "available: " in line}
    assert set(line.split(", ")) == set(AVAILABLE)


@third_party
def test_backend_that_fails_at_a_call(serve):
    client = serve(robot_description=urdf("arm7"), backend="third_party/fails").client
    client.activate()
    client.refused(InverseDynamics, InverseDynamics.Response.BACKEND_FAILED, "failed", position=[0.0] * 7)


@third_party
def test_change_of_backend(serve):
    """Law: a backend goes before its library does, whatever comes next."""
    client = serve(robot_description=urdf("arm7")).client
    for name in ["third_party/constant", "rbd_parallel/cpu", "rbd_parallel/reference"] * 3:
        assert client.set(backend=name)[0].successful
        client.activate()
        assert client.good(GetModelInfo).model_info.backend == name
        assert client.transition("deactivate")
        assert client.transition("cleanup")
