# SPDX-License-Identifier: Apache-2.0
"""Every service, single and batched, against the core's numbers."""

import numpy as np
import pytest
from messages import accelerations, poses, twists, wrenches
from rbd_parallel_msgs.srv import BiasForces, ForwardDynamics, GetModelInfo, InverseDynamics, MassMatrix
from reference import backend, same, states


def numbers_of(wrenches):
    return [[w.force.x, w.force.y, w.force.z, w.torque.x, w.torque.y, w.torque.z] for w in wrenches]


@pytest.mark.parametrize("batch", [1, 17, 1000])
def test_arm(arm, batch):
    core = backend("arm7")
    q, v, a = (states(7, batch, seed) for seed in (1, 2, 3))
    still = {"batch_size": batch, "position": q.ravel().tolist()}
    moving = {**still, "velocity": v.ravel().tolist()}
    tau = core.inverse_dynamics(q, v, a)

    response = arm.client.good(InverseDynamics, **moving, acceleration=a.ravel().tolist())
    same(response.effort, tau)
    assert list(response.joint_names) == [f"joint_{i}" for i in range(1, 8)]
    assert response.batch_size == batch
    assert list(response.status) == [0] * batch
    assert not response.base_wrench

    response = arm.client.good(MassMatrix, **still)
    assert response.rows == 7
    same(response.mass_matrix, core.mass_matrix(q))

    response = arm.client.good(ForwardDynamics, **moving, effort=tau.ravel().tolist())
    same(response.acceleration, core.forward_dynamics(q, v, tau))
    np.testing.assert_allclose(response.acceleration, a.ravel(), atol=1e-9)

    for terms, expected in (
        (BiasForces.Request.TERMS_BIAS, core.bias_forces(q, v)),
        (BiasForces.Request.TERMS_GRAVITY, core.gravity_forces(q)),
        (BiasForces.Request.TERMS_CORIOLIS, core.coriolis_forces(q, v)),
    ):
        same(arm.client.good(BiasForces, **moving, terms=terms).effort, expected)


def test_empty_velocity_and_acceleration_are_zero(arm):
    q = states(7, 4)
    zeros = np.zeros((4, 7))
    tau = backend("arm7").inverse_dynamics(q, zeros, zeros)
    same(arm.client.good(InverseDynamics, batch_size=4, position=q.ravel().tolist()).effort, tau)
    same(arm.client.good(InverseDynamics, position=q.ravel().tolist()).effort, tau)  # batch_size left out


def test_joint_order(arm):
    """Law: the order of joint_names moves columns, and nothing else."""
    order = [6, 2, 4, 0, 1, 5, 3]
    names = [f"joint_{i + 1}" for i in order]
    core = backend("arm7")
    q, v, a = (states(7, 5, seed) for seed in (1, 2, 3))
    tau = core.inverse_dynamics(q, v, a)
    turned = {name: x[:, order].ravel().tolist() for name, x in (("position", q), ("velocity", v))}
    response = arm.client.good(
        InverseDynamics, joint_names=names, acceleration=a[:, order].ravel().tolist(), **turned
    )
    assert list(response.joint_names) == names
    same(response.effort, tau[:, order])
    response = arm.client.good(ForwardDynamics, joint_names=names, effort=tau[:, order].ravel().tolist(), **turned)
    same(response.acceleration, core.forward_dynamics(q, v, tau)[:, order])
    response = arm.client.good(MassMatrix, joint_names=names, position=turned["position"])
    same(response.mass_matrix, core.mass_matrix(q)[:, order][:, :, order])


def test_joint_subset(arm):
    """Law: joints that are left out stand still at 0."""
    q, v = np.zeros((2, 3, 7))
    q[:, [5, 1]] = states(2, 3, 1)
    v[:, [5, 1]] = states(2, 3, 2)
    core = backend("arm7")
    fields = {"joint_names": ["joint_6", "joint_2"], "position": q[:, [5, 1]].ravel().tolist()}
    response = arm.client.good(InverseDynamics, **fields, velocity=v[:, [5, 1]].ravel().tolist())
    same(response.effort, core.inverse_dynamics(q, v)[:, [5, 1]])
    response = arm.client.good(MassMatrix, **fields)
    same(response.mass_matrix, core.mass_matrix(q)[:, [5, 1]][:, :, [5, 1]])
    arm.client.refused(ForwardDynamics, ForwardDynamics.Response.MISSING_JOINT, "'joint_1'", **fields)


