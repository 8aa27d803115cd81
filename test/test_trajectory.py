# SPDX-License-Identifier: Apache-2.0
"""~/fill_trajectory_effort: trajectories in, the same with efforts out."""

import math

import bodies
import numpy as np
import pinocchio_oracle
import pytest
from geometry_msgs.msg import Pose, Quaternion
from messages import trajectory
from node_process import urdf
from rbd_parallel_msgs.srv import FillTrajectoryEffort
from reference import backend, same, states
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

Request, Response = FillTrajectoryEffort.Request, FillTrajectoryEffort.Response
ARM = [f"joint_{i}" for i in range(1, 8)]


def efforts(response):
    return np.array([list(point.effort) for point in response.trajectory.points])


def smooth(times):
    """A motion of the arm with its derivatives, (len(times), 7) each."""
    t, k = np.asarray(times)[:, None], np.arange(7)
    return np.sin(t + k), np.cos(t + k), -np.sin(t + k)


@pytest.mark.parametrize("points", [1, 500, 2001])  # the node's max_batch is 2000
def test_arm_against_pinocchio(arm, points):
    q, v, a = smooth(np.linspace(0, 3, points))
    names, tau = pinocchio_oracle.inverse_dynamics("arm7", q, v, a)
    sent = trajectory(names, q, v, a)
    response = arm.client.good(FillTrajectoryEffort, trajectory=sent)
    np.testing.assert_allclose(efforts(response), tau, rtol=0, atol=1e-12 * abs(tau).max())
    assert list(response.status) == [Response.STATUS_OK] * points
    for point in response.trajectory.points:
        point.effort = []
    assert response.trajectory == sent


def test_sign_holds_against_gravity(arm):
    """Law: the effort of a robot that stands is what gravity asks for, with the sign that holds it: the potential energy
    grows along a joint whose effort is positive."""
    q, still = states(7, 4), np.zeros((4, 7))
    tau = efforts(arm.client.good(FillTrajectoryEffort, trajectory=trajectory(ARM, q, still, still)))
    core = backend("arm7")
    h = 1e-6
    for k in range(7):
        step = np.zeros(7)
        step[k] = h
        up, down = (core.energies(q + s)[1] for s in (step, -step))
        np.testing.assert_allclose(tau[:, k], (up - down) / (2 * h), atol=1e-6)


def test_accelerations_from_velocities(arm):
    """Law: of second order in the step, against Pinocchio with the analytic accelerations; and not without being asked."""
    errors = []
    for points in (101, 201):
        times = np.linspace(0, 2, points)
        q, v, a = smooth(times)
        names, tau = pinocchio_oracle.inverse_dynamics("arm7", q, v, a)
        sent = trajectory(names, q, v, times=times)
        arm.client.refused(FillTrajectoryEffort, Response.WRONG_SIZE, "points[0].accelerations", trajectory=sent)
        response = arm.client.good(
            FillTrajectoryEffort, trajectory=sent, missing_acceleration=Request.ACCELERATION_FROM_VELOCITY
        )
        assert all(not point.accelerations for point in response.trajectory.points)
        errors.append(abs(efforts(response) - tau).max())
    # h^2 / 3 = 1.3e-4 of acceleration at the ends, times the sum of a row of M, some kg m^2
    assert errors[0] < 1e-3
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_others_as_joint_states(arm):
    """Law: joints that are not in the trajectory stand where joint_states has them."""
    core = backend("arm7")
    moving, q, v, a = [4, 1], np.tile(states(7, 1, 9), (3, 1)), np.zeros((3, 7)), np.zeros((3, 7))
    measured = JointState(name=ARM[::-1] + ["gripper"], position=q[0, ::-1].tolist() + [1.0])
    for seed, x in enumerate((q, v, a)):
        x[:, moving] = states(2, 3, seed)
    names = [ARM[k] for k in moving]
    sent = trajectory(names, q[:, moving], v[:, moving], a[:, moving])
    response = arm.client.good(FillTrajectoryEffort, trajectory=sent, others=measured)
    same(efforts(response).ravel(), core.inverse_dynamics(q, v, a)[:, moving])
    measured.name[0] = "joint_seven"
    arm.client.refused(FillTrajectoryEffort, Response.MISSING_JOINT, "'joint_7'", trajectory=sent, others=measured)


