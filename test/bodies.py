# SPDX-License-Identifier: Apache-2.0
"""Test bodies that pytest and launch_testing share: they take a client and need no other reference than the laws."""

import numpy as np
from rbd_parallel_msgs.srv import BiasForces, Derivatives, ForwardDynamics, GetModelInfo, InverseDynamics, MassMatrix

QUERIES = (InverseDynamics, BiasForces, MassMatrix, ForwardDynamics, Derivatives)
ALL_BLOCKS = 63  # of Derivatives


def only_errors_while_inactive(client):
    """Law: calls in the wrong state get an answer, which says what to do."""
    for service in QUERIES:
        client.refused(service, service.Response.NOT_ACTIVE, "activate it", position=[0.0] * 7)


def walk_the_lifecycle(client):
    """unconfigured -> inactive -> active -> inactive -> unconfigured, with the services asked in each state."""
    assert client.state() == "unconfigured"
    only_errors_while_inactive(client)
    client.refused(GetModelInfo, GetModelInfo.Response.NOT_ACTIVE, "not configured")
    assert not client.transition("activate")
    assert client.transition("configure")
    assert client.state() == "inactive"
    only_errors_while_inactive(client)
    assert client.good(GetModelInfo).model_info.nv == 7
    assert client.transition("activate")
    every_service_answers(client)
    assert client.transition("deactivate")
    only_errors_while_inactive(client)
    assert client.transition("cleanup")
    assert client.state() == "unconfigured"
    client.refused(GetModelInfo, GetModelInfo.Response.NOT_ACTIVE, "not configured")


def every_service_answers(client, batch=3):
    """Law: tau = M a + bias, and FD inverts ID, for a robot with a fixed base and joints of one coordinate."""
    n = len(client.good(GetModelInfo).model_info.joint_names)
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, batch, n))
    state = {"batch_size": batch, "position": q.ravel().tolist()}
    moving = {**state, "velocity": v.ravel().tolist()}
    tau = client.good(InverseDynamics, **moving, acceleration=a.ravel().tolist()).effort
    bias = client.good(BiasForces, **moving).effort
    matrix = np.reshape(client.good(MassMatrix, **state).mass_matrix, (batch, n, n))
    back = client.good(ForwardDynamics, **moving, effort=tau).acceleration
    tau, bias = np.reshape(tau, (batch, n)), np.reshape(bias, (batch, n))
    np.testing.assert_allclose(np.einsum("bij,bj->bi", matrix, a) + bias, tau, rtol=0, atol=1e-12 * abs(tau).max())
    np.testing.assert_allclose(np.reshape(back, (batch, n)), a, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(matrix, matrix.transpose(0, 2, 1))
    derivatives_answer(client, moving, a, tau, matrix)


def derivatives_answer(client, moving, a, tau, matrix):
    """Law: M of both services is the same, and what forward dynamics gives for a change of position is what makes up
    for the change of effort: d FD / dx = -M^-1 d ID / dx."""
    batch, n = tau.shape
    response = client.good(
        Derivatives, **moving, acceleration=a.ravel().tolist(), effort=tau.ravel().tolist(), blocks=ALL_BLOCKS
    )
    assert response.rows == n
    blocks = {name: np.reshape(getattr(response, name), (batch, n, n)) for name in (
        "inverse_dynamics_dq", "inverse_dynamics_dv", "mass_matrix", "forward_dynamics_dq", "forward_dynamics_dv",
        "forward_dynamics_dtau",
    )}  # fmt: skip
    np.testing.assert_allclose(blocks["mass_matrix"], matrix, rtol=0, atol=1e-12 * abs(matrix).max())
    for by in ("dq", "dv"):
        change = blocks[f"inverse_dynamics_{by}"]
        back = matrix @ blocks[f"forward_dynamics_{by}"]
        np.testing.assert_allclose(back, -change, rtol=0, atol=1e-9 * abs(change).max())
    np.testing.assert_allclose(
        matrix @ blocks["forward_dynamics_dtau"], np.tile(np.eye(n), (batch, 1, 1)), rtol=0, atol=1e-9
    )
