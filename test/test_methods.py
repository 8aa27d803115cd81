# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics by every METHOD_* of the service, on a chain that all of them can be used on, over DDS."""

import numpy as np
import pinocchio_oracle
import pytest
from rbd_parallel_msgs.srv import ForwardDynamics
from reference import states

LINKS = 150  # enough for the backend tree to cut it
METHODS = sorted(name for name in dir(type(ForwardDynamics.Request)) if name.startswith("METHOD_"))


def chain(links):
    """URDF of a chain of revolute joints, each turned against the one before it."""
    text = '<link name="base"/>'
    parent = "base"
    for i in range(links):
        text += f"""
          <joint name="joint_{i:03}" type="revolute"><parent link="{parent}"/><child link="link_{i:03}"/>
            <origin xyz="0.1 0.02 0" rpy="0.7 0 0.1"/><axis xyz="0 0 1"/>
            <limit lower="-3" upper="3" effort="100" velocity="10"/></joint>
          <link name="link_{i:03}"><inertial><origin xyz="0.05 0 0.01"/><mass value="0.5"/>
            <inertia ixx="0.002" iyy="0.003" izz="0.0025" ixy="0.0001" ixz="0" iyz="0"/></inertial></link>"""
        parent = f"link_{i:03}"
    return f'<robot name="chain">{text}</robot>'


class Reference:
    """A state of the chain, its accelerations, and the efforts that Pinocchio says they take."""

    def __init__(self, folder):
        self.path = folder / "chain"
        self.path.with_suffix(".urdf").write_text(chain(LINKS))
        self.q, self.v, self.a = (states(LINKS, 2, seed) for seed in (1, 2, 3))
        self.tau = self.effort_of(self.a)

    def effort_of(self, acceleration):
        return pinocchio_oracle.inverse_dynamics(str(self.path), self.q, self.v, acceleration)[1]


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    return Reference(tmp_path_factory.mktemp("chain"))


@pytest.fixture(scope="module", params=["rbd_parallel/tree", "rbd_parallel/auto"])
def client(request, tmp_path_factory, ros):
    from conftest import Serving

    name = request.param.replace("/", "_")
    parameters = {"robot_description": chain(LINKS), "backend": request.param, "max_batch": 10}
    serving = Serving(tmp_path_factory.mktemp(name), parameters, name)
    serving.client.activate()
    yield serving.client
    serving.close()


def test_the_constants_are_found():
    assert len(METHODS) == 9 and "METHOD_TWO_PORT" in METHODS


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_answered(client, reference, method):
    """Law: ID(FD(tau)) = tau, with the inverse dynamics of Pinocchio."""
    answer = client.good(
        ForwardDynamics, batch_size=2, position=reference.q.ravel().tolist(), velocity=reference.v.ravel().tolist(),
        effort=reference.tau.ravel().tolist(), method=getattr(ForwardDynamics.Request, method),
    )  # fmt: skip
    acceleration = np.reshape(answer.acceleration, (2, LINKS))
    np.testing.assert_allclose(
        reference.effort_of(acceleration), reference.tau, rtol=0, atol=1e-9 * abs(reference.tau).max()
    )
