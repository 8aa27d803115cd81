# SPDX-License-Identifier: Apache-2.0
"""Every test talks to the node in its own process over DDS, on this machine only and in a domain of its own."""

import own_domain  # noqa: F401
import pytest
import rclpy
from dynamics_client import DynamicsClient
from node_process import NodeProcess, urdf

collect_ignore = ["launch"]  # for launch_testing


def pytest_collection_modifyitems(items):
    """The soak comes first: it takes longest, and the others run beside it."""
    items.sort(key=lambda item: item.path.name != "test_soak.py")


@pytest.fixture(scope="session", autouse=True)
def ros():
    rclpy.init()
    yield
    rclpy.try_shutdown()


class Serving:
    """Node and client, in one namespace."""

    def __init__(self, folder, parameters, namespace, arguments=()):
        self.node = NodeProcess(folder, parameters, namespace, arguments)
        self.client = DynamicsClient(namespace)

    def close(self):
        self.client.close()
        code = self.node.stop()
        assert code == 0, f"the node ended with {code}; its log:\n{self.node.log}"


_namespaces = 0


def _namespace():
    global _namespaces
    _namespaces += 1
    return f"test_{_namespaces}"


@pytest.fixture
def serve(tmp_path):
    """serve(parameter=value, ...): starts a node, returns it with its client; at the end it must still stop cleanly."""
    started = []

    def start(namespace=None, arguments=(), **parameters):
        parameters = {name.replace("__", "."): value for name, value in parameters.items()}
        started.append(Serving(tmp_path, parameters, namespace or _namespace(), arguments))
        return started[-1]

    yield start
    for serving in started:
        serving.close()


def _robot(tmp_path_factory, name, **parameters):
    folder = tmp_path_factory.mktemp(name)
    serving = Serving(folder, {"robot_description": urdf(name), "max_batch": 2000, **parameters}, _namespace())
    serving.client.activate()
    return serving


@pytest.fixture(scope="session")
def arm(tmp_path_factory, ros):
    """The 7-axis arm, active."""
    serving = _robot(tmp_path_factory, "arm7")
    yield serving
    serving.close()


@pytest.fixture(scope="session")
def quadruped(tmp_path_factory, ros):
    """The quadruped on a floating base, active."""
    serving = _robot(tmp_path_factory, "quadruped", base="floating")
    yield serving
    serving.close()


@pytest.fixture(scope="session")
def gripper(tmp_path_factory, ros):
    """The gripper, whose fingers mimic, active."""
    serving = _robot(tmp_path_factory, "gripper")
    yield serving
    serving.close()
