# SPDX-License-Identifier: Apache-2.0
"""Backend.linearize, Backend.step, base_parameters and identify: shapes, numbers, errors."""

import importlib.util
import pathlib
import re
import subprocess
import sys

import numpy
import pytest

import rbd_parallel
from robots import own_robots

ROBOTS = own_robots()
ARM = ROBOTS["config/robots/arm7.urdf"]
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SCHEMES = ["semi_implicit_euler", "rk4"]


@pytest.fixture(scope="module")
def model():
    return rbd_parallel.load_urdf(ARM)


def states_of(model, batch, seed=0):
    random = numpy.random.default_rng(seed)
    q = model.random_configuration(batch, seed=seed)
    return q, random.uniform(-1, 1, (batch, model.nv)), random.uniform(-5, 5, (batch, model.nv))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_shapes(model, scheme):
    backend = rbd_parallel.Backend(model, max_batch=20)
    q, v, tau = states_of(model, 20)
    A, B = backend.linearize(q, v, tau, 0.01, scheme)
    assert A.shape == (20, 14, 14) and B.shape == (20, 14, 7)
    one_A, one_B = backend.linearize(q[3], v[3], tau[3], 0.01, scheme=scheme)
    assert one_A.shape == (14, 14) and one_B.shape == (14, 7)
    assert numpy.abs(one_A - A[3]).max() < 1e-12 and numpy.abs(one_B - B[3]).max() < 1e-12
    q1, v1 = backend.step(q, v, tau, 0.01, scheme)
    assert q1.shape == (20, 7) and v1.shape == (20, 7)


