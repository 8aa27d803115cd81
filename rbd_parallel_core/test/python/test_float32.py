# SPDX-License-Identifier: Apache-2.0
"""Backends of dtype float32 against Pinocchio in double, on every robot, at states that float32 can hold."""

import numpy
import pytest

from pinocchio_cases import SINGULAR, Case, all_cases

LIMIT = 2e-5  # inverse dynamics and mass matrix, relative to the largest entry
RESIDUAL_LIMIT = 1e-3  # forward dynamics: of the torque that the accelerations need

# Links so light beside what hangs on them that aba, which looks at 64 eps of the largest numbers of an articulated
# inertia, calls a state singular in float32. crba, which looks at the diagonal of M, does not.
SINGULAR_TO_ABA = {"human_description/robots/human.urdf"}


@pytest.fixture(scope="module", params=all_cases(), ids=" ".join)
def case(request):
    case = Case(*request.param, "cpu")
    case.single = case.make_backend(dtype="float32", on_error="nan")
    case.inputs = [array.astype(numpy.float32) for array in (case.q, case.v, case.a)]
    case.q, case.v, case.a = (array.astype(float) for array in case.inputs)
    return case


def test_forces_and_mass_matrix(case, errors):
    q, v, a = case.inputs
    tau = case.reference.forces(case.q, case.v, case.a)
    errors.matching("float32: inverse dynamics", case.single.inverse_dynamics(q, v, a), tau, LIMIT, case.where)
    M = case.reference.mass_matrices(case.q)
    errors.matching("float32: mass matrix", case.single.mass_matrix(q), M, LIMIT, case.where)


def torques(case):
    """Half of them ask for accelerations of order one, the others would give these to each joint alone."""
    tau = case.reference.forces(case.q, case.v, case.a).copy()
    diagonal = numpy.diagonal(case.reference.mass_matrices(case.q), axis1=1, axis2=2)
    bias = case.reference.forces(case.q, case.v, numpy.zeros_like(case.v))
    tau[::2] = (bias + diagonal * case.rng("torques").normal(size=tau.shape))[::2]
    return tau.astype(numpy.float32)


def test_forward_dynamics(case, errors):
    if case.model.nv == 0:
        return
    q, v, a = case.inputs
    tau = torques(case)
    for method in ("crba",) if case.mimic == "honour" else ("aba", "crba"):
        qdd = case.single.forward_dynamics(q, v, tau, method=method).astype(float)
        ok = case.single.status == 0
        may_be_singular = (case.robot, case.base) in SINGULAR or (method == "aba" and case.robot in SINGULAR_TO_ABA)
        assert ok.all() or may_be_singular, f"{case.where}, {method}: {case.single.bad_states()}"
        assert numpy.isnan(qdd[~ok]).all()
        needed = case.reference.forces(case.q[ok], case.v[ok], qdd[ok])
        residual = numpy.abs(needed - tau[ok]).max(axis=1) / numpy.abs(tau[ok]).max(axis=1)
        errors.check(f"float32: forward dynamics, {method}, residual", residual, RESIDUAL_LIMIT, case.where)
