# SPDX-License-Identifier: Apache-2.0
"""Runs test_node in a process of its own and talks to it with rclpy, over DDS on loopback. Every wait has an end."""
import pathlib
import signal
import subprocess
import sys
import time

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "test"))
import own_domain  # noqa: E402, F401
import rclpy  # noqa: E402  (it reads the environment)
from lifecycle_msgs.msg import Transition  # noqa: E402
from lifecycle_msgs.srv import ChangeState, GetState  # noqa: E402
from rcl_interfaces.srv import ListParameters  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402

TIMEOUT = 20.0


def pytest_addoption(parser):
    parser.addoption("--test-node", help="the program test_node")


class Received(list):
    """A list that keeps its subscription alive."""


class Peer:
    """The other side: a node of rclpy."""

    def __init__(self):
        rclpy.init()
        self.node = rclpy.create_node("peer")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.clients = {}

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown()

    def spin_until(self, condition, timeout=TIMEOUT):
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                return False
            self.executor.spin_once(timeout_sec=0.02)
        return True

    def spin(self, seconds):
        """For what must not happen; a slow machine makes such a test weaker, never red."""
        self.spin_until(lambda: False, seconds)

    def client(self, service_type, name):
        client = self.clients.get(name)
        if client is None:
            client = self.clients[name] = self.node.create_client(service_type, name)
        if not client.service_is_ready():
            assert client.wait_for_service(TIMEOUT), f"no service {name}"
            self.spin(0.2)  # the server is known to us; it has to know of us too, or the first answer is lost
        return client

    def send(self, service_type, name, request=None):
        return self.client(service_type, name).call_async(request or service_type.Request())

    def call(self, service_type, name, request=None, timeout=TIMEOUT):
        future = self.send(service_type, name, request)
        assert self.spin_until(future.done, timeout), f"no answer from {name}"
        return future.result()

    def strings(self, name, *words):
        return self.call(ListParameters, name, ListParameters.Request(prefixes=list(words))).result.names

    def change_state(self, transition, node="/test_node"):
        """By number or, for a string, by label."""
        wanted = Transition(label=transition) if isinstance(transition, str) else Transition(id=transition)
        return self.call(ChangeState, node + "/change_state", ChangeState.Request(transition=wanted)).success

    def state(self, node="/test_node"):
        return self.call(GetState, node + "/get_state").current_state.label

    def collect(self, message_type, topic, qos=10):
        """A list that fills with what arrives on a topic. A publisher that does not know of us yet sends us nothing
        (unless it is latched): have the first message repeated (until)."""
        received = Received()
        received.subscription = self.node.create_subscription(message_type, topic, received.append, qos)
        return received

    def until(self, condition, action):
        """Does something again and again, a second apart, until it has had its effect."""
        end = time.monotonic() + TIMEOUT
        while not condition():
            assert time.monotonic() < end, "no effect in time"
            action()
            self.spin_until(condition, 1.0)


class Process:
    """A running test_node; its output goes to a file."""

    def __init__(self, program, folder, *arguments):
        self.log = folder / f"node{len(list(folder.iterdir()))}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([program, *arguments], stdout=log, stderr=log)

    def output(self):
        return self.log.read_text()

    def stop(self, number=signal.SIGTERM):
        """The exit code; it must come in time."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            pytest.fail("the node did not stop; its output was:\n" + self.output())


@pytest.fixture(scope="session")
def peer():
    peer = Peer()
    yield peer
    peer.close()


@pytest.fixture
def start(request, tmp_path):
    """start(*arguments) runs a node; at the end each must stop cleanly, and show no error of the stand-in."""
    program = request.config.getoption("--test-node") or pytest.skip("--test-node is not given")
    started = []

    def start_one(*arguments):
        started.append(Process(program, tmp_path, *arguments))
        return started[-1]

    yield start_one
    for process in started:
        code = process.stop()
        sys.stdout.write(process.output())
        assert code == 0, process.output()
        assert "ended" in process.output()
        assert "failed to end" not in process.output()


@pytest.fixture
def node(start, peer):
    """A node with one thread, as yet unconfigured."""
    process = start()
    assert peer.state() == "unconfigured"
    return process


@pytest.fixture
def active(node, peer):
    assert peer.change_state(Transition.TRANSITION_CONFIGURE)
    assert peer.change_state(Transition.TRANSITION_ACTIVATE)
    return node