def test_the_scheme_is_semi_implicit_euler(model):
    """v+ = v + dt qdd and q+ = integrate(q, v+, dt); B is the inverse of M times dt, and dt again for q."""
    backend = rbd_parallel.Backend(model, max_batch=5)
    q, v, tau = states_of(model, 5)
    q1, v1 = backend.step(q, v, tau, 0.01)
    assert numpy.allclose(v1, v + 0.01 * backend.forward_dynamics(q, v, tau), rtol=0, atol=1e-12)
    assert numpy.allclose(q1, model.integrate(q, v1, 0.01), rtol=0, atol=1e-12)
    A, B = backend.linearize(q, v, tau, 0.01)
    inverse = backend.mass_matrix_inverse(q)
    assert numpy.allclose(B[:, 7:], 0.01 * inverse, rtol=1e-9, atol=1e-12)
    assert numpy.allclose(B[:, :7], 1e-4 * inverse, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_derivatives_of_a_floating_robot(scheme):
    """A and B predict what small changes do, to second order in them."""
    model = rbd_parallel.load_urdf(ROBOTS["config/robots/quadruped.urdf"], base="floating")
    backend = rbd_parallel.Backend(model, max_batch=8)
    random = numpy.random.default_rng(1)
    q, v, tau = states_of(model, 8)
    foot = model.link_names[-1]
    world = {"f_ext": {foot: [1, 2, 30, 0, 0, 1]}, "axes": "world", "scheme": scheme}
    A, B = backend.linearize(q, v, tau, 0.005, **world)
    q1, v1 = backend.step(q, v, tau, 0.005, **world)
    small = 1e-6
    dq, dv, dtau = (random.uniform(-small, small, v.shape) for _ in range(3))
    q2, v2 = backend.step(model.integrate(q, dq), v + dv, tau + dtau, 0.005, **world)
    found = numpy.concatenate([model.difference(q1, q2), v2 - v1], axis=1)
    change = numpy.concatenate([dq, dv], axis=1)
    predicted = numpy.einsum("bij,bj->bi", A, change) + numpy.einsum("bij,bj->bi", B, dtau)
    assert numpy.abs(found - predicted).max() < 1e-4 * numpy.abs(found).max()
    link_A, _ = backend.linearize(q, v, tau, 0.005, scheme, {foot: [1, 2, 30, 0, 0, 1]})
    assert numpy.abs(link_A - A).max() > 1e-6  # wrenches of the link turn with it


def test_none_is_zero_and_float32_is_float32(model):
    backend = rbd_parallel.Backend(model, max_batch=4)
    q, v, _ = states_of(model, 4)
    zeros = numpy.zeros_like(v)
    for given, same in zip(backend.linearize(q, None, None, 0.01), backend.linearize(q, zeros, zeros, 0.01)):
        assert (given == same).all()
    single = rbd_parallel.Backend(model, max_batch=4, dtype="float32")
    A, B = single.linearize(q.astype("float32"), None, None, 0.01)
    assert A.dtype == B.dtype == numpy.float32
    assert numpy.abs(A - backend.linearize(q, None, None, 0.01)[0]).max() < 1e-4


def test_large_batches_are_the_same_in_every_bit(model):
    q, v, tau = states_of(model, 3000)
    one = rbd_parallel.Backend(model, max_batch=3000).linearize(q, v, tau, 0.01, "rk4")
    two = rbd_parallel.Backend(model, max_batch=3000, threads=2).linearize(q, v, tau, 0.01, "rk4")
    assert (one[0] == two[0]).all() and (one[1] == two[1]).all()


def test_bad_states(model):
    q, v, tau = states_of(model, 3)
    v[1, 4] = numpy.nan
    with pytest.raises(rbd_parallel.StateError, match=r"linearize: 1 of 3 .* state 1: .*\(v of joint 'joint_5' is nan\)"):
        rbd_parallel.Backend(model, max_batch=3).linearize(q, v, tau, 0.01)
    backend = rbd_parallel.Backend(model, max_batch=3, on_error="nan")
    A, _ = backend.linearize(q, v, tau, 0.01)
    assert numpy.isnan(A[1]).all() and numpy.isfinite(A[[0, 2]]).all()
    assert backend.status.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"q": [1, 2]}, ValueError, r"q: expected shape (7,) or (batch, 7), got (2,)"),
        ({"v": [1, 2]}, ValueError, r"v: expected shape (2, 7) to go with q of shape (2, 7), got (2,)"),
        ({"tau": [1, 2]}, ValueError, r"tau: expected shape (2, 7) to go with q"),
        ({"dt": numpy.inf}, ValueError, r"dt: expected a finite number of seconds, got inf"),
        ({"dt": "soon"}, TypeError, r"dt: expected a number of seconds, the same for all states, got a str"),
        ({"scheme": "rk5"}, ValueError, r'scheme: expected "semi_implicit_euler" or "rk4", got "rk5"'),
        ({"scheme": 4}, TypeError, r"scheme: expected a str, got 4"),
        ({"axes": "tool"}, ValueError, r'axes: expected "link" or "world", got "tool"'),
        ({"f_ext": {"nose": [0] * 6}}, ValueError, r'unknown link "nose"'),
    ],
)
@pytest.mark.parametrize("name", ["linearize", "step"])
def test_wrong_arguments(model, name, change, error, message):
    q, v, tau = states_of(model, 2)
    arguments = {"q": q, "v": v, "tau": tau, "dt": 0.01} | change
    with pytest.raises(error, match=re.escape(message)):
        getattr(rbd_parallel.Backend(model, max_batch=2), name)(**arguments)


def test_what_is_refused_as_a_whole(model):
    q, v, tau = states_of(model, 4)
    with pytest.raises(ValueError, match="batch is 4, but the backend was configured for at most 2"):
        rbd_parallel.Backend(model, max_batch=2).linearize(q, v, tau, 0.01)
    lanes = rbd_parallel.Backend(model, max_batch=4, layout="lanes")
    with pytest.raises(ValueError, match='linearize: expected a Backend with layout="rows", got one with "lanes"'):
        lanes.linearize(q, v, tau, 0.01)
    with pytest.raises(TypeError, match="linearize"):
        rbd_parallel.Backend(model).linearize(q[0])


