# SPDX-License-Identifier: Apache-2.0
"""Node, simulated robot and a client that calls services, side by side for as long as is asked, while the robot's side and
then the node are killed (-9) and started again:

    ./dev test --soak 3600

Laws: every call is answered, with the numbers of the first time; the memory of the node stays; no effort is published
while there is no robot, diagnostics say ERROR then, and the stream goes on by itself once either side is back."""

import argparse
import os
import pathlib
import sys
import tempfile
import threading
import time

import own_domain  # noqa: F401
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from dynamics_client import DynamicsClient
from node_process import NodeProcess, urdf
from rbd_parallel_msgs.srv import BiasForces, ForwardDynamics, InverseDynamics, MassMatrix
from rclpy.executors import SingleThreadedExecutor
from std_msgs.msg import Float64MultiArray

SECONDS = 120  # of a soak, where nothing else is asked for
TIMEOUT = 30  # s
LIVES = 2  # of the node: it is killed once
SILENCE = 1.0  # s, for which nothing may be published without a robot
BETWEEN_CALLS = 0.005  # s
GROWTH = 2 << 20  # bytes that memory may grow by in the second half of a life
ERROR = b"\x02"
START = [0.3, 0.6, -0.2, 1.0, 0.1, -0.6, 0.4]
STATE = {"position": START * 20, "velocity": [0.1] * 140}
REQUESTS = [
    (InverseDynamics, {**STATE, "acceleration": [0.2] * 140}),
    (BiasForces, STATE),
    (MassMatrix, {"position": START * 20}),
    (ForwardDynamics, {**STATE, "effort": [1.0] * 140}),
]


class Caller(threading.Thread):
    """Calls one service after the other until it is told to stop. Each call is made once."""

    def __init__(self, client):
        super().__init__()
        self.client, self.fault, self.answered = client, None, 0
        self._stop_now = threading.Event()
        self.start()

    def run(self):
        first = {}
        try:
            while not self._stop_now.wait(BETWEEN_CALLS):
                service, fields = REQUESTS[self.answered % len(REQUESTS)]
                response = self.client.good(service, **fields)
                self.answered += 1
                assert response == first.setdefault(service, response), f"another answer of {service.__name__}"
        except BaseException as fault:
            self.fault = fault

    def stop(self):
        self._stop_now.set()
        self.join()

    def finish(self):
        """How many calls were answered: all of them."""
        self.stop()
        self.check()
        return self.answered

    def check(self):
        if self.fault:
            raise AssertionError(f"after {self.answered} calls: {self.fault}") from self.fault


