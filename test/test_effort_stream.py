# SPDX-License-Identifier: Apache-2.0
"""The effort stream in a real process, over DDS: every number that drives a motor, and every reason for none."""

import signal
import time

import numpy
import pytest
from nav_msgs.msg import Odometry
from node_process import urdf
from rbd_parallel_msgs.msg import AccelerationReference, StateBatch
from rbd_parallel_msgs.srv import BiasForces, ForwardDynamics, GetModelInfo, InverseDynamics
from rclpy.qos import qos_profile_sensor_data
from rclpy.time import Time
from reference import backend, same
from robot_side import ERROR, OK, WARN, RobotSide, value_of
from rosgraph_msgs.msg import Clock
from third_party import third_party

NAN, INFINITY = float("nan"), float("inf")
POSITION = [0.3, -0.7, 0.2, 1.1, -0.4, 0.9, 0.1]
VELOCITY = [0.5, -0.2, 0.8, 0.1, -0.6, 0.3, 1.0]


@pytest.fixture
def stream(serve):
    """stream(effort_mode=..., ...): an active node with a stream, and the robot beside it."""

    def start(**parameters):
        serving = serve(robot_description=urdf("arm7"), **{"effort_mode": "gravity", "input_timeout": 0.5, **parameters})
        serving.client.activate()
        robot = RobotSide(serving.client)
        robot.connect()
        return robot

    return start


def effort(velocity, acceleration):
    """What the core computes in this process."""
    return backend("arm7").inverse_dynamics([POSITION], [velocity], [acceleration])[0]


STILL = [0.0] * 7


# Numbers


def test_gravity(stream):
    robot = stream(effort_mode="gravity")
    sent, came = robot.effort_of(position=POSITION, velocity=VELOCITY)
    assert came.name == robot.joints
    assert came.header.stamp == sent.header.stamp
    same(came.effort, effort(STILL, STILL))
    assert list(robot.commands[-1].data) == list(came.effort)


def test_bias(stream):
    _, came = stream(effort_mode="bias").effort_of(position=POSITION, velocity=VELOCITY)
    same(came.effort, effort(VELOCITY, STILL))


def test_inverse_dynamics_with_a_reference(stream):
    robot = stream(effort_mode="inverse_dynamics", reference_timeout=60.0)
    wanted = [1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0]
    _, came = robot.effort_of(position=POSITION, velocity=VELOCITY)
    without = effort(VELOCITY, STILL)
    same(came.effort, without)
    robot.wait_for_stream(WARN, "no reference")
    for _ in range(100):
        reference = AccelerationReference(joint_names=robot.joints[::-1], acceleration=wanted[::-1])
        reference.header.stamp = robot.node.get_clock().now().to_msg()
        robot.references.publish(reference)
        robot.spin(0.05)
        _, came = robot.effort_of(position=POSITION, velocity=VELOCITY)
        if not numpy.allclose(came.effort, without):
            break
    same(came.effort, effort(VELOCITY, wanted))


def test_order_and_other_joints(stream):
    robot = stream(effort_mode="bias")
    _, plain = robot.effort_of(position=POSITION, velocity=VELOCITY)
    _, shuffled = robot.effort_of(names=["wheel", *robot.joints[::-1]], position=[NAN, *POSITION[::-1]],
                                  velocity=[NAN, *VELOCITY[::-1]])
    assert shuffled.name == plain.name
    assert list(shuffled.effort) == list(plain.effort)


# Guards


def no_effort_from(robot, reason, **fields):
    """Sends bad states for a while: nothing may come of them, and diagnostics must say why."""
    robot.spin(0.1)
    robot.efforts.clear(), robot.commands.clear()
    end = time.monotonic() + 30
    while not (robot.stream() and reason in robot.stream().message):
        assert time.monotonic() < end, f"'{reason}' is not in diagnostics; {robot.told()}"
        robot.send(**{name: value() if callable(value) else value for name, value in fields.items()})
        robot.spin(0.02)
    assert robot.efforts == [] and robot.commands == []
    assert robot.stream().level in (WARN, ERROR)


@pytest.mark.parametrize("bad", [NAN, INFINITY, -INFINITY])
def test_not_finite(stream, bad):
    robot = stream(effort_mode="bias")
    no_effort_from(robot, "not_finite (joint 'joint_3')", position=[0.0, 0.0, bad, 0.0, 0.0, 0.0, 0.0])
    no_effort_from(robot, "not_finite (joint 'joint_5')", velocity=[0.0, 0.0, 0.0, 0.0, bad, 0.0, 0.0])
    robot.effort_of()