def test_mimic_joints(gripper):
    core = backend("gripper")
    names = list(core.model.joint_names)
    q, v, a = (states(3, 4, seed) for seed in (1, 2, 3))
    unread = np.full((4, 2), math.nan)
    sent = trajectory(["cam_joint", *names, "finger_right_joint"], *(
        np.hstack([unread[:, :1], x, unread[:, 1:]]) for x in (q, v, a)
    ))
    response = gripper.client.good(FillTrajectoryEffort, trajectory=sent)
    same(efforts(response)[:, 1:4].ravel(), core.inverse_dynamics(q, v, a))
    assert not efforts(response)[:, [0, 4]].any()


def test_floating_base(quadruped):
    core = backend("quadruped", base="floating")
    names = list(core.model.joint_names)[1:]
    q, v, a = (states(12, 3, seed) for seed in (1, 2, 3))
    pose = Pose(orientation=Quaternion(x=0.6, y=0.0, z=0.0, w=0.8))
    sent = trajectory(names, q, v, a)
    response = quadruped.client.good(FillTrajectoryEffort, trajectory=sent, base_pose=[pose])
    base = np.tile([0, 0, 0, 0.6, 0, 0, 0.8], (3, 1))
    still = np.zeros((3, 6))
    tau = core.inverse_dynamics(np.hstack([base, q]), np.hstack([still, v]), np.hstack([still, a]))
    same(efforts(response).ravel(), tau[:, 6:])
    quadruped.client.refused(FillTrajectoryEffort, Response.WRONG_SIZE, "base_pose has 0", trajectory=sent)


def test_joints_parameter(serve):
    """Law: joints that the parameter leaves out are not known, and stay at 0."""
    client = serve(robot_description=urdf("arm7"), joints=["joint_2", "joint_4"]).client
    client.activate()
    q, v, a = np.zeros((3, 3, 7))
    for seed, x in enumerate((q, v, a)):
        x[:, [3, 1]] = states(2, 3, seed)
    sent = trajectory(["joint_4", "joint_2"], *(x[:, [3, 1]] for x in (q, v, a)))
    same(efforts(client.good(FillTrajectoryEffort, trajectory=sent)).ravel(),
         backend("arm7").inverse_dynamics(q, v, a)[:, [3, 1]])
    client.refused(
        FillTrajectoryEffort, Response.UNKNOWN_JOINT, "'joint_1'", trajectory=trajectory(ARM, q, v, a)
    )


def test_refused(arm):
    x = states(7, 3)
    good = trajectory(ARM, x, x, x)
    arm.client.refused(FillTrajectoryEffort, Response.MISSING_JOINT, "joint_names is empty")
    arm.client.refused(
        FillTrajectoryEffort, Response.WRONG_SIZE, "points is empty", trajectory=JointTrajectory(joint_names=ARM)
    )
    arm.client.refused(
        FillTrajectoryEffort, Response.INVALID_ARGUMENT, "missing_acceleration is 9", trajectory=good, missing_acceleration=9
    )
    x = x.copy()
    x[1, 3] = math.nan
    response = arm.client.call(FillTrajectoryEffort, trajectory=trajectory(ARM, x, x, x))
    assert response.error_code == Response.STATES_FAILED and "point 1" in response.error_msg
    assert list(response.status) == [0, Response.STATUS_NOT_FINITE, 0]
    assert response.trajectory == JointTrajectory()
    bodies.every_service_answers(arm.client)


def test_not_active(serve):
    client = serve(robot_description=urdf("arm7")).client
    x = states(7, 1)
    sent = trajectory(ARM, x, x, x)
    client.refused(FillTrajectoryEffort, Response.NOT_ACTIVE, "configure and activate it", trajectory=sent)
    assert client.transition("configure")
    client.refused(FillTrajectoryEffort, Response.NOT_ACTIVE, "activate it", trajectory=sent)
