# SPDX-License-Identifier: Apache-2.0
"""~/derivatives against the core's numbers."""

import math

import bodies
import numpy as np
import pytest
from geometry_msgs.msg import Inertia
from messages import accelerations, poses, twists, vector, wrenches
from node_process import urdf
from rbd_parallel_msgs.srv import Derivatives, SetPayload
from reference import backend, same, states

Request, Response = Derivatives.Request, Derivatives.Response
INVERSE = Request.INVERSE_DYNAMICS_DQ | Request.INVERSE_DYNAMICS_DV | Request.MASS_MATRIX
FORWARD = Request.FORWARD_DYNAMICS_DQ | Request.FORWARD_DYNAMICS_DV | Request.FORWARD_DYNAMICS_DTAU
NAMES = [
    "inverse_dynamics_dq", "inverse_dynamics_dv", "mass_matrix", "forward_dynamics_dq", "forward_dynamics_dv",
    "forward_dynamics_dtau",
]  # fmt: skip


def expected(core, q, v, a, tau, **wrenches):
    """The six blocks, in the order of their flags."""
    inverse = core.inverse_dynamics_derivatives(q, v, a, **wrenches)
    return [*inverse, core.mass_matrix(q), *core.forward_dynamics_derivatives(q, v, tau, **wrenches)]


def same_blocks(response, blocks):
    for name, block in zip(NAMES, blocks, strict=True):
        # Relative to the largest entry: what is exactly zero in one batch may be rounding in another.
        scale = max(1.0, np.abs(block).max())
        np.testing.assert_allclose(
            np.asarray(getattr(response, name)) / scale, np.ravel(block) / scale, rtol=0, atol=1e-12, err_msg=name
        )


def flat(**arrays):
    return {name: x.ravel().tolist() for name, x in arrays.items()}


@pytest.mark.parametrize("batch", [1, 17, 1000])
def test_arm(arm, batch):
    q, v, a, tau = (states(7, batch, seed) for seed in (1, 2, 3, 4))
    response = arm.client.good(
        Derivatives, blocks=INVERSE | FORWARD, **flat(position=q, velocity=v, acceleration=a, effort=tau)
    )
    assert (response.batch_size, response.rows) == (batch, 7)
    assert list(response.joint_names) == [f"joint_{i}" for i in range(1, 8)]
    assert list(response.status) == [Response.STATUS_OK] * batch
    same_blocks(response, expected(backend("arm7"), q, v, a, tau))


@pytest.mark.parametrize("k", range(6))
def test_each_flag_gives_its_block(arm, k):
    q, v = states(7, 3, 1), states(7, 3, 2)
    response = arm.client.good(Derivatives, blocks=1 << k, **flat(position=q, velocity=v))
    for i, block in enumerate(expected(backend("arm7"), q, v, None, None)):
        same(getattr(response, NAMES[i]), block if i == k else [])


def test_joint_order_moves_rows_and_columns(arm):
    order = [6, 2, 4, 0, 1, 5, 3]
    q, v, a, tau = (states(7, 5, seed) for seed in (1, 2, 3, 4))
    turned = flat(position=q[:, order], velocity=v[:, order], acceleration=a[:, order], effort=tau[:, order])
    names = [f"joint_{i + 1}" for i in order]
    response = arm.client.good(Derivatives, joint_names=names, blocks=INVERSE | FORWARD, **turned)
    assert list(response.joint_names) == names
    same_blocks(response, [x[:, order][:, :, order] for x in expected(backend("arm7"), q, v, a, tau)])


def test_joint_subset(arm):
    """Law: joints that are left out stand still at 0; forward dynamics wants to know all of them."""
    q, v = np.zeros((2, 3, 7))
    q[:, [5, 1]], v[:, [5, 1]] = states(2, 3, 1), states(2, 3, 2)
    fields = {"joint_names": ["joint_6", "joint_2"], **flat(position=q[:, [5, 1]], velocity=v[:, [5, 1]])}
    response = arm.client.good(Derivatives, blocks=INVERSE, **fields)
    assert response.rows == 2
    dq, dv = backend("arm7").inverse_dynamics_derivatives(q, v)
    same(response.inverse_dynamics_dq, dq[:, [5, 1]][:, :, [5, 1]])
    same(response.inverse_dynamics_dv, dv[:, [5, 1]][:, :, [5, 1]])
    for block in (Request.FORWARD_DYNAMICS_DQ, INVERSE | Request.FORWARD_DYNAMICS_DTAU):
        arm.client.refused(Derivatives, Response.MISSING_JOINT, "'joint_1'", blocks=block, **fields)


@pytest.mark.parametrize("axes, code", [("link", Request.AXES_LINK), ("world", Request.AXES_WORLD)])
def test_external_wrenches(arm, axes, code):
    """Law: wrenches turn with their link or they do not, and the derivatives are those of that."""
    q, v, a, tau, f = (states(n, 2, seed) for seed, n in enumerate((7, 7, 7, 7, 12)))
    response = arm.client.good(
        Derivatives,
        blocks=INVERSE | FORWARD,
        external_wrench_links=["tool", "link_3"],
        external_wrenches=wrenches(f.reshape(4, 6)),
        external_wrench_axes=code,
        **flat(position=q, velocity=v, acceleration=a, effort=tau),
    )
    f_ext = {"tool": f[:, :6], "link_3": f[:, 6:]}
    same_blocks(response, expected(backend("arm7"), q, v, a, tau, f_ext=f_ext, axes=axes))


