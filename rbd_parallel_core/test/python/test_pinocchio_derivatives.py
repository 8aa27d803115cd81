# SPDX-License-Identifier: Apache-2.0
"""Derivatives, products with them and the matrices that belong to them against Pinocchio, on every robot.

Robots, states and limits as in test_pinocchio.py. The backends are the kinds of kernels: one state at a time,
SIMD lanes, and code that is made for the robot.
"""

import numpy
import pytest

from pinocchio_cases import SINGULAR, STATES, Case, all_cases

LIMIT = 1e-11  # of the largest entry: what takes no division by M
FORWARD_LIMIT = 1e-9


@pytest.fixture(
    scope="module", params=[(*case, name) for case in all_cases() for name in ("reference", "cpu", "compiled")], ids=" ".join
)
def case(request):
    made = Case(*request.param)
    if made.model.nv == 0:
        pytest.skip("a robot without coordinates has no derivatives")
    return made


def wrenches_of(case):
    rng = case.rng("wrenches")
    return {link: rng.normal(size=(STATES, 6)) * 10 for link in case.links(3)}


def inertia_scale(case):
    return numpy.abs(case.backend.mass_matrix(case.q)).max(axis=(1, 2))


def test_inverse_dynamics(case, errors):
    wrenches = wrenches_of(case)
    for f_ext, suffix in ((None, ""), (wrenches, ", wrenches")):
        ours = case.backend.inverse_dynamics_derivatives(case.q, case.v, case.a, f_ext=f_ext)
        theirs = case.reference.inverse_derivatives(case.q, case.v, case.a, f_ext)
        errors.matching(f"dtau_dq{suffix}", ours[0], theirs[0], LIMIT, case.where)
        # The derivative by v may vanish, as for rotors that turn about their own centres of mass: then it is rounding
        # of M v.
        scale = numpy.maximum(*(numpy.abs(each).max(axis=(1, 2)) for each in theirs))
        scale = numpy.maximum(scale, inertia_scale(case))
        errors.matching(f"dtau_dv{suffix}", ours[1], theirs[1], LIMIT, case.where, scale)


def test_gravity(case, errors):
    """Without v and a, dtau_dq is the derivative of the gravity forces."""
    zero = numpy.zeros_like(case.v)
    expected = case.reference.inverse_derivatives(case.q, zero, zero)[0]
    if numpy.abs(expected).max() > 0:
        ours = case.backend.inverse_dynamics_derivatives(case.q)[0]
        scale = numpy.maximum(numpy.abs(expected).max(axis=(1, 2)), 1e-3)
        errors.matching("dg_dq", ours, expected, LIMIT, case.where, scale)


def test_forward_dynamics(case, errors):
    """M d qdd / d q = -d tau / d q at a = qdd, likewise by v; d qdd / d tau is the inverse of M. By the residual, as the
    conventions say; singular states have their status."""
    backend = case.lenient
    tau = case.reference.forces(case.q, case.v, case.a)
    by_q, by_v, by_tau = backend.forward_dynamics_derivatives(case.q, case.v, tau)
    ok = backend.status == 0
    M = case.reference.mass_matrices(case.q)
    condition = numpy.linalg.cond(M)
    if (case.robot, case.base) not in SINGULAR:
        assert ok[condition < 1e14].all()
    assert numpy.isnan(by_q[~ok]).all() and numpy.isnan(by_v[~ok]).all() and numpy.isnan(by_tau[~ok]).all()
    good = ok & (condition < 1e8)
    if not good.any():
        return
    qdd = backend.forward_dynamics(case.q, case.v, tau)
    expected = case.reference.inverse_derivatives(case.q[good], case.v[good], qdd[good])
    # A residual of M x grows with the size of x.
    largest = numpy.maximum(*(numpy.abs(each[good]).max(axis=(1, 2)) for each in (by_q, by_v)))
    scale = numpy.abs(M[good]).max(axis=(1, 2)) * numpy.maximum(largest, 1)
    errors.matching("M dqdd_dq", -M[good] @ by_q[good], expected[0], FORWARD_LIMIT, case.where, scale)
    errors.matching("M dqdd_dv", -M[good] @ by_v[good], expected[1], FORWARD_LIMIT, case.where, scale)
    errors.matching("dqdd_dtau", by_tau[good], numpy.linalg.inv(M[good]), FORWARD_LIMIT, case.where)