def test_external_wrenches(arm):
    core = backend("arm7")
    q, f = states(7, 2), states(12, 2, 4)
    for axes, code in (("link", 0), ("world", 1)):
        tau = core.inverse_dynamics(q, f_ext={"tool": f[:, :6], "link_3": f[:, 6:]}, axes=axes)
        response = arm.client.good(
            InverseDynamics,
            position=q.ravel().tolist(),
            external_wrench_links=["tool", "link_3"],
            external_wrenches=wrenches(f.reshape(4, 6)),
            external_wrench_axes=code,
        )
        same(response.effort, tau)


@pytest.mark.parametrize("batch", [1, 20])
def test_floating_base(quadruped, batch):
    core = backend("quadruped", base="floating")
    q, v, a = states(19, batch, 1), states(18, batch, 2), states(18, batch, 3)
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    still = {"batch_size": batch, "position": q[:, 7:].ravel().tolist(), "base_pose": poses(q)}
    moving = {
        **still,
        "velocity": v[:, 6:].ravel().tolist(),
        "base_twist": twists(v),
    }
    tau = core.inverse_dynamics(q, v, a)
    response = quadruped.client.good(
        InverseDynamics,
        **moving,
        acceleration=a[:, 6:].ravel().tolist(),
        base_acceleration=accelerations(a),
    )
    same(response.effort, tau[:, 6:])
    same(np.ravel(numbers_of(response.base_wrench)), tau[:, :6])

    forward = quadruped.client.good(
        ForwardDynamics, **moving, effort=tau[:, 6:].ravel().tolist(), base_wrench=response.base_wrench
    )
    np.testing.assert_allclose(forward.acceleration, a[:, 6:].ravel(), atol=1e-8)
    np.testing.assert_allclose([x.linear.z for x in forward.base_acceleration], a[:, 2], atol=1e-8)

    response = quadruped.client.good(MassMatrix, **still)
    assert response.rows == 18
    same(response.mass_matrix, core.mass_matrix(q))

    response = quadruped.client.good(BiasForces, **moving)
    same(response.effort, core.bias_forces(q, v)[:, 6:])


def test_mimic_joints(gripper):
    core = backend("gripper")
    q, v, a = (states(3, 6, seed) for seed in (1, 2, 3))
    moving = {"position": q.ravel().tolist(), "velocity": v.ravel().tolist()}
    tau = core.inverse_dynamics(q, v, a)
    same(gripper.client.good(InverseDynamics, **moving, acceleration=a.ravel().tolist()).effort, tau)
    response = gripper.client.good(ForwardDynamics, **moving, effort=tau.ravel().tolist())
    np.testing.assert_allclose(response.acceleration, a.ravel(), atol=1e-8)
    gripper.client.refused(
        InverseDynamics,
        InverseDynamics.Response.UNKNOWN_JOINT,
        "mimics 'finger_left_joint'",
        joint_names=["finger_right_joint"],
        position=[0.0],
    )


def test_model_info(arm, quadruped, gripper):
    core = backend("arm7").model
    info = arm.client.good(GetModelInfo).model_info
    assert info.name == "arm7"
    assert list(info.joint_names) == list(core.joint_names)
    assert set(info.joint_types) == {"revolute"}
    assert info.position_lower[0] == -2.9 and info.position_upper[0] == 2.9
    assert info.effort_limit[0] == 180 and info.velocity_limit[0] == 1.7
    assert list(info.joint_nq) == list(info.joint_nv) == [1] * 7
    assert (info.nq, info.nv, info.floating_base) == (7, 7, False)
    assert info.gravity.z == -9.81
    assert np.isclose(sum(info.link_mass), info.total_mass)
    assert info.backend == "rbd_parallel/auto" and info.backend_name == "cpu"
    assert info.max_batch == 2000
    info = quadruped.client.good(GetModelInfo).model_info
    assert (len(info.joint_names), info.nq, info.nv, info.floating_base) == (12, 19, 18, True)
    info = gripper.client.good(GetModelInfo).model_info
    assert dict(zip(info.mimic_joints, info.mimic_multiplier)) == {"finger_right_joint": 1, "cam_joint": 50}
    assert set(info.mimic_followed) == {"finger_left_joint"}
