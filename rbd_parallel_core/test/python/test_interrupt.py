# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends a long call: real signals, in processes of their own. And slices, which make that possible, change no bit."""

import subprocess
import sys
import textwrap

import numpy
import pytest

import rbd_parallel
from pinocchio_reference import random_states
from robots import own_robots

ARM = own_robots()["config/robots/arm7.urdf"]


def run(program):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=300
    )
    assert done.stderr == "" and done.returncode == 0, done
    return done.stdout.split()


# States are computed one after the other, each for microseconds: seconds in all.
COMPUTING = f"""
    import os, signal, threading, time, numpy, rbd_parallel

    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
    model = rbd_parallel.load_urdf({str(ARM)!r})
    states = 500_000
    backend = rbd_parallel.Backend(model, max_batch=states, dtype={{dtype!r}})
    q = numpy.zeros((states, model.nq), {{dtype!r}})
    out = numpy.full((states, model.nv), numpy.nan, {{dtype!r}})

    def interrupt():
        while numpy.isnan(out[0, 0]):  # until the call is under way
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    try:
        backend.forward_dynamics(q, method="dca", out=out)
    except KeyboardInterrupt:
        print("interrupted", "early" if numpy.isnan(out[-1]).all() else "at its end", backend.status.size)
    # The backend is as good as before.
    print(numpy.isfinite(backend.forward_dynamics(q[:3], method="dca")).all())
    """


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_large_batch_is_interrupted(dtype):
    assert run(COMPUTING.format(dtype=dtype)) == ["interrupted", "early", "0", "True"]


# A free body whose quaternions are zero, so that a call which comes to its end raises StateError. Zeros that nobody wrote
# take no memory.
MOVING = """
    import signal, numpy, rbd_parallel

    model = rbd_parallel.auto_tree(1, base="floating")
    states = 10_000_000
    q, v = numpy.zeros((states, model.nq)), numpy.zeros((states, model.nv))
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        {call}
    except KeyboardInterrupt as interrupt:
        print("interrupted", interrupt.__context__)
    """


@pytest.mark.parametrize("call", ["model.integrate(q, v)", "model.difference(q, q)"])
def test_moving_configurations_is_interrupted(call):
    assert run(MOVING.format(call=call)) == ["interrupted", "None"]


# Memory of the result that was never written to does not count as used.
DRAWING = f"""
    import signal, rbd_parallel

    def most_memory():  # that this program had at once; getrusage would count its parent's
        with open("/proc/self/status") as file:
            return 1024 * int(next(line for line in file if line.startswith("VmHWM:")).split()[1])

    model = rbd_parallel.load_urdf({str(ARM)!r})
    states = 10_000_000
    before = most_memory()
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        model.random_configuration(states, seed=1)
    except KeyboardInterrupt:
        print("interrupted", "early" if most_memory() - before < states * model.nq * 8 * 0.9 else "at its end")
    """


def test_drawing_configurations_is_interrupted():
    assert run(DRAWING) == ["interrupted", "early"]


def test_slices_of_configurations_change_no_bit():
    """Batches of 100 joints are cut into slices of 64 states at first; a single state is not cut."""
    model = rbd_parallel.auto_tree(100, branching=1.3, base="floating")
    whole = model.random_configuration(400, seed=3)
    assert numpy.array_equal(model.random_configuration(5, seed=3), whole[:5])
    v = numpy.random.default_rng(4).normal(size=(400, model.nv))
    moved = model.integrate(whole, v, 0.1)
    assert numpy.array_equal(moved, [model.integrate(*pair, 0.1) for pair in zip(whole, v)])
    back = model.difference(whole, moved)
    assert numpy.array_equal(back, [model.difference(*pair) for pair in zip(whole, moved)])
    whole[[70, 399], 8] = numpy.nan
    with pytest.raises(rbd_parallel.StateError, match="integrate: 2 of 400 states failed; the first is state 70: "):
        model.integrate(whole, v)


# The massless leaf makes ModelWarning the last thing that each of these would do.
MAKING = """
    import signal, warnings, rbd_parallel

    bodies = 50_000
    {setup}
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            {call}
        except KeyboardInterrupt:
            print("interrupted", len(caught))
    """