def test_the_first_diagnostics_after_a_bad_state_tell_the_reason(stream):
    """Law: there is no report that has counted a bad state and does not name its reason. By default there are two reports
    a second, so that it is told within one."""
    robot = stream(effort_mode="bias")
    assert robot.client.get("diagnostics_period") <= 0.5
    robot.effort_of()
    counted = []

    def report_has_counted():
        robot.send(position=[0.0, 0.0, NAN, 0.0, 0.0, 0.0, 0.0])
        counted[:] = [status for status in robot.streams if int(value_of(status, "refused: not_finite") or 0) > 0]
        return counted

    robot.wait_until(report_has_counted, "a report that counts bad states")
    assert "not_finite (joint 'joint_3')" in counted[0].message


def test_missing_velocity(stream):
    no_effort_from(stream(effort_mode="bias"), "missing_velocity", velocity=[])
    stream(effort_mode="bias", missing_velocity="zero").effort_of(velocity=[])
    stream(effort_mode="gravity").effort_of(velocity=[])


def test_missing_joint_and_sizes(stream):
    robot = stream()
    no_effort_from(robot, "missing_joint (joint 'joint_7')", names=robot.joints[:6])
    no_effort_from(robot, "duplicate_joint", names=[*robot.joints, "joint_1"])
    no_effort_from(robot, "wrong_size", position=[0.0] * 6)
    robot.effort_of()


def test_clocks(stream):
    from rclpy.duration import Duration

    robot = stream()

    def off_by(seconds):
        return lambda: (robot.node.get_clock().now() + Duration(seconds=seconds)).to_msg()

    no_effort_from(robot, "stamp_old", stamp=off_by(-2))
    no_effort_from(robot, "stamp_ahead", stamp=off_by(2))
    no_effort_from(robot, "stamp_missing", stamp=robot.state().header.stamp.__class__())
    good, _ = robot.effort_of()
    robot.efforts.clear()
    robot.send(good)
    robot.spin(0.3)
    assert robot.efforts == [], "the same stamp again"
    robot.effort_of()


def test_inputs_that_stop(stream):
    robot = stream(on_stale="stop")
    robot.effort_of()
    robot.wait_for_stream(ERROR, "no joint state that can be used")
    robot.efforts.clear(), robot.commands.clear()
    robot.spin(1)
    assert robot.efforts == [] and robot.commands == []
    for _ in range(40):
        robot.send()
        robot.spin(0.05)
    robot.wait_for_stream(OK)


def test_inputs_that_stop_with_zeros(stream):
    robot = stream(on_stale="zero", input_timeout=0.2)
    _, came = robot.effort_of(position=POSITION)
    assert any(came.effort)
    robot.wait_until(lambda: not any(robot.commands[-1].data) and not any(robot.efforts[-1].effort), "zeros")
    robot.wait_for_stream(ERROR, "no joint state that can be used")


def test_deactivation(stream):
    robot = stream(on_stale="stop")
    robot.effort_of(position=POSITION)
    assert robot.client.transition("deactivate")
    robot.spin(0.2)
    robot.efforts.clear(), robot.commands.clear()
    for _ in range(10):
        robot.send()
        robot.spin(0.05)
    assert robot.efforts == [] and robot.commands == []
    robot.wait_for_stream(OK, "inactive")


def test_deactivation_with_zeros(stream):
    robot = stream(on_stale="zero", input_timeout=30.0)
    robot.effort_of(position=POSITION)
    robot.commands.clear()
    assert robot.client.transition("deactivate")
    robot.wait_until(lambda: robot.commands, "a last command")
    assert not any(robot.commands[-1].data)


def test_limits(stream):
    fast = [40.0] * 7
    _, free = stream(effort_mode="bias").effort_of(position=POSITION, velocity=fast)
    robot = stream(effort_mode="bias", effort_limits="clamp")
    _, clamped = robot.effort_of(position=POSITION, velocity=fast)
    robot.wait_for_stream(WARN, "beyond the limit", "cut off")
    limits = numpy.array(robot.client.good(GetModelInfo).model_info.effort_limit)
    assert (abs(numpy.array(free.effort)) > limits).any()
    numpy.testing.assert_array_equal(clamped.effort, numpy.clip(free.effort, -limits, limits))
    warned = stream(effort_mode="bias", effort_limits="warn")
    _, came = warned.effort_of(position=POSITION, velocity=fast)
    warned.wait_for_stream(WARN, "beyond the limit")
    assert list(came.effort) == list(free.effort)


