# SPDX-License-Identifier: Apache-2.0
"""What stands beside the node on a robot: publishes joint states, listens to efforts and diagnostics."""

import time

from diagnostic_msgs.msg import DiagnosticArray
from rbd_parallel_msgs.msg import AccelerationReference
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

TIMEOUT = 30  # s
OK, WARN, ERROR = b"\x00", b"\x01", b"\x02"


def value_of(status, key):
    return next((value.value for value in status.values if value.key == key), None)


class RobotSide:
    """In the namespace of the client, and spun by it."""

    def __init__(self, client, joints=tuple(f"joint_{i}" for i in range(1, 8))):
        self.client = client
        self.node = client.node
        self.joints = list(joints)
        self.efforts, self.commands, self.diagnostics, self.streams = [], [], {}, []
        self.states = self.node.create_publisher(JointState, "joint_states", qos_profile_sensor_data)
        self.references = self.node.create_publisher(AccelerationReference, "dynamics/reference", qos_profile_sensor_data)
        self.node.create_subscription(JointState, "dynamics/effort", self.efforts.append, 1000)
        self.node.create_subscription(Float64MultiArray, "dynamics/effort_commands", self.commands.append, 1000)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._take_diagnostics, QoSProfile(depth=100))

    def _take_diagnostics(self, message):
        ours = f"{self.node.get_namespace()}/dynamics: "
        for status in message.status:
            if status.name.startswith(ours):
                self.diagnostics[status.name.removeprefix(ours)] = status
            if status.name == ours + "effort stream":
                self.streams.append(status)

    def spin(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.client.executor.spin_once(left)

    def wait_until(self, condition, what, timeout=TIMEOUT):
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, f"{what}: not within {timeout} s; {self.told()}"
            self.client.executor.spin_once(0.02)

    def connect(self):
        """Waits until node and robot know each other, both ways."""
        self.wait_until(
            lambda: self.states.get_subscription_count() == 1 and self.references.get_subscription_count() == 1
            and self.node.count_publishers("dynamics/effort") == 1
            and self.node.count_publishers("dynamics/effort_commands") == 1, "the topics of the stream")
        self.spin(0.2)

    def state(self, position=None, velocity=None, stamp=None, names=None):
        names = self.joints if names is None else names
        message = JointState(name=names, position=position if position is not None else [0.1] * len(names),
                             velocity=velocity if velocity is not None else [0.2] * len(names))
        message.header.stamp = stamp or self.node.get_clock().now().to_msg()
        return message

    def send(self, message=None, **fields):
        message = message or self.state(**fields)
        self.states.publish(message)
        return message

    def effort_of(self, **fields):
        """Sends one state, repeating it where DDS loses it; returns state and effort of the same stamp."""
        for _ in range(100):
            sent = self.send(**fields)
            self.spin(0.05)
            for effort in self.efforts:
                if effort.header.stamp == sent.header.stamp:
                    return sent, effort
        raise AssertionError(f"no effort came; {self.told()}")

    # Diagnostics

    def stream(self):
        return self.diagnostics.get("effort stream")

    def value(self, status, key):
        """Of the last diagnostics; None where there are none yet."""
        return value_of(self.diagnostics[status], key) if status in self.diagnostics else None

    def told(self):
        return "; ".join(f"{name}: {status.level} {status.message}" for name, status in self.diagnostics.items())

    def wait_for_stream(self, level, *words):
        """Waits until the diagnostics of the stream have this level and these words."""
        self.wait_until(lambda: self.stream() and self.stream().level == level
                        and all(word in self.stream().message for word in words), f"stream {level} {words}")