# ---- base parameters and identification ------------------------------------------------------------------------------


def test_base_parameters_explain_all_torques(model):
    base = rbd_parallel.base_parameters(model)
    pi = model.inertial_parameters
    assert base.matrix.shape == (len(base.independent), 70)
    assert (base.matrix[:, base.independent] == numpy.eye(len(base.independent))).all()
    backend = rbd_parallel.Backend(model, max_batch=50)
    q, v, a = states_of(model, 50, seed=3)
    Y = backend.regressor(q, v, a)
    assert numpy.abs(Y @ pi - Y[..., base.independent] @ (base.matrix @ pi)).max() < 1e-9
    assert base.largest_dropped < 1e-11 < 1e-6 < base.smallest_kept
    assert numpy.linalg.matrix_rank(Y.reshape(-1, 70)) == len(base.independent)


def test_identification_finds_the_parameters_again(model):
    """From a model with a payload that the real robot does not have; the residual is the noise."""
    guess = model.with_payload("tool", 2.0)
    base = rbd_parallel.base_parameters(model)
    q, v, a = states_of(model, 800, seed=4)
    tau = rbd_parallel.Backend(model, max_batch=800).inverse_dynamics(q, v, a)
    expected = base.matrix @ model.inertial_parameters
    exact = rbd_parallel.identify(guess, q, v, a, tau)
    assert numpy.abs(exact.base - expected).max() < 1e-10
    noise = numpy.random.default_rng(5).normal(0, 0.5, tau.shape)
    noisy = rbd_parallel.identify(guess, q, v, a, tau + noise, base=base, noise=numpy.full(7, 0.5))
    assert abs(noisy.residual - 1) < 0.05
    assert (numpy.abs(noisy.base - expected) < 5 * noisy.standard_error).all()


def test_identification_refuses_by_name(model):
    q, v, a = states_of(model, 30)
    with pytest.raises(ValueError, match=re.escape("tau: expected shape (30, 7), got (30, 3)")):
        rbd_parallel.identify(model, q, v, a, v[:, :3])
    with pytest.raises(ValueError, match="the motions do not excite all"):
        rbd_parallel.identify(model, q, 0 * v, 0 * a, v)
    with pytest.raises(ValueError, match="tolerance is 2.0"):
        rbd_parallel.base_parameters(model, tolerance=2)


def test_python_may_end_right_after_a_call():
    """The thread that computed lets go of its robot without Python, which is about to end; else most runs abort."""
    code = f"import rbd_parallel as rbd; rbd.base_parameters(rbd.load_urdf({str(ARM)!r}))"
    for _ in range(8):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr


# ---- the examples ----------------------------------------------------------------------------------------------------


def run_example(name, *arguments):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *map(str, arguments)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_tvlqr_tracks_where_open_loop_does_not(tmp_path):
    arguments = ["--robot", ARM, "--runs", 4]
    if importlib.util.find_spec("matplotlib"):
        arguments += ["--plot", tmp_path / "tvlqr.png"]
    said = run_example("tvlqr.py", *arguments)
    errors = dict(re.findall(r"^ *(open loop|TVLQR) .* ([\d.]+) mm$", said, re.MULTILINE))
    assert float(errors["TVLQR"]) < 0.05 * float(errors["open loop"])
    assert len(arguments) == 4 or (tmp_path / "tvlqr.png").stat().st_size > 10_000


def test_identify_example_shows_errors_that_grow_with_the_noise():
    rows = re.findall(r"^ +([\d.]+) +([\d.e+-]+) +([\d.e+-]+)$", run_example("identify.py", "--robot", ARM), re.MULTILINE)
    errors = [float(error) for _, _, error in rows]
    assert len(errors) >= 4 and errors == sorted(errors) and errors[0] < 1e-9