def test_noise_on_every_topic(stream):
    """Messages with one thing wrong with them: no effort, no end of the node, and the next good state counts."""
    robot = stream(effort_mode="inverse_dynamics")
    rng = numpy.random.default_rng(1)
    bases = robot.node.create_publisher(Odometry, "dynamics/base_state", qos_profile_sensor_data)
    batches = robot.node.create_publisher(StateBatch, "dynamics/state_batch", 10)

    def spoiled(names, numbers):
        """Names and two arrays of numbers, one of them wrong."""
        names, arrays = list(names), [list(numbers), list(numbers)]
        array, place = arrays[rng.integers(2)], int(rng.integers(len(names)))
        match rng.integers(6):
            case 0:
                array[place] = float(rng.choice([NAN, INFINITY, -INFINITY]))
            case 1:
                array.pop()
            case 2:
                array.append(0.0)
            case 3:
                names[place] = "x" * int(rng.integers(1, 300))
            case 4:
                names[place] = names[place - 1]
            case 5:
                names, arrays = [], [[], []]
        return names, arrays

    for _ in range(300):
        names, (position, velocity) = spoiled(robot.joints, [0.1] * 7)
        robot.send(names=names, position=position, velocity=velocity)
        names, (acceleration, _) = spoiled(robot.joints, [0.1] * 7)
        reference = AccelerationReference(joint_names=names, acceleration=acceleration)
        reference.header.stamp = robot.node.get_clock().now().to_msg()
        robot.references.publish(reference)
        base = Odometry()
        base.pose.pose.orientation.w = float(rng.choice([0.0, NAN, 2.0]))
        bases.publish(base)
        batches.publish(StateBatch(joint_names=names, position=position, velocity=velocity, batch_size=int(rng.integers(9))))
        robot.spin(0.002)
    assert robot.efforts == []
    robot.effort_of()


def test_other_robots_on_the_same_topic(stream):
    """A gripper that publishes its own joints, with stamps ahead of the arm's, does not disturb."""
    from rclpy.duration import Duration

    robot = stream()
    for _ in range(20):
        robot.send(names=["left_finger"], position=[NAN], velocity=[],
                   stamp=(robot.node.get_clock().now() + Duration(seconds=0.2)).to_msg())
        robot.spin(0.01)
    robot.effort_of()
    for _ in range(40):
        robot.send(names=["left_finger"], position=[0.1], velocity=[])
        robot.send()
        robot.spin(0.02)
    robot.wait_for_stream(OK)
    assert int(robot.value("effort stream", "refused: other_joints")) > 0


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
def test_zeros_when_it_is_told_to_end(serve, ended_by):
    serving = serve(robot_description=urdf("arm7"), effort_mode="gravity", on_stale="zero", input_timeout=30.0)
    serving.client.activate()
    robot = RobotSide(serving.client)
    robot.connect()
    robot.effort_of(position=POSITION)
    assert any(robot.commands[-1].data)
    assert serving.node.stop(ended_by) == 0
    robot.wait_until(lambda: not any(robot.commands[-1].data), "a last command of zeros")


# A floating base


def test_a_floating_base_needs_its_state(serve):
    serving = serve(robot_description=urdf("quadruped"), base="floating", effort_mode="gravity")
    assert not serving.client.transition("configure")
    serving.node.wait_for_log("publish ~/base_state")
    assert serving.client.set(base_state=True)[0].successful
    assert serving.client.transition("configure")


# Beside the services


LONG = 200000  # states in a request


def long_request(robot):
    """The future of one that takes the node's thread for a while."""
    numbers = [0.1] * (7 * LONG)
    request = ForwardDynamics.Request(batch_size=LONG, position=numbers, velocity=numbers, effort=numbers)
    return robot.client.client(ForwardDynamics).call_async(request)


def test_a_long_request_does_not_hold_up_the_stream(stream):
    robot = stream(max_batch=LONG, backend="rbd_parallel/reference")
    robot.effort_of()
    pending = long_request(robot)
    during = 0
    while not pending.done():
        before = len(robot.efforts)
        robot.send()
        robot.spin(0.005)
        during += len(robot.efforts) > before and not pending.done()
    assert pending.result().error_code == 0
    assert during >= 3, "efforts came while the request was computed"