@pytest.mark.parametrize("batch", [1, 20])
def test_floating_base(quadruped, batch):
    q, v, a, tau = states(19, batch, 1), states(18, batch, 2), states(18, batch, 3), states(18, batch, 4)
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    response = quadruped.client.good(
        Derivatives,
        blocks=INVERSE | FORWARD,
        base_pose=poses(q),
        base_twist=twists(v),
        base_acceleration=accelerations(a),
        base_wrench=wrenches(tau),
        **flat(position=q[:, 7:], velocity=v[:, 6:], acceleration=a[:, 6:], effort=tau[:, 6:]),
    )
    assert response.rows == 18
    same_blocks(response, expected(backend("quadruped", base="floating"), q, v, a, tau))


def test_mimic_joints(gripper):
    q, v, a, tau = (states(3, 6, seed) for seed in (1, 2, 3, 4))
    response = gripper.client.good(
        Derivatives, blocks=INVERSE | FORWARD, **flat(position=q, velocity=v, acceleration=a, effort=tau)
    )
    same_blocks(response, expected(backend("gripper"), q, v, a, tau))


def test_payload_counts(serve):
    """Law: with a payload the blocks are those of a robot that has it."""
    client = serve(robot_description=urdf("arm7")).client
    client.activate()
    q = states(7, 2)
    request = {"blocks": INVERSE | FORWARD, **flat(position=q)}
    client.good(Derivatives, **request)
    client.good(SetPayload, link="tool", inertia=Inertia(m=2.0, com=vector([0.0, 0.0, 0.1])))
    loaded = type(backend("arm7"))(backend("arm7").model.with_payload("tool", 2.0, [0, 0, 0.1]), max_batch=2)
    same_blocks(client.good(Derivatives, **request), expected(loaded, q, None, None, None))


@pytest.mark.parametrize("code, words, fields", [
    (Response.INVALID_ARGUMENT, ["blocks is 0", "INVERSE_DYNAMICS_DQ (1)"], {"blocks": 0}),
    (Response.INVALID_ARGUMENT, ["blocks is 64", "FORWARD_DYNAMICS_DTAU (32)"], {"blocks": 64}),
    (Response.INVALID_ARGUMENT, ["blocks is 65535"], {"blocks": 65535}),
    (Response.INVALID_ARGUMENT, ["effort has 7", "forward dynamics"], {"effort": [0.0] * 7}),
    (Response.INVALID_ARGUMENT, ["acceleration has 7"], {"blocks": FORWARD, "acceleration": [0.0] * 7}),
    (Response.WRONG_SIZE, ["position is empty"], {"position": []}),
    (Response.WRONG_SIZE, ["velocity has 3"], {"velocity": [0.0] * 3}),
    (Response.WRONG_SIZE, ["position has 7", "expected 14"], {"batch_size": 2}),
    (Response.UNKNOWN_JOINT, ["'elbow'"], {"joint_names": ["elbow"]}),
    (Response.BATCH_TOO_LARGE, ["2001", "at most 2000"], {"position": [0.0] * 7 * 2001}),
    (Response.BATCH_TOO_LARGE, ["4294967295"], {"batch_size": 2**32 - 1}),
])  # fmt: skip
def test_refused(arm, code, words, fields):
    arm.client.refused(Derivatives, code, *words, **{"blocks": INVERSE, "position": [0.0] * 7, **fields})
    bodies.every_service_answers(arm.client)


def test_replies_that_are_too_large_are_refused(serve):
    """Law: the reply is counted before memory is taken for it, all blocks together."""
    client = serve(robot_description=urdf("arm7"), max_batch=1000000).client
    client.activate()
    client.refused(
        Derivatives, Response.BATCH_TOO_LARGE, "send at most 114130 states", blocks=INVERSE | FORWARD, batch_size=200000
    )
    bodies.every_service_answers(client)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_bad_numbers_spoil_only_their_state(arm, bad):
    q = states(7, 3)
    good = arm.client.good(Derivatives, blocks=INVERSE | FORWARD, **flat(position=q))
    q[1, 3] = bad
    response = arm.client.call(Derivatives, blocks=INVERSE | FORWARD, **flat(position=q))
    assert response.error_code == Response.STATES_FAILED
    assert "state 1: position of joint 'joint_4'" in response.error_msg
    assert list(response.status) == [Response.STATUS_OK, Response.STATUS_NOT_FINITE, Response.STATUS_OK]
    for name in NAMES:
        block = np.reshape(getattr(response, name), (3, 49))
        assert np.isnan(block[1]).all()
        np.testing.assert_array_equal(block[[0, 2]], np.reshape(getattr(good, name), (3, 49))[[0, 2]])


def test_singular_state_names_the_joint(serve):
    robot = """<robot name="r"><link name="base"/><link name="arm"/><joint name="loose" type="continuous">
      <parent link="base"/><child link="arm"/></joint></robot>"""
    client = serve(robot_description=robot).client
    client.activate()
    response = client.call(Derivatives, blocks=INVERSE | FORWARD, position=[0.0, 1.0])
    assert response.error_code == Response.STATES_FAILED and "'loose'" in response.error_msg
    assert list(response.status) == [Response.STATUS_SINGULAR] * 2
    assert list(response.status_joint) == ["loose"] * 2
    assert list(response.mass_matrix) == [0.0] * 2, "M exists where its inverse does not"
    assert np.isnan(response.forward_dynamics_dtau).all()