URDF = """text = '<robot name="c"><link name="0"/>' + "".join(
        f'<link name="{k + 1}"/><joint name="{k}" type="continuous"><parent link="{k}"/><child link="{k + 1}"/></joint>'
        for k in range(bodies)) + "</robot>\""""
DESCRIPTION = """robot = rbd_parallel.RobotDescription("c", [rbd_parallel.LinkDescription(str(k)) for k in range(bodies + 1)], [
        rbd_parallel.JointDescription(str(k), "revolute", str(k), str(k + 1)) for k in range(bodies)])"""


@pytest.mark.parametrize(
    "setup, call", [(URDF, "rbd_parallel.load_urdf(text)"), (DESCRIPTION, "rbd_parallel.build_model(robot)")]
)
def test_loading_and_building_are_interrupted(setup, call):
    """The process ends at once and well, though the work cannot be stopped."""
    assert run(MAKING.format(setup=setup, call=call)) == ["interrupted", "0"]


def test_handlers_of_other_signals_run_and_the_call_goes_on():
    program = f"""
        import signal, numpy, rbd_parallel

        model = rbd_parallel.load_urdf({str(ARM)!r})
        backend = rbd_parallel.Backend(model, max_batch=60_000)
        out = numpy.full((60_000, 7), numpy.nan)
        seen = []
        signal.signal(signal.SIGALRM, lambda *_: seen.append(numpy.isnan(out[-1]).all()))
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        backend.forward_dynamics(numpy.zeros((60_000, 7)), method="dca", out=out)
        print(*seen, numpy.isfinite(out).all())
        """
    assert run(program) == ["True", "True"]


@pytest.mark.parametrize("name", ["auto", *rbd_parallel.backend_names()])
@pytest.mark.parametrize("layout", ["rows", "lanes"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_slices_change_no_bit(name, layout, dtype):
    """A robot of 100 joints is cut into slices of 64 states; a batch that fits into one slice is not cut."""
    model = rbd_parallel.auto_tree(100, branching=1.3, skew=0.4)
    states, part = (64 + 64 + 1, 43) if layout == "rows" else (400, 100)
    backend = rbd_parallel.Backend(name, model, max_batch=states, layout=layout, dtype=dtype)
    q, v, tau = (array.astype(dtype) for array in random_states(model, states, 5))
    f_ext = {model.link_names[-1]: numpy.random.default_rng(6).normal(size=(states, 6)).astype(dtype)}

    def compute(some):
        def laid(array):
            return rbd_parallel.to_lanes(array[some], backend.lane_width) if layout == "lanes" else array[some]

        results = [
            backend.forward_dynamics(laid(q), laid(v), laid(tau), f_ext={link: laid(f) for link, f in f_ext.items()}),
            backend.mass_matrix(laid(q)),
            *backend.energies(laid(q), laid(v)),
            backend.jacobian(laid(q), model.link_names[-3:]),
        ]
        if layout == "rows":
            return results
        return [rbd_parallel.from_lanes(result, len(q[some])) for result in results]

    whole = compute(slice(None))
    parts = [compute(slice(k, k + part)) for k in range(0, states, part)]
    for k, result in enumerate(whole):
        assert numpy.array_equal(result, numpy.concatenate([results[k] for results in parts]))


def test_bad_states_of_later_slices_have_their_own_numbers():
    model = rbd_parallel.auto_tree(100)
    backend = rbd_parallel.Backend(model, max_batch=300, on_error="nan")
    q = numpy.zeros((300, 100))
    q[[3, 64, 200, 299], 7] = numpy.nan
    backend.gravity_forces(q)
    assert list(backend.bad_states()) == [3, 64, 200, 299]


def test_a_batch_above_max_batch_is_refused_as_a_whole():
    backend = rbd_parallel.Backend(rbd_parallel.auto_tree(100), max_batch=300)
    out = numpy.full((301, 100), -1.0)
    with pytest.raises(ValueError, match="batch is 301, but the backend was configured for at most 300"):
        backend.gravity_forces(numpy.zeros((301, 100)), out=out)
    assert (out == -1).all()
