# SPDX-License-Identifier: Apache-2.0
"""~/linearize_trajectory: trajectories in, A and B of every point out."""

import math

import bodies
import numpy as np
import pytest
from messages import accelerations, poses, trajectory, twists, wrenches
from node_process import urdf
from rbd_parallel_msgs.srv import InverseDynamics, LinearizeTrajectory
from reference import backend, same, states
from third_party import third_party

ARM = [f"joint_{i}" for i in range(1, 8)]
Request, Response = LinearizeTrajectory.Request, LinearizeTrajectory.Response
SCHEMES = [("semi_implicit_euler", Request.SCHEME_SEMI_IMPLICIT_EULER), ("rk4", Request.SCHEME_RK4)]


def sent_with(efforts, *arguments, **options):
    """The trajectory with an effort in each point."""
    sent = trajectory(*arguments, **options)
    for point, effort in zip(sent.points, efforts, strict=True):
        point.effort = effort.tolist()
    return sent


def same_matrices(response, expected):
    for actual, matrix in zip((response.state_matrix, response.input_matrix), expected, strict=True):
        same(np.asarray(actual) / np.abs(matrix).max(), matrix / np.abs(matrix).max())


@pytest.mark.parametrize("scheme, code", SCHEMES)
@pytest.mark.parametrize("points", [1, 100, 2001])  # the node's max_batch is 2000
def test_arm(arm, scheme, code, points):
    q, v, tau = (states(7, points, seed) for seed in (1, 2, 3))
    response = arm.client.good(LinearizeTrajectory, trajectory=sent_with(tau, ARM, q, v), dt=0.01, scheme=code)
    assert (response.batch_size, response.rows, list(response.joint_names)) == (points, 7, ARM)
    assert list(response.status) == [Response.STATUS_OK] * points
    same(response.dt, [0.01] * points)
    same(response.effort, tau)
    same_matrices(response, backend("arm7", max_batch=2001).linearize(q, v, tau, dt=0.01, scheme=scheme))


def test_against_differences_of_steps(arm):
    """Law: A and B are what changes of the state and of the effort do to the state one step later."""
    core, h = backend("arm7"), 1e-6
    q, v, tau = (states(7, 1, seed) for seed in (1, 2, 3))
    sent = sent_with(tau, ARM, q, v)
    response = arm.client.good(LinearizeTrajectory, trajectory=sent, dt=0.02, scheme=Request.SCHEME_RK4)

    def after(change):
        dq, dv, dtau = np.split(change, 3)
        return np.hstack(core.step(q + dq, v + dv, tau + dtau, dt=0.02, scheme="rk4")).ravel()

    columns = [(after(h * e) - after(-h * e)) / (2 * h) for e in np.eye(21)]
    both = np.hstack([np.reshape(response.state_matrix, (14, 14)), np.reshape(response.input_matrix, (14, 7))])
    # Differences of numbers of order 1: rounding 1e-16 / h, and h^2 of the third derivative.
    np.testing.assert_allclose(both, np.transpose(columns), rtol=1e-7, atol=1e-7)


def test_accelerations_and_steps_from_times(arm):
    """Law: accelerations stand for the efforts that they need; each point has the step to the next one."""
    core, times = backend("arm7"), np.array([0.0, 0.01, 0.03, 0.04, 0.045])
    q, v, a = (states(7, 5, seed) for seed in (1, 2, 3))
    response = arm.client.good(
        LinearizeTrajectory, trajectory=trajectory(ARM, q, v, a, times), input=Request.INPUT_ACCELERATION
    )
    tau = core.inverse_dynamics(q, v, a)
    same(response.effort, tau)
    steps = [0.01, 0.02, 0.01, 0.005, 0.005]
    same(response.dt, steps)
    A, B = zip(*(core.linearize(q[i], v[i], tau[i], dt=dt) for i, dt in enumerate(steps)))
    same_matrices(response, (np.array(A), np.array(B)))


def test_joint_order_moves_rows_and_columns(arm):
    order = [6, 2, 4, 0, 1, 5, 3]
    q, v, tau = (states(7, 3, seed) for seed in (1, 2, 3))
    names = [ARM[k] for k in order]
    sent = sent_with(tau[:, order], names, q[:, order], v[:, order])
    response = arm.client.good(LinearizeTrajectory, trajectory=sent, dt=0.01)
    assert list(response.joint_names) == names
    both = order + [7 + k for k in order]
    A, B = backend("arm7").linearize(q, v, tau, dt=0.01)
    same_matrices(response, (A[:, both][:, :, both], B[:, both][:, :, order]))


def test_mimic_joints(gripper):
    core = backend("gripper")
    names = list(core.model.joint_names)
    q, v, tau = (states(3, 4, seed) for seed in (1, 2, 3))
    unread = np.full((4, 1), math.nan)
    sent = sent_with(np.hstack([unread, tau]), ["cam_joint", *names], *(np.hstack([unread, x]) for x in (q, v)))
    response = gripper.client.good(LinearizeTrajectory, trajectory=sent, dt=0.001)
    assert list(response.joint_names) == names
    same_matrices(response, core.linearize(q, v, tau, dt=0.001))


