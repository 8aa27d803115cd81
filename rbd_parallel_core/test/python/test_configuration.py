# SPDX-License-Identifier: Apache-2.0
"""Model.integrate, difference and random_configuration: against Pinocchio's on every robot, and what they refuse."""

import math

import numpy
import pinocchio
import pytest

import rbd_parallel
from pinocchio_cases import Case, all_cases

LIMIT = 1e-12


@pytest.fixture(scope="module", params=list(all_cases()), ids=" ".join)
def case(request):
    return Case(*request.param)


def with_signs_of(pin, q, like):
    """Quaternions of Pinocchio's q with the signs of those in `like`."""
    q = q.copy()
    for joint in pin.joints:
        if joint.nq - joint.nv == 1 and joint.nq >= 4 and joint.nv != 3:  # a floating base
            part = slice(joint.idx_q + joint.nq - 4, joint.idx_q + joint.nq)
            q[part] *= numpy.sign(q[part] @ like[part])
    return q


def test_integrate(case, errors):
    pin, dt = case.reference.pin, 0.7
    ours = case.reference.configurations(case.model.integrate(case.q, case.v, dt))
    start, rates = case.reference.configurations(case.q), dt * case.v @ case.reference.G.T
    theirs = [pinocchio.integrate(pin, q, v) for q, v in zip(start, rates)]
    theirs = numpy.reshape([with_signs_of(pin, q, like) for q, like in zip(theirs, ours)], ours.shape)
    errors.matching("integrate", ours, theirs, LIMIT, case.states)


def test_difference(case, errors):
    pin = case.reference.pin
    q0, q1 = case.q, case.model.integrate(case.q[::-1], case.v)
    ours = case.model.difference(q0, q1) @ case.reference.G.T
    both = zip(case.reference.configurations(q0), case.reference.configurations(q1))
    theirs = numpy.reshape([pinocchio.difference(pin, a, b) for a, b in both], ours.shape)
    errors.matching("difference", ours, theirs, LIMIT, case.states)


def test_random_configurations_are_within_limits(case):
    q = case.model.random_configuration(50, seed=3)
    for joint in case.model.joints:
        if joint.mimic or joint.nq > 1 or joint.kind == "continuous" or not joint.limits:
            continue
        low, high = sorted((joint.limits.lower, joint.limits.upper))
        assert low <= q[:, joint.q_index].min() <= q[:, joint.q_index].max() <= high, joint.name


@pytest.fixture(scope="module")
def model():
    return rbd_parallel.auto_tree(3, base="floating")


def test_shapes(model):
    q, v = model.random_configuration(seed=1), numpy.linspace(-1, 1, model.nv)
    assert q.shape == (model.nq,)
    assert model.integrate(q, v).shape == (model.nq,)
    assert model.difference(q, q).shape == (model.nv,)
    batch = model.random_configuration(4, seed=1)
    assert batch.shape == (4, model.nq) and (batch[0] == q).all()
    rates = numpy.tile(v, (4, 1))
    together = model.integrate(batch, rates, dt=0.1)
    assert together.shape == (4, model.nq)
    assert (together[2] == model.integrate(batch[2], v, 0.1)).all()
    assert model.difference(batch, together).shape == (4, model.nv)
    numpy.testing.assert_allclose(model.difference(batch, together), 0.1 * rates, atol=1e-14)
    assert model.random_configuration(0).shape == (0, model.nq)
    assert (model.random_configuration() != model.random_configuration()).any()


def test_integrate_takes_lists_and_leaves_its_arguments(model):
    q, v = model.neutral(), [0.5] * model.nv
    before = q.copy()
    model.integrate(q, v, numpy.float32(0.5))
    assert (q == before).all()


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda m, q, v: m.integrate(q[:-1], v), ValueError, r"q: expected shape \(10,\) or \(batch, 10\), got \(9,\)"),
        (lambda m, q, v: m.integrate(q, v[:-1]), ValueError, r"v: expected shape \(9,\) to go with q of shape \(10,\)"),
        (lambda m, q, v: m.integrate(q, [v]), ValueError, r"v: expected shape \(9,\) .* got \(1, 9\)"),
        (lambda m, q, v: m.difference(q, [q]), ValueError, r"q1: expected shape \(10,\) to go with q0 of shape \(10,\)"),
        (lambda m, q, v: m.difference("here", q), ValueError, "q0: expected an array of float64"),
        (lambda m, q, v: m.integrate(q, v, "1"), TypeError, "dt: expected a number of seconds"),
        (lambda m, q, v: m.integrate(q, v, float("nan")), ValueError, "dt: expected a finite number of seconds, got nan"),
        (lambda m, q, v: m.random_configuration(-1), ValueError, "batch: expected a whole number .*, got -1"),
        (lambda m, q, v: m.random_configuration(1e3), TypeError, "batch: expected a whole number"),
        (lambda m, q, v: m.random_configuration(seed=2**64), ValueError, "seed: expected a whole number .*, got 1844"),
    ],
)
def test_what_is_refused(model, call, error, text):
    with pytest.raises(error, match=text):
        call(model, model.neutral(), numpy.zeros(model.nv))


def test_bad_states_are_named(model):
    q = model.random_configuration(3, seed=1)
    v = numpy.zeros((3, model.nv))
    v[1, 7] = numpy.nan
    with pytest.raises(
        rbd_parallel.StateError,
        match=r"integrate: 1 of 3 states failed; the first is state 1: .*\(v of joint 'joint0000001' is nan\)",
    ):
        model.integrate(q, v)
    q[2, 3:7] = 0
    with pytest.raises(rbd_parallel.StateError, match="difference: 1 of 3 .* state 2: .*zero quaternion"):
        model.difference(model.random_configuration(3, seed=1), q)


@pytest.mark.parametrize("angle", [1e3, -1e6, 1e12, 1e15, 1e16, -1e17, 1e300])
def test_large_angles_differ_by_half_a_turn_at_most_or_are_refused(angle):
    robot = rbd_parallel.RobotDescription("wheel")
    robot.add_link("base")
    robot.add_link("wheel", mass=1.0)
    robot.add_joint("axle", "continuous", "base", "wheel")
    model = rbd_parallel.build_model(robot, armature={"axle": 1.0})
    try:
        (turn,) = model.difference([0.0], [angle])
    except rbd_parallel.StateError:
        assert abs(angle) > 1e15
    else:
        ulp = numpy.spacing(abs(angle))
        assert abs(turn) <= numpy.pi + 1e-12
        if abs(angle) <= 1e12:
            assert abs(turn - math.remainder(angle, 2 * math.pi)) <= ulp + abs(angle) * 2e-16