class Watcher:
    """Counts the node's commands and listens to what it says about its stream."""

    def __init__(self, namespace):
        self.commands, self.status = 0, None
        self.node = rclpy.create_node("watcher", namespace=namespace)
        self.node.create_subscription(Float64MultiArray, "dynamics/effort_commands", self._count, 10)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._take, 10)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()

    def _count(self, _):
        self.commands += 1

    def _take(self, message):
        for status in message.status:
            if status.name == f"{self.node.get_namespace()}/dynamics: effort stream":
                self.status = status

    def spin(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.executor.spin_once(left)

    def wait_until(self, condition, what):
        end = time.monotonic() + TIMEOUT
        while not condition():
            told = self.status and (self.status.level, self.status.message)
            assert time.monotonic() < end, f"{what} did not come within {TIMEOUT} s; diagnostics: {told}"
            self.executor.spin_once(0.1)

    def wait_for_stream(self):
        """Until commands come and diagnostics find nothing wrong."""
        before, self.status = self.commands, None
        self.wait_until(lambda: self.commands > before + 100 and self.status and self.status.level != ERROR, "the stream")

    def wait_for_silence(self):
        """Until diagnostics miss the robot; then nothing may be published."""
        self.status = None
        self.wait_until(
            lambda: self.status and self.status.level == ERROR and "no joint state" in self.status.message, "an ERROR"
        )
        self.spin(0.2)  # what was under way
        before = self.commands
        self.spin(SILENCE)
        assert self.commands == before, f"{self.commands - before} commands without a robot"


class Soak:
    def __init__(self, folder, namespace="soak", say=print):
        self.folder, self.namespace, self.say = folder, namespace, say
        self.calls, self.resident = 0, []
        self.node = self.robot = self.caller = None
        self.watcher, self.client = Watcher(namespace), DynamicsClient(namespace)

    def close(self):
        if self.caller:
            self.caller.stop()
        for process in (self.node, self.robot):
            if process and process.alive():
                process.stop()
        self.watcher.close()
        self.client.close()

    def start_node(self):
        parameters = {"robot_description": urdf("arm7"), "effort_mode": "gravity", "autostart": True}
        self.node = NodeProcess(self.folder, {**parameters, "input_timeout": 0.5}, self.namespace)
        self.client.wait_for_state("active")
        self.caller = Caller(self.client)

    def start_robot(self):
        # Damped, so that it comes to rest after a fall.
        parameters = {"robot_description": urdf("arm7"), "start": START, "damping": 0.5, "command_timeout": 0.5}
        self.robot = NodeProcess(self.folder, parameters, self.namespace, program="robot_simulator")

    def kill_robot(self):
        self.robot.process.kill()
        self.robot.process.wait()
        self.watcher.wait_for_silence()
        self.say("the robot's side was killed: ERROR in diagnostics, no effort; starting it again")
        self.start_robot()
        self.watcher.wait_for_stream()

    def kill_node(self):
        self.calls += self.caller.finish()
        self.node.process.kill()
        self.node.process.wait()
        self.say("the node was killed; starting it again")
        self.start_node()
        self.watcher.wait_for_stream()
        assert self.robot.alive(), self.robot.log

    def steady(self, seconds):
        """Watches for a while; the node's resident bytes at its end."""
        self.watcher.spin(seconds)
        self.caller.check()
        assert self.node.alive() and self.robot.alive(), self.node.log + self.robot.log
        resident = self.node.resident_bytes()
        calls = self.calls + self.caller.answered
        self.say(f"{calls} calls answered, {self.watcher.commands} commands seen, node has {resident / 2**20:.2f} MiB")
        return resident

    def live(self, seconds):
        """A life of the node, in which the robot's side is killed about once a minute, and twice at least."""
        begin, kills = time.monotonic(), max(2, round(seconds / 60))
        resident = [self.steady(1)]
        for i in range(1, kills + 1):
            self.kill_robot()
            resident.append(self.steady(max(1.0, begin + seconds * i / kills - time.monotonic())))
        return resident

    def run(self, seconds):
        """(calls that were answered, commands that were seen, resident bytes in each life of the node)"""
        lives = []
        self.start_node()
        self.start_robot()
        self.watcher.wait_for_stream()
        for life in range(LIVES):
            if life > 0:
                self.kill_node()
            lives.append(self.live(seconds / LIVES))
        self.calls += self.caller.finish()
        code = self.node.stop()
        assert code == 0, f"the node ended with {code}; its log:\n{self.node.log}"
        return self.calls, self.watcher.commands, lives


def check_memory(resident):
    """Law: in the second half of a life, when everything has happened once, memory does not grow."""
    grown = max(resident[len(resident) // 2 :]) - resident[len(resident) // 2]
    assert grown <= GROWTH, f"memory has grown by {grown} bytes: {resident}"


def soak(seconds, folder, say=print):
    run = Soak(pathlib.Path(folder), say=say)
    try:
        return run.run(seconds)
    finally:
        run.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seconds", type=float, nargs="?", default=SECONDS, help="how long (default %(default)s)")
    seconds = parser.parse_args().seconds
    begin = time.monotonic()

    def say(text):
        print(f"{time.monotonic() - begin:7.1f} s  {text}", flush=True)

    rclpy.init()
    try:
        with tempfile.TemporaryDirectory() as folder:
            calls, commands, lives = soak(seconds, folder, say)
        for resident in lives:
            check_memory(resident)
    except AssertionError as fault:
        print(f"soak: {fault}", file=sys.stderr)
        return 1
    finally:
        rclpy.try_shutdown()
    say(f"{calls} of {calls} calls answered, {commands} commands seen, load average {os.getloadavg()[0]:.2f}")
    for number, resident in enumerate(lives, 1):
        first, middle, last = (resident[i] / 2**20 for i in (0, len(resident) // 2, -1))
        say(f"life {number} of the node: {first:.2f} MiB, halfway {middle:.2f} MiB, at the end {last:.2f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