@pytest.mark.parametrize("scheme, code", SCHEMES)
def test_floating_base(quadruped, scheme, code):
    core = backend("quadruped", base="floating")
    names = list(core.model.joint_names)[1:]
    q, v, a, tau, f = (states(n, 3, seed) for seed, n in enumerate((19, 18, 18, 18, 6)))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    common = {
        "dt": 0.01,
        "scheme": code,
        "base_pose": poses(q),
        "base_twist": twists(v),
        "external_wrench_links": ["FL_foot"],
        "external_wrenches": wrenches(f),
        "external_wrench_axes": Request.AXES_WORLD,
    }
    sent = sent_with(tau[:, 6:], names, q[:, 7:], v[:, 6:], a[:, 6:])
    response = quadruped.client.good(LinearizeTrajectory, trajectory=sent, base_wrench=wrenches(tau), **common)
    assert response.rows == 18
    pushed = {"f_ext": {"FL_foot": f}, "axes": "world"}
    same_matrices(response, core.linearize(q, v, tau, dt=0.01, scheme=scheme, **pushed))

    needed = core.inverse_dynamics(q, v, a, **pushed)
    response = quadruped.client.good(
        LinearizeTrajectory, trajectory=sent, input=Request.INPUT_ACCELERATION, base_acceleration=accelerations(a), **common
    )
    same(response.effort, needed[:, 6:])
    same([w.force.z for w in response.base_wrench], needed[:, 2])
    same_matrices(response, core.linearize(q, v, needed, dt=0.01, scheme=scheme, **pushed))


def test_refused(arm):
    x = states(7, 3)
    good = sent_with(x, ARM, x, x)

    def refused(code, *words, **fields):
        arm.client.refused(LinearizeTrajectory, code, *words, **{"trajectory": good, "dt": 0.01, **fields})

    refused(Response.MISSING_JOINT, "joint_names is empty", trajectory=trajectory([], x, x))
    refused(Response.WRONG_SIZE, "points[0].effort has 0", "INPUT_ACCELERATION (1)", trajectory=trajectory(ARM, x, x))
    refused(Response.MISSING_JOINT, "'joint_7'", trajectory=sent_with(x[:, :6], ARM[:6], x[:, :6], x[:, :6]))
    refused(Response.UNKNOWN_JOINT, "'elbow'", trajectory=sent_with(x, ["elbow", *ARM[1:]], x, x))
    refused(Response.INVALID_ARGUMENT, "scheme is 7", "SCHEME_RK4 (1)", scheme=7)
    refused(Response.INVALID_ARGUMENT, "input is 7", input=7)
    refused(Response.INVALID_ARGUMENT, "dt is -1", dt=-1.0)
    refused(Response.INVALID_ARGUMENT, "dt is nan", dt=math.nan)
    still = sent_with(x, ARM, x, x, times=[0, 0, 1])
    refused(Response.INVALID_ARGUMENT, "points[1].time_from_start", "or dt", trajectory=still, dt=0.0)
    refused(Response.UNKNOWN_LINK, "'arm'", external_wrench_links=["arm"])
    bodies.every_service_answers(arm.client)


def test_bad_points_spoil_only_themselves(arm):
    q, x = states(7, 3), states(7, 3, 1)
    good = arm.client.good(LinearizeTrajectory, trajectory=sent_with(x, ARM, q, x), dt=0.01)
    q[1, 3] = math.nan
    response = arm.client.call(LinearizeTrajectory, trajectory=sent_with(x, ARM, q, x), dt=0.01)
    assert response.error_code == Response.STATES_FAILED
    assert "point 1: positions of joint 'joint_4' is NaN" in response.error_msg
    assert list(response.status) == [0, Response.STATUS_NOT_FINITE, 0]
    matrices = np.reshape(response.state_matrix, (3, 196))
    assert np.isnan(matrices[1]).all()
    np.testing.assert_array_equal(matrices[[0, 2]], np.reshape(good.state_matrix, (3, 196))[[0, 2]])


@pytest.mark.parametrize("name", ["rbd_parallel/cpu", "rbd_parallel/reference", "rbd_parallel/tree", "rbd_parallel/cuda"])
def test_every_backend(serve, name):
    """Law: through every plugin the matrices are the same."""
    client = serve(robot_description=urdf("arm7"), backend=name).client
    client.activate()
    q, v, tau = (states(7, 20, seed) for seed in (1, 2, 3))
    response = client.good(LinearizeTrajectory, trajectory=sent_with(tau, ARM, q, v), dt=0.01)
    A, B = backend("arm7").linearize(q, v, tau, dt=0.01)
    scale = np.abs(A).max()
    np.testing.assert_allclose(np.asarray(response.state_matrix) / scale, A.ravel() / scale, rtol=0, atol=1e-11)
    np.testing.assert_allclose(response.input_matrix, B.ravel(), rtol=0, atol=1e-11 * np.abs(B).max())


@third_party
def test_backend_without_derivatives(serve):
    client = serve(robot_description=urdf("arm7"), backend="third_party/constant").client
    client.activate()
    assert list(client.good(InverseDynamics, position=[0.0] * 7).effort) == [42.0] * 7
    x = states(7, 2)
    client.refused(LinearizeTrajectory, Response.UNSUPPORTED, "does not offer", trajectory=sent_with(x, ARM, x, x), dt=0.01)


def test_not_active(serve):
    client = serve(robot_description=urdf("arm7")).client
    x = states(7, 1)
    client.refused(
        LinearizeTrajectory, Response.NOT_ACTIVE, "configure and activate it", trajectory=sent_with(x, ARM, x, x), dt=0.01
    )
