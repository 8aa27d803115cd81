#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts the dynamics node with the 7-axis arm in a process of its own, calls every service over DDS, shows what came and
how long it took, and closes the loop with a simulated arm. Ends with 0 if all of it went well."""

import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
os.environ.setdefault("ROS_DOMAIN_ID", str(1 + os.getpid() % 100))  # apart from other robots on this machine

import closed_loop  # noqa: E402
import rclpy  # noqa: E402
from ament_index_python.packages import get_package_prefix  # noqa: E402
from lifecycle_msgs.msg import Transition  # noqa: E402
from lifecycle_msgs.srv import ChangeState  # noqa: E402
from rbd_parallel_msgs.srv import (  # noqa: E402
    BiasForces,
    Derivatives,
    ForwardDynamics,
    GetModelInfo,
    InverseDynamics,
    LinearizeTrajectory,
    MassMatrix,
)
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROBOT = ROOT / "config" / "robots" / "arm7.urdf"
PLOT = ROOT / "build" / "demo" / "closed_loop.png"
BATCH = 1000
HORIZON = 100  # points of a trajectory
REPETITIONS = 20
TIMEOUT = 20  # s


class Failure(Exception):
    pass


def start_node(folder):
    """The node, its parameters from a file as a user would give them."""
    parameters = folder / "parameters.yaml"
    text = "\n".join("      " + line for line in ROBOT.read_text(encoding="utf-8").splitlines())
    parameters.write_text(
        f"/**:\n  ros__parameters:\n    max_batch: {BATCH}\n    effort_mode: gravity\n    input_timeout: 1.0\n"
        f"    robot_description: |\n{text}\n",
        encoding="utf-8",
    )
    program = pathlib.Path(get_package_prefix("rbd_parallel_ros")) / "lib" / "rbd_parallel_ros" / "dynamics_node"
    log = open(folder / "node.log", "wb")
    return subprocess.Popen(
        [str(program), "--ros-args", "--params-file", str(parameters)], stdout=log, stderr=subprocess.STDOUT
    )


class Client:
    def __init__(self):
        self.node = rclpy.create_node("demo")
        self.clients = {}

    def call(self, service, name, request):
        """The response and the seconds from request to response."""
        if name not in self.clients:
            self.clients[name] = self.node.create_client(service, f"dynamics/{name}")
            if not self.clients[name].wait_for_service(TIMEOUT):
                raise Failure(f"the service {name} did not appear within {TIMEOUT} s")
        begin = time.perf_counter()
        future = self.clients[name].call_async(request)
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=TIMEOUT)
        if not future.done():
            raise Failure(f"{name} did not answer within {TIMEOUT} s")
        return future.result(), time.perf_counter() - begin

    def transition(self, number, name):
        response, seconds = self.call(ChangeState, "change_state", ChangeState.Request(transition=Transition(id=number)))
        if not response.success:
            raise Failure(f"the node refused to {name}; its log says why")
        print(f"  {name:<12} {1e3 * seconds:8.1f} ms")


def states(joints, batch, seed):
    generator = random.Random(seed)
    return [generator.uniform(-1, 1) for _ in range(joints * batch)]


def numbers(values, count=4):
    return " ".join(f"{x:.3f}" for x in values[:count]) + (" ..." if len(values) > count else "")


def trajectory(names, q, v, effort):
    """The first of these states as the points of a trajectory."""
    n = len(names)
    points = [
        JointTrajectoryPoint(positions=q[i : i + n], velocities=v[i : i + n], effort=effort[i : i + n])
        for i in range(0, min(len(q), n * HORIZON), n)
    ]
    return JointTrajectory(joint_names=names, points=points)


def states_in(request):
    points = len(request.trajectory.points) if hasattr(request, "trajectory") else 0
    return max(1, points, getattr(request, "batch_size", 1))


def show(client, service, name, request, result):
    """Calls several times, checks every answer, prints a line with the median latency."""
    times = []
    for _ in range(REPETITIONS):
        response, seconds = client.call(service, name, request)
        if response.error_code != 0:
            raise Failure(f"{name}: {response.error_msg}")
        times.append(seconds)
    batch = states_in(request)
    median = 1e3 * statistics.median(times)
    print(f"  {name:<20} {batch:>6} {median:>9.2f} ms {1e3 * median / batch:>9.1f} us  {result(response)}", flush=True)
    return response


def call_services(client):
    print(f"\nServices, {REPETITIONS} calls each; latency is the median seen by this Python client")
    print(f"  {'service':<20} {'states':>6} {'latency':>12} {'per state':>12}  answer")
    info = show(client, GetModelInfo, "get_model_info", GetModelInfo.Request(), lambda r: ", ".join(r.model_info.joint_names))
    joints = len(info.model_info.joint_names)
    for batch in (1, BATCH):
        q, v, a = (states(joints, batch, seed) for seed in (1, 2, 3))
        common = {"batch_size": batch, "position": q}
        torques = show(
            client, InverseDynamics, "inverse_dynamics",
            InverseDynamics.Request(**common, velocity=v, acceleration=a), lambda r: "effort " + numbers(r.effort),
        )  # fmt: skip
        show(
            client, BiasForces, "bias_forces",
            BiasForces.Request(**common, velocity=v, terms=BiasForces.Request.TERMS_GRAVITY),
            lambda r: "gravity " + numbers(r.effort),
        )  # fmt: skip
        show(client, MassMatrix, "mass_matrix", MassMatrix.Request(**common), lambda r: "M " + numbers(r.mass_matrix))
        back = show(
            client, ForwardDynamics, "forward_dynamics",
            ForwardDynamics.Request(**common, velocity=v, effort=torques.effort),
            lambda r: "acceleration " + numbers(r.acceleration),
        )  # fmt: skip
        error = max(abs(x - y) for x, y in zip(back.acceleration, a))
        print(f"  {'':20} forward_dynamics(inverse_dynamics(a)) = a to {error:.1e}")
        if not error < 1e-6:
            raise Failure("forward dynamics does not give the accelerations back")
        show(
            client, Derivatives, "derivatives",
            Derivatives.Request(
                **common, velocity=v, effort=torques.effort,
                blocks=Derivatives.Request.FORWARD_DYNAMICS_DQ | Derivatives.Request.FORWARD_DYNAMICS_DV,
            ),
            lambda r: "d acceleration / d position " + numbers(r.forward_dynamics_dq),
        )  # fmt: skip
        show(
            client, LinearizeTrajectory, "linearize_trajectory",
            LinearizeTrajectory.Request(
                trajectory=trajectory(info.model_info.joint_names, q, v, torques.effort), dt=0.01,
                scheme=LinearizeTrajectory.Request.SCHEME_RK4,
            ),
            lambda r: "A " + numbers(r.state_matrix),
        )  # fmt: skip


def main():
    rclpy.init()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        node = start_node(folder)
        try:
            client = Client()
            print(f"The dynamics node with {ROBOT.name}, process {node.pid}")
            client.transition(Transition.TRANSITION_CONFIGURE, "configure")
            client.transition(Transition.TRANSITION_ACTIVATE, "activate")
            call_services(client)
            closed_loop.show(folder, ROBOT, PLOT)
            print()
            client.transition(Transition.TRANSITION_DEACTIVATE, "deactivate")
            client.transition(Transition.TRANSITION_CLEANUP, "cleanup")
            node.send_signal(signal.SIGTERM)
            code = node.wait(TIMEOUT)
            print(f"  the node ended with {code}")
            return code
        except (Failure, closed_loop.LoopError, subprocess.TimeoutExpired) as failure:
            print(f"demo: {failure}\n{(folder / 'node.log').read_text(errors='replace')}", file=sys.stderr)
            return 1
        finally:
            if node.poll() is None:
                node.kill()
                node.wait()
            rclpy.try_shutdown()


if __name__ == "__main__":
    sys.exit(main())