def test_products(case, errors):
    rng = case.rng("directions")
    dq, dv, da, weights = (rng.normal(size=case.v.shape) for _ in range(4))
    f_ext = wrenches_of(case)
    for axes in ("link", "world"):
        by_q, by_v = case.backend.inverse_dynamics_derivatives(case.q, case.v, case.a, f_ext=f_ext, axes=axes)
        M = case.backend.mass_matrix(case.q)
        parts = [numpy.einsum("bij,bj->bi", *each) for each in ((by_q, dq), (by_v, dv), (M, da))]
        jvp = case.backend.inverse_dynamics_jvp(case.q, case.v, case.a, dq, dv, da, f_ext=f_ext, axes=axes)
        scale = sum(numpy.abs(part).max(axis=1) for part in parts)
        errors.matching(f"jvp, wrenches in {axes} axes", jvp, sum(parts), LIMIT, case.where, scale)
        gradients = case.backend.inverse_dynamics_vjp(case.q, weights, case.v, case.a, f_ext=f_ext, axes=axes)
        for name, matrix, gradient in zip(("q", "v", "a"), (by_q, by_v, M), gradients):
            expected = numpy.einsum("bij,bi->bj", matrix, weights)
            scale = numpy.abs(matrix).max(axis=(1, 2))
            errors.matching(f"vjp by {name}, {axes} axes", gradient, expected, LIMIT, case.where, scale)


def test_coriolis_matrix(case, errors):
    C = case.backend.coriolis_matrix(case.q, case.v)
    theirs = case.reference.coriolis_matrices(case.q, case.v)
    scale = numpy.maximum(numpy.abs(theirs).max(axis=(1, 2)), inertia_scale(case))
    errors.matching("coriolis matrix", C, theirs, LIMIT, case.where, scale)
    rate = case.backend.mass_matrix_rate(case.q, case.v)
    errors.matching("C + C^T = dM/dt", C + C.transpose(0, 2, 1), rate, 1e-15, case.where, scale)


def test_centroidal_momentum(case, errors):
    A, rate = case.reference.centroidal(case.q, case.v)
    scale = numpy.abs(A).max(axis=(1, 2)) * numpy.maximum(1, numpy.abs(case.v).max(axis=1))
    errors.matching("centroidal momentum", case.backend.centroidal_momentum_matrix(case.q), A, LIMIT, case.where, scale)
    ours = case.backend.centroidal_momentum_matrix_rate(case.q, case.v)
    errors.matching("its rate", ours, rate, LIMIT, case.where, numpy.maximum(scale, numpy.abs(rate).max(axis=(1, 2))))


def test_regressor(case, errors):
    Y = case.backend.regressor(case.q, case.v, case.a)
    errors.matching("regressor", Y, case.reference.regressors(case.q, case.v, case.a), LIMIT, case.where)
    tau = case.backend.inverse_dynamics(case.q, case.v, case.a)
    scale = numpy.einsum("bij,j->bi", numpy.abs(Y), numpy.abs(case.model.inertial_parameters)).max(axis=1)
    errors.matching("Y pi = tau", Y @ case.model.inertial_parameters, tau, 1e-13, case.where, scale)


def test_jacobian_rate(case, errors):
    links = case.links(3)
    ours = case.backend.jacobian_rate(case.q, links, case.v)
    theirs = case.reference.jacobian_rates(case.q, case.v, links)
    scale = numpy.maximum(numpy.abs(theirs).max(axis=(1, 2, 3)), 1)
    errors.matching("jacobian rate", ours, theirs, LIMIT, case.where, scale)