@third_party
def test_simulated_time_goes_on_beside_a_long_request(stream, tmp_path, monkeypatch):
    """Law: while a request takes the node's thread, its clock follows /clock, and states that agree with it are used."""
    gate = tmp_path / "gate"
    monkeypatch.setenv("RBD_TEST_GATE", str(gate))
    robot = stream(effort_mode="inverse_dynamics", backend="third_party/waits", use_sim_time=True, input_timeout=0.5)
    clock = robot.node.create_publisher(Clock, "/clock", qos_profile_sensor_data)

    def effort_at(tenths):
        stamp = Time(nanoseconds=tenths * 10**8).to_msg()

        def came():
            clock.publish(Clock(clock=stamp))
            robot.send(stamp=stamp)
            return any(effort.header.stamp == stamp for effort in robot.efforts)

        robot.wait_until(came, f"an effort at {tenths / 10} s")

    effort_at(1000)
    pending = robot.client.client(InverseDynamics).call_async(InverseDynamics.Request(position=[0.1] * 14))
    robot.wait_until(gate.with_name("gate.reached").exists, "the request in the backend")
    try:
        for tenths in range(1004, 1040, 4):  # further in all than stamps may be ahead of a clock that stands still
            effort_at(tenths)
        assert not pending.done()
    finally:
        gate.touch()  # or else the node could not end
    robot.wait_until(pending.done, "the response")
    assert pending.result().error_code == 0


def test_diagnostics_tell_what_is_in_use(stream):
    robot = stream()
    robot.effort_of()
    robot.client.good(BiasForces, position=POSITION * 3)
    robot.client.refused(BiasForces, BiasForces.Response.WRONG_SIZE, position=[1.0])
    robot.wait_until(lambda: "services" in robot.diagnostics and robot.value("services", "requests") == "2", "2 requests")
    assert robot.value("services", "refused") == "1"
    assert robot.value("services", "batch size max") == "3"
    assert float(robot.value("services", "latency p99 (s)")) > 0
    model = robot.diagnostics["model"]
    assert (model.level, model.message, model.hardware_id) == (OK, "active", "arm7")
    assert robot.value("model", "backend") == "rbd_parallel/auto"
    assert robot.value("model", "backend computes with") == "cpu"
    assert robot.value("model", "why this backend").startswith("the default; cpu: tree is for robots of 64 bodies and more")
    assert robot.value("effort stream", "mode") == "gravity"
    for _ in range(40):
        robot.send()
        robot.spin(0.02)
    assert float(robot.value("effort stream", "joint_states rate (Hz)")) > 1
    assert float(robot.value("effort stream", "latency max (s)")) > 0


def test_diagnostics_tell_why_configure_failed(serve):
    serving = serve(robot_description="<robot", effort_mode="gravity")
    robot = RobotSide(serving.client)
    assert not serving.client.transition("configure")
    robot.wait_until(lambda: "model" in robot.diagnostics and robot.diagnostics["model"].level == ERROR, "an error")
    assert "configure failed" in robot.diagnostics["model"].message


def test_a_floating_base(serve):
    serving = serve(robot_description=urdf("quadruped"), base="floating", base_state=True, effort_mode="gravity",
                    input_timeout=0.5)
    serving.client.activate()
    robot = RobotSide(serving.client, joints=serving.client.good(GetModelInfo).model_info.joint_names)
    robot.connect()
    no_effort_from(robot, "base_missing")
    bases = robot.node.create_publisher(Odometry, "dynamics/base_state", qos_profile_sensor_data)
    robot.wait_until(lambda: bases.get_subscription_count() == 1, "the subscription of base_state")
    bad = Odometry()
    bad.pose.pose.orientation.w = NAN
    for _ in range(100):
        bases.publish(bad)
        robot.send()
        robot.spin(0.02)
        if "refused by not_finite" in robot.stream().message:
            break
    assert "refused by not_finite" in robot.stream().message
    tilt = numpy.deg2rad(40)
    base = Odometry()
    base.pose.pose.orientation.x, base.pose.pose.orientation.w = numpy.sin(tilt / 2), numpy.cos(tilt / 2)
    for _ in range(100):
        base.header.stamp = robot.node.get_clock().now().to_msg()
        bases.publish(base)
        robot.spin(0.02)
        sent = robot.send()
        robot.spin(0.02)
        if robot.efforts and robot.efforts[-1].header.stamp == sent.header.stamp:
            break
    n = len(robot.joints)
    q = [[0, 0, 0, numpy.sin(tilt / 2), 0, 0, numpy.cos(tilt / 2), *[0.1] * n]]
    same(robot.efforts[-1].effort, backend("quadruped", base="floating").gravity_forces(q)[0][6:])
