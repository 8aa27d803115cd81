# SPDX-License-Identifier: Apache-2.0
"""The Python interface: shapes, what it refuses and how it says so. Numbers are checked elsewhere."""

import pathlib
import re
import threading
import tracemalloc
import typing

import numpy
import pytest

import rbd_parallel
from pinocchio_reference import random_states
from robots import own_robots

ARM = own_robots()["config/robots/arm7.urdf"]
BATCH = 5


@pytest.fixture(scope="module")
def model():
    return rbd_parallel.load_urdf(ARM)


@pytest.fixture(params=rbd_parallel.backend_names())
def backend(model, request):
    return rbd_parallel.Backend(request.param, model, max_batch=BATCH)


def assert_close(actual, expected, tolerance=1e-11):
    """Up to rounding: a state alone is computed by other instructions than one of a batch."""
    actual, expected = numpy.asarray(actual), numpy.asarray(expected)
    assert actual.shape == expected.shape
    assert numpy.abs(actual - expected).max(initial=0) <= tolerance * numpy.abs(expected).max(initial=1)


@pytest.fixture(scope="module")
def states(model):
    return random_states(model, BATCH, seed=1)


LINKS = """
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.3 0 0.1"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0.2 0.1"/><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0.01" iyy="0.2" iyz="0" izz="0.2"/></inertial></link>"""
JOINTS = """
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.25"/></joint>
  <joint name="elbow" type="prismatic"><parent link="upper"/><child link="lower"/><origin xyz="0.5 0 0"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="1" effort="10" velocity="1"/>{more}</joint>"""


def two_joints(more="", **options):
    text = f'<robot name="two">{LINKS}{JOINTS.format(more=more)}</robot>'
    return rbd_parallel.load_urdf(text, **options)


# ---- models ----------------------------------------------------------------------------------------------------------


def test_model():
    model = two_joints()
    assert model.name == "two"
    assert (model.nq, model.nv) == (2, 2)
    assert model.joint_names == ["shoulder", "elbow"]
    assert model.parents == [-1, 0]
    assert set(model.link_names) == {"base", "upper", "lower"}
    assert model.total_mass == 3
    assert model.gravity.tolist() == [0, 0, -9.81]
    assert model.warnings == []
    assert model.neutral().tolist() == [0, 0]


def test_joints():
    shoulder, elbow = two_joints().joints
    assert (shoulder.name, shoulder.kind, shoulder.parent, shoulder.parent_link) == ("shoulder", "revolute", -1, "base")
    assert (shoulder.q_index, shoulder.nq, shoulder.v_index, shoulder.nv) == (0, 1, 0, 1)
    limits = shoulder.limits
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-1, 2, 30, 4)
    assert shoulder.mimic is None
    assert (elbow.kind, elbow.child_link, elbow.q_index) == ("prismatic", "lower", 1)
    assert repr(elbow) == 'Joint("elbow", prismatic, upper -> lower, q[1:2], v[1:2])'


def test_mimic():
    mimic = '<mimic joint="shoulder" multiplier="2" offset="0.5"/>'
    model = two_joints(mimic)
    assert (model.nq, model.joint_names) == (1, ["shoulder"])
    follower = model.joints[1]
    assert (follower.mimic.joint, follower.mimic.multiplier, follower.mimic.offset) == ("shoulder", 2, 0.5)
    assert (follower.q_index, follower.v_index) == (0, 0)
    assert two_joints(mimic, mimic="independent").nq == 2


def test_floating_base(model):
    floating = rbd_parallel.load_urdf(ARM, base="floating")
    assert (floating.nq, floating.nv) == (model.nq + 7, model.nv + 6)
    assert floating.joints[0].kind == "floating"
    assert floating.neutral()[:7].tolist() == [0, 0, 0, 0, 0, 0, 1]


def test_sources(model):
    text = ARM.read_text()
    assert repr(rbd_parallel.load_urdf(text)) == repr(model)
    assert repr(rbd_parallel.load_urdf(text.encode())) == repr(model)
    assert repr(rbd_parallel.load_urdf(str(ARM))) == repr(model)
    with pytest.raises(TypeError, match="int"):
        rbd_parallel.load_urdf(3)


def test_missing_file(tmp_path):
    with pytest.raises(rbd_parallel.ModelError, match="nothing_here.urdf"):
        rbd_parallel.load_urdf(tmp_path / "nothing_here.urdf")


def test_model_repr_is_the_tree(model):
    lines = repr(model).splitlines()
    assert "nq 7, nv 7" in lines[0]
    assert all(any(name in line for line in lines) for name in model.joint_names)


def test_warnings_stand_beside_the_faults_that_they_explain():
    with pytest.raises(rbd_parallel.ModelError) as caught:
        rbd_parallel.load_urdf(
            '<robot name="r"><link name="a"/><link name="b"><joint name="j" type="fixed"><parent link="a"/>'
            '<child link="b"/></joint></link></robot>'
        )
    (warning,) = caught.value.warnings
    assert "the unknown element 'joint' in <link> is ignored" in warning
    assert str(caught.value) == "\n".join([*caught.value.faults, f"warning: {warning}"])


def test_trees_that_would_fill_the_memory_are_refused():
    with pytest.raises(rbd_parallel.ModelError, match="auto_tree: bodies is 1000000000, expected 1 to 4000000"):
        rbd_parallel.auto_tree(10**9)


def test_all_faults_are_reported():
    text = LINKS.replace('mass value="2"', 'mass value="heavy"') + JOINTS.format(more="").replace('"lower"', '"nobody"')
    with pytest.raises(rbd_parallel.ModelError) as caught:
        rbd_parallel.load_urdf(f'<robot name="two">{text}</robot>')
    assert isinstance(caught.value, ValueError)
    assert len(caught.value.faults) >= 2
    assert str(caught.value) == "\n".join(caught.value.faults)
    assert "heavy" in str(caught.value) and "nobody" in str(caught.value) and "line" in str(caught.value)


def test_warnings_and_inertia_policies():
    odd = f'<robot name="two">{LINKS}{JOINTS.format(more="")}</robot>'.replace('ixx="0.1"', 'ixx="-0.1"', 1)
    with pytest.warns(rbd_parallel.ModelWarning, match="upper"):
        model = rbd_parallel.load_urdf(odd)
    assert len(model.warnings) == 1 and "upper" in model.warnings[0]
    with pytest.warns(rbd_parallel.ModelWarning, match="zero"):
        assert rbd_parallel.load_urdf(odd, inertia_policy="zero").total_mass == 1
    with pytest.raises(rbd_parallel.ModelError, match="upper"):
        rbd_parallel.load_urdf(odd, inertia_policy="error")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"base": "swimming"}, 'base: expected "fixed" or "floating", got "swimming"'),
        ({"mimic": "maybe"}, 'mimic: expected "honour" or "independent", got "maybe"'),
        ({"inertia_policy": "guess"}, 'inertia_policy: expected "warn", "error" or "zero", got "guess"'),
        ({"gravity": (0, 0)}, r"gravity: expected 3 numbers, got shape \(2,\)"),
        ({"gravity": (0, 0, float("nan"))}, "gravity .*expected finite"),
        ({"gravity": "down"}, "gravity: expected an array of float64, got a str"),
        ({"armature": {"knee": 1.0}}, "armature .*'knee', which does not exist"),
        ({"armature": {"shoulder": -1.0}}, "armature of joint 'shoulder' is -1, expected .*not negative"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        two_joints(**options)


def test_payload(model, backend, states):
    q = states[0]
    before = model.total_mass
    loaded = model.with_payload("tool", 2.0, (0, 0, 0.1), numpy.eye(3) * 0.01)
    assert loaded.total_mass == pytest.approx(before + 2)
    assert model.total_mass == before  # a new Model, the old one is as it was
    heavier = rbd_parallel.Backend(loaded, max_batch=BATCH)
    pull = numpy.array([0, 0, -9.81 * 2])
    lever = numpy.cross(rotate(backend.link_poses(q, "tool"), [0, 0, 0.1]), pull)
    wrench = numpy.hstack([numpy.tile(pull, (BATCH, 1)), lever])
    by_wrench = backend.inverse_dynamics(q, f_ext={"tool": wrench}, axes="world")
    assert numpy.allclose(heavier.gravity_forces(q), by_wrench, rtol=0, atol=1e-12)
    six = model.with_payload("tool", 2.0, (0, 0, 0.1), [0.01, 0, 0, 0.01, 0, 0.01])
    assert numpy.array_equal(
        rbd_parallel.Backend(six, BATCH).mass_matrix(q), heavier.mass_matrix(q)
    )
    assert model.with_payload("tool", 1).total_mass == pytest.approx(model.total_mass + 1)


def rotate(poses, vector):
    x, y, z, w = poses[:, 3:].T
    turned = numpy.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]).T
    assert vector[:2] == [0, 0]
    return turned * vector[2]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("nose", 1), "payload: link 'nose' is not in"),
        (("tool", -1), "payload on link 'tool': .*mass"),
        (("tool", 1, (0, 0)), r"com: expected 3 numbers, got shape \(2,\)"),
        (("tool", 1, (0, 0, 0), [1, 2]), r"inertia: expected shape \(3, 3\), or \(6,\) .*, got \(2,\)"),
        (("tool", 1, (0, 0, 0), [[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "inertia: expected a symmetric matrix"),
        (("tool", float("nan")), "payload on link 'tool'"),
    ],
)
def test_payload_is_checked(model, arguments, message):
    with pytest.raises(ValueError, match=message):
        model.with_payload(*arguments)


def test_auto_tree():
    tree = rbd_parallel.auto_tree(7, branching=2, skew=0.3, taper=0.9, base="floating", gravity=(0, 0, -1))
    assert (tree.nq, tree.nv) == (7 + 7, 6 + 7)
    assert tree.parents[1:] == [0, 1, 2, 2, 1, 5, 5]  # depth-first, after the joint of the floating base
    chain = rbd_parallel.auto_tree(bodies=4)
    assert chain.parents == [-1, 0, 1, 2]
    assert chain.total_mass == pytest.approx(4)
    with pytest.raises(ValueError):
        rbd_parallel.auto_tree(0)
    with pytest.raises(ValueError):
        rbd_parallel.auto_tree(3, branching=0.5)


# ---- backends --------------------------------------------------------------------------------------------------------


def operations(backend, link="tool"):
    """Every operation as a function of q, v and a third array, with the shape of one state's result."""
    nv = backend.model.nv
    return {
        "inverse_dynamics": (lambda q, v, a, **o: backend.inverse_dynamics(q, v, a, **o), (nv,)),
        "forward_dynamics": (lambda q, v, a, **o: backend.forward_dynamics(q, v, a, **o), (nv,)),
        "forward_dynamics crba": (lambda q, v, a, **o: backend.forward_dynamics(q, v, a, "crba", **o), (nv,)),
        "bias_forces": (lambda q, v, a, **o: backend.bias_forces(q, v, **o), (nv,)),
        "gravity_forces": (lambda q, v, a, **o: backend.gravity_forces(q, **o), (nv,)),
        "coriolis_forces": (lambda q, v, a, **o: backend.coriolis_forces(q, v, **o), (nv,)),
        "mass_matrix": (lambda q, v, a, **o: backend.mass_matrix(q, **o), (nv, nv)),
        "mass_matrix_inverse": (lambda q, v, a, **o: backend.mass_matrix_inverse(q, **o), (nv, nv)),
        "mass_matrix_cholesky": (lambda q, v, a, **o: backend.mass_matrix_cholesky(q, **o), (nv, nv)),
        "center_of_mass": (lambda q, v, a, **o: backend.center_of_mass(q, **o), (3,)),
        "link_poses": (lambda q, v, a, **o: backend.link_poses(q, link, **o), (7,)),
        "jacobian": (lambda q, v, a, **o: backend.jacobian(q, link, **o), (6, nv)),
    }


OPERATIONS = [
    "inverse_dynamics",
    "forward_dynamics",
    "forward_dynamics crba",
    "bias_forces",
    "gravity_forces",
    "coriolis_forces",
    "mass_matrix",
    "mass_matrix_inverse",
    "mass_matrix_cholesky",
    "center_of_mass",
    "link_poses",
    "jacobian",
]


def test_backend(model, backend):
    assert {"cpu", "reference", "tree"} <= set(rbd_parallel.backend_names())
    assert (backend.max_batch, backend.threads, backend.friction) == (BATCH, 1, False)
    assert (backend.dtype, backend.layout) == (numpy.float64, "rows")
    assert backend.model is model
    assert f'"{backend.name}"' in repr(backend)
    assert rbd_parallel.Backend("reference", model).max_batch == 1


def test_the_default_is_the_best(model):
    default = rbd_parallel.Backend(model)
    assert (default.name, default.max_batch) == ("cpu", 1)
    assert rbd_parallel.Backend("auto", model).name == rbd_parallel.Backend(model=model).name == "cpu"


def test_the_default_explains_itself(model):
    default = rbd_parallel.Backend(model)
    assert default.explain("inverse_dynamics") == default.explain("inverse_dynamics", batch=1)
    assert default.explain("inverse_dynamics").startswith("cpu: tree is for robots of 64 bodies and more, this one has ")
    assert rbd_parallel.Backend("reference", model).explain("energies", batch=7) == "reference computes everything"
    with pytest.raises(ValueError, match='operation: expected one of "inverse_dynamics", .*, got "dynamics"'):
        default.explain("dynamics")
    with pytest.raises(ValueError, match="batch: expected at least 1 state, got 0"):
        default.explain("energies", batch=0)


def chain_of(bodies):
    inertial = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    links = "".join(f'<link name="{k}">{inertial if k else ""}</link>' for k in range(bodies + 1))
    joints = "".join(
        f'<joint name="{k}" type="continuous"><parent link="{k}"/><child link="{k + 1}"/></joint>' for k in range(bodies)
    )
    return rbd_parallel.load_urdf(f'<robot name="chain">{links}{joints}</robot>')


def test_costs_of_a_file_decide(tmp_path, monkeypatch):
    costs = tmp_path / "costs.txt"
    costs.write_text("tree inverse_dynamics float64 1- 1- 0 10 0 0 0 1\ncpu inverse_dynamics float64 1- 1- 0 20 0 0 0 1\n")
    monkeypatch.setenv("RBD_PARALLEL_COSTS", str(costs))
    chain = chain_of(100)
    backend = rbd_parallel.Backend(chain)
    assert backend.explain("inverse_dynamics").startswith(
        "tree: one state of 100 bodies on one thread, predicted 1 us, cpu 2 us"
    )
    assert backend.name == "tree"
    costs.write_text("cpu inverse_dynamics float16 1- 1- 0 20 0 0 0 1\n")
    with pytest.raises(ValueError, match="costs.txt, line 1: the precision is 'float16', expected float64 or float32"):
        rbd_parallel.Backend(chain)


@pytest.mark.parametrize("family", ["blocks", "scans"])
def test_the_families_of_tree_agree_with_the_reference(model, states, family):
    tree = rbd_parallel.Backend("tree", model, max_batch=BATCH, family=family, block=2)
    reference = rbd_parallel.Backend("reference", model, max_batch=BATCH)
    numpy.testing.assert_allclose(tree.inverse_dynamics(*states), reference.inverse_dynamics(*states), atol=1e-10)
    numpy.testing.assert_allclose(tree.mass_matrix(states[0]), reference.mass_matrix(states[0]), atol=1e-10)


def test_code_is_made_for_the_operations_that_are_named(model, states):
    backend = rbd_parallel.Backend("compiled", model, max_batch=BATCH, compile=["inverse_dynamics"])
    everything = rbd_parallel.Backend("compiled", model, max_batch=BATCH)
    reference = rbd_parallel.Backend("reference", model, max_batch=BATCH)
    assert backend.explain("energies").startswith("fell back to cpu: ")
    assert everything.explain("inverse_dynamics") == backend.explain("inverse_dynamics")
    numpy.testing.assert_allclose(backend.inverse_dynamics(*states), reference.inverse_dynamics(*states), atol=1e-10)
    numpy.testing.assert_allclose(backend.mass_matrix(states[0]), reference.mass_matrix(states[0]), atol=1e-10)


def test_operations_to_compile_that_make_no_sense_are_refused(model):
    with pytest.raises(ValueError, match="compile: expected names of operations, as inverse_dynamics, got 'dynamics'"):
        rbd_parallel.Backend("compiled", model, compile=["dynamics"])
    with pytest.raises(ValueError, match="compile names link_motion, which no code is made for"):
        rbd_parallel.Backend("compiled", model, compile=["link_motion"])
    with pytest.raises(ValueError, match="compile is set, which the backend cpu does not take"):
        rbd_parallel.Backend("cpu", model, compile=["energies"])


def test_a_backend_keeps_its_model_alive():
    backend = rbd_parallel.Backend(two_joints())
    assert backend.gravity_forces([0.1, 0.2]).shape == (2,)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("abacus",), "backend 'abacus' is not known; expected one of auto, cuda, compiled, cpu, reference, tree"),
        (("cpu", 0), "max_batch is 0, expected at least 1"),
        (("reference", -3), "max_batch: expected at least 1 state, got -3"),
        (("reference", 1, 0), "threads is 0, expected at least 1"),
        (("cpu", 1, 2, False, "raise", "float64", None, "rows", "blocks", 0, -1),
         "spin_us is -1, expected 0 to 1000000 microseconds"),
        (("compiled", 1, 2, False, "raise", "float64", None, "rows", "blocks", 0, 1000001),
         "spin_us is 1000001, expected 0 to 1000000 microseconds"),
        (("tree", 1, 1, False, "raise", "float64", None, "rows", "branches"),
         'family: expected "blocks" or "scans", got "branches"'),
        (("tree", 1, 1, False, "raise", "float64", None, "rows", "blocks", -2),
         "configure: a block has -2 bodies; expected a positive number, or 0 to have it chosen"),
        (("cpu", 1, 1, False, "raise", "float64", None, "rows", "scans"),
         "configure: family is scans, which the backend cpu does not take; leave it out, or use tree"),
        (("cpu", 1, 1, False, "raise", "float64", None, "rows", "blocks", 8), "configure: block is 8, which the backend cpu"),
        (("reference", 1, 1, False, "shrug"), 'on_error: expected "raise" or "nan", got "shrug"'),
    ],
)
def test_backend_options_are_checked(model, arguments, message):
    with pytest.raises(ValueError, match=message):
        rbd_parallel.Backend(arguments[0], model, *arguments[1:])


def test_spin_us_is_an_option(model, states):
    assert rbd_parallel.Backend(model).spin_us == 200
    backend = rbd_parallel.Backend("cpu", model, max_batch=BATCH, threads=2, spin_us=0)
    assert backend.spin_us == 0
    alone = rbd_parallel.Backend("cpu", model, max_batch=BATCH)
    assert numpy.array_equal(backend.inverse_dynamics(*states), alone.inverse_dynamics(*states))


def test_a_backend_needs_a_model():
    with pytest.raises((TypeError, ValueError)):
        rbd_parallel.Backend(None)


@pytest.mark.parametrize("name", OPERATIONS)
def test_shapes(backend, states, name):
    compute, shape = operations(backend)[name]
    results = compute(*states)
    assert results.shape == (BATCH, *shape) and results.dtype == numpy.float64 and results.flags.c_contiguous
    assert numpy.isfinite(results).all()
    for i in range(BATCH):
        single = compute(*(array[i] for array in states))
        assert single.shape == shape
        assert_close(single, results[i])
    assert compute(*(array[:0] for array in states)).shape == (0, *shape)
    assert compute(*(array[:1] for array in states)).shape == (1, *shape)


@pytest.mark.parametrize("name", OPERATIONS)
def test_out(backend, states, name):
    compute, shape = operations(backend)[name]
    out = numpy.full((BATCH, *shape), -1.0)
    assert compute(*states, out=out) is out
    assert numpy.array_equal(out, compute(*states))
    expected = rf"out: expected a writable C-contiguous float64 array of shape \({BATCH}, .*got "
    read_only = numpy.zeros_like(out)
    read_only.flags.writeable = False
    for wrong, got in (
        (numpy.zeros((BATCH + 1, *shape)), "shape"),
        (numpy.zeros_like(out, dtype=numpy.float32), ".*float32"),
        (numpy.zeros((BATCH, *shape[:-1], 2 * shape[-1]))[..., ::2], "strided"),
        (read_only, "a read-only one"),
        (out.tolist(), "a list"),
    ):
        with pytest.raises(ValueError, match=expected + got):
            compute(*states, out=wrong)


def test_out_must_not_overlap(backend, states):
    memory = numpy.concatenate([array.ravel() for array in states])
    q = memory[: states[0].size].reshape(states[0].shape)
    q[:] = states[0]
    with pytest.raises(ValueError, match="out: expected memory of its own, got an array that overlaps"):
        backend.gravity_forces(q, out=memory[7 : 7 + q.size].reshape(q.shape))


def dense_from(rows, n):
    """The lower triangle that (data, indices, indptr) of one state describe."""
    data, indices, indptr = rows
    lower = numpy.zeros((n, n))
    for i in range(n):
        entries = slice(indptr[i], indptr[i + 1])
        lower[i, indices[entries]] = data[entries]
    return lower


def test_sparse_mass_matrix(model, backend, states):
    q, nv = states[0], model.nv
    data, indices, indptr = backend.sparse_mass_matrix(q)
    factor, same_indices, _ = backend.sparse_mass_matrix(q, cholesky=True)
    assert data.shape == factor.shape == (BATCH, indptr[-1])
    assert same_indices is indices and indices.dtype == indptr.dtype
    with pytest.raises(ValueError, match="read-only"):
        indptr[0] = 1
    for M, L, values, factor_values in zip(
        backend.mass_matrix(q), backend.mass_matrix_cholesky(q), data, factor, strict=True
    ):
        assert_close(dense_from((values, indices, indptr), nv), numpy.tril(M))
        assert_close(dense_from((factor_values, indices, indptr), nv), L)
    one = backend.sparse_mass_matrix(q[0])
    assert_close(dense_from(one, nv), numpy.tril(backend.mass_matrix(q[0])))
    with pytest.raises(ValueError, match="q: expected shape"):
        backend.sparse_mass_matrix(q[:, :-1])


def test_a_branching_robot_has_a_sparse_mass_matrix():
    model = rbd_parallel.auto_tree(31, branching=2)
    data, indices, indptr = rbd_parallel.Backend(model).sparse_mass_matrix(numpy.zeros(31))
    assert data.shape == indices.shape == (129,)  # each of 31 bodies and its ancestors
    assert list(indices[indptr[4] : indptr[5]]) == [0, 1, 2, 3, 4]


def test_energies(backend, states):
    q, v, _ = states
    kinetic, potential = backend.energies(q, v)
    assert kinetic.shape == potential.shape == (BATCH,)
    single = backend.energies(q[2], v[2])
    assert_close(single, (kinetic[2], potential[2]))
    assert all(isinstance(energy, float) for energy in single)
    assert backend.energies(q)[0].tolist() == [0] * BATCH
    assert backend.energies(q[:0], v[:0])[0].shape == (0,)


def test_several_links(backend, states):
    q, names = states[0], ["tool", "pedestal", "tool"]
    poses, jacobians = backend.link_poses(q, names), backend.jacobian(q, names)
    assert poses.shape == (BATCH, 3, 7) and jacobians.shape == (BATCH, 3, 6, 7)
    assert numpy.array_equal(poses[:, 0], backend.link_poses(q, "tool"))
    assert numpy.array_equal(jacobians[:, 0], backend.jacobian(q, "tool", axes="world"))
    assert numpy.array_equal(poses[:, 0], poses[:, 2])
    assert backend.link_poses(q[0], tuple(names)).shape == (3, 7)


def test_none_is_zero(backend, states):
    q, zero = states[0], numpy.zeros_like(states[1])
    left_out, given = backend.inverse_dynamics(q), backend.inverse_dynamics(q, zero, zero)
    assert left_out == pytest.approx(given, abs=1e-13)
    assert backend.name == "compiled" or numpy.array_equal(left_out, given)  # it has code of its own for each
    assert numpy.array_equal(backend.forward_dynamics(q), backend.forward_dynamics(q, zero, zero))


def test_friction(states):
    model = two_joints()
    q, v = numpy.array([0.3, 0.2]), numpy.array([-2.0, 1.0])
    plain, rough = (rbd_parallel.Backend(model, friction=on) for on in (False, True))
    difference = rough.inverse_dynamics(q, v) - plain.inverse_dynamics(q, v)
    assert difference == pytest.approx([-2 * 0.5 - 0.25, 0], abs=1e-14)
    assert rough.forward_dynamics(q, v, rough.bias_forces(q, v)) == pytest.approx([0, 0], abs=1e-12)


# ---- what is read, what is refused -----------------------------------------------------------------------------------


def test_whatever_holds_numbers_is_read(backend, states):
    q, v, a = states
    expected = backend.inverse_dynamics(q, v, a)
    wide = numpy.repeat(v, 2, axis=1)
    swapped = q.astype(q.dtype.newbyteorder())
    unaligned = numpy.frombuffer(b"x" + q.tobytes(), dtype=numpy.uint8)[1:].view(numpy.float64).reshape(q.shape)
    read_only = q.copy()
    read_only.flags.writeable = False
    for same in (q.tolist(), numpy.asfortranarray(q), numpy.repeat(q, 2, axis=0)[::2], swapped, unaligned, read_only):
        assert numpy.array_equal(backend.inverse_dynamics(same, v, a), expected)
    assert numpy.array_equal(backend.inverse_dynamics(q[::-1], v[::-1], a[::-1]), expected[::-1])
    assert numpy.array_equal(backend.inverse_dynamics(q, wide[:, ::2], a), expected)
    single = q.astype(numpy.float32)
    assert numpy.array_equal(
        backend.inverse_dynamics(single, v, a), backend.inverse_dynamics(single.astype(float), v, a)
    )
    assert numpy.array_equal(
        backend.gravity_forces(numpy.ones(7, dtype=int)), backend.gravity_forces(numpy.ones(7))
    )
    assert backend.gravity_forces([1, 2, 3, 4, 5, 6, 7]).shape == (7,)


@pytest.mark.parametrize(
    "wrong, message",
    [
        (numpy.zeros(7, dtype=complex), "q: expected an array of float64, got a ndarray of complex128"),
        (numpy.zeros(7, dtype=bool), "q: expected an array of float64, got a ndarray of bool"),
        (["1"] * 7, "q: expected an array of float64, got a list of <U1"),
        ([None] * 7, "q: expected an array of float64, got a list of object"),
        ([[0] * 7, [0] * 6], "q: expected an array of float64, got a list that is not an array"),
        (numpy.ma.zeros(7), "q: expected an array of float64, got a masked array"),
        (None, "q: expected an array of float64, got None"),
        ("robot", "q: expected an array of float64, got a str"),
        (numpy.zeros(6), r"q: expected shape \(7,\) or \(batch, 7\), got \(6,\)"),
        (numpy.zeros((7, 5)), r"q: expected shape \(7,\) or \(batch, 7\), got \(7, 5\)"),
        (numpy.zeros((2, 2, 7)), r"q: expected shape \(7,\) or \(batch, 7\), got \(2, 2, 7\)"),
        (0.5, r"q: expected shape \(7,\) or \(batch, 7\), got \(\)"),
        ([], r"q: expected shape \(7,\) or \(batch, 7\), got \(0,\)"),
    ],
)
def test_wrong_q(backend, wrong, message):
    with pytest.raises(ValueError, match=message):
        backend.gravity_forces(wrong)


def test_wrong_sizes(backend, states):
    q, v, a = states
    for wrong, got in ((v[:3], r"\(3, 7\)"), (v[:, :6], r"\(5, 6\)"), (v[0], r"\(7,\)"), (v.ravel(), r"\(35,\)")):
        with pytest.raises(ValueError, match=rf"v: expected shape \(5, 7\) to go with q of shape \(5, 7\), got {got}"):
            backend.inverse_dynamics(q, wrong, a)
    with pytest.raises(ValueError, match=r"a: expected shape \(5, 7\) .*got \(4, 7\)"):
        backend.inverse_dynamics(q, v, a[:4])
    with pytest.raises(ValueError, match=r"tau: expected shape \(7,\) .*got \(5, 7\)"):
        backend.forward_dynamics(q[0], v[0], a)


@pytest.mark.parametrize("name", OPERATIONS)
def test_batch_above_max_batch(backend, model, name):
    too_many = random_states(model, BATCH + 1, seed=2)
    with pytest.raises(ValueError, match="batch is 6, but the backend was configured for at most 5"):
        operations(backend)[name][0](*too_many)
    assert backend.status.size == 0


def test_unknown_names(backend, states):
    q = states[0]
    for call in (
        lambda: backend.link_poses(q, "nose"),
        lambda: backend.link_poses(q, ["tool", "nose"]),
        lambda: backend.jacobian(q, "nose"),
        lambda: backend.inverse_dynamics(q, f_ext={"nose": numpy.zeros(6)}),
    ):
        with pytest.raises(ValueError, match='unknown link "nose": expected one of .*tool'):
            call()
    with pytest.raises(ValueError, match="links: expected at least one name, got none"):
        backend.link_poses(q, [])
    with pytest.raises(TypeError, match="links: expected a name or a list of names"):
        backend.link_poses(q, [3])
    with pytest.raises(TypeError):
        backend.link_poses(q, 3)
    with pytest.raises(ValueError, match='axes: expected "link" or "world", got "sky"'):
        backend.jacobian(q, "tool", axes="sky")
    with pytest.raises(ValueError, match='method: expected "auto", "aba", .*"dca" or "dcae", got "magic"'):
        backend.forward_dynamics(q, method="magic")


def test_wrenches(backend, states):
    q = states[0]
    wrench = numpy.arange(6.0)
    same = backend.inverse_dynamics(q, f_ext={"tool": numpy.tile(wrench, (BATCH, 1))})
    assert numpy.array_equal(backend.inverse_dynamics(q, f_ext={"tool": wrench}), same)
    assert_close(backend.inverse_dynamics(q[0], f_ext={"tool": list(wrench)}), same[0])
    assert numpy.array_equal(backend.inverse_dynamics(q, f_ext={}), backend.gravity_forces(q))
    J = backend.jacobian(q, "tool", axes="link")
    assert numpy.allclose(same, backend.gravity_forces(q) - numpy.einsum("bij,i->bj", J, wrench), atol=1e-12)
    with pytest.raises(ValueError, match=r'f_ext\["tool"\]: expected shape \(5, 6\) or \(6,\), .*got \(4, 6\)'):
        backend.inverse_dynamics(q, f_ext={"tool": numpy.zeros((4, 6))})
    with pytest.raises(ValueError, match=r'f_ext\["tool"\]: expected shape \(6,\), force then torque, got \(1, 6\)'):
        backend.inverse_dynamics(q[0], f_ext={"tool": numpy.zeros((1, 6))})
    with pytest.raises(TypeError, match="f_ext: expected a dict"):
        backend.inverse_dynamics(q, f_ext=wrench)
    with pytest.raises(TypeError, match="f_ext: expected link names as keys"):
        backend.inverse_dynamics(q, f_ext={3: wrench})


def test_the_default_method_has_the_name_of_the_messages_too(backend, states):
    q, v = states[:2]
    expected = backend.forward_dynamics(q, v)
    assert numpy.array_equal(backend.forward_dynamics(q, v, method="automatic"), expected)
    assert numpy.array_equal(backend.forward_dynamics(q, v, method="auto"), expected)


METHODS = ("jsiia", "hybrid_abia", "crba_sparse", "dca", "dcae")


@pytest.mark.parametrize("name", ["auto", "cpu", "reference", "tree"])
def test_methods_of_the_literature(model, name):
    rng = numpy.random.default_rng(7)
    q, v, tau = (rng.uniform(-1, 1, (3, model.nv)) for _ in range(3))
    backend = rbd_parallel.Backend(name, model, max_batch=3)
    expected = backend.forward_dynamics(q, v, tau, method="aba")
    for method in METHODS:
        assert numpy.allclose(backend.forward_dynamics(q, v, tau, method=method), expected, rtol=1e-9, atol=1e-9), method
        assert numpy.allclose(backend.forward_dynamics(q[0], v[0], tau[0], method=method), expected[0], rtol=1e-9, atol=1e-9)
    with pytest.raises(RuntimeError, match="method dca cannot be used on .*: it takes no f_ext; use auto, aba, crba$"):
        backend.forward_dynamics(q, f_ext={"tool": numpy.zeros(6)}, method="dca")


def test_methods_that_a_model_or_a_backend_rules_out():
    backend = rbd_parallel.Backend(two_joints('<mimic joint="shoulder"/>'))
    with pytest.raises(RuntimeError, match="method dcae cannot be used on .*mimics another one; use auto, crba, jsiia"):
        backend.forward_dynamics([0.1], method="dcae")
    with pytest.raises(RuntimeError, match="method two_port cannot be used on .*the backend cpu .*; use auto, aba"):
        rbd_parallel.Backend("cpu", two_joints()).forward_dynamics([0.1, 0.2], method="two_port")


def test_aba_refuses_mimic():
    backend = rbd_parallel.Backend(two_joints('<mimic joint="shoulder"/>'))
    with pytest.raises(RuntimeError, match="method aba cannot be used on .*mimics another one; use auto, crba, jsiia"):
        backend.forward_dynamics([0.1], method="aba")
    assert numpy.array_equal(backend.forward_dynamics([0.1]), backend.forward_dynamics([0.1], method="crba"))


# ---- bad states ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("value", [numpy.nan, numpy.inf, -numpy.inf])
def test_one_bad_state_leaves_its_neighbours_alone(backend, states, name, value):
    tolerant = rbd_parallel.Backend(backend.name, backend.model, max_batch=BATCH, on_error="nan")
    compute, _ = operations(tolerant)[name]
    good = compute(*states)
    q, v, a = (array.copy() for array in states)
    q[2, 3] = value
    results = compute(q, v, a)
    assert numpy.isnan(results[2]).all()
    others = [0, 1, 3, 4]
    assert numpy.array_equal(results[others], good[others])
    assert tolerant.status.tolist() == [0, 0, 1, 0, 0]
    assert list(tolerant.bad_states()) == [2]
    compute(*states)
    assert tolerant.status.tolist() == [0] * BATCH and tolerant.bad_states() == {}


def test_bad_states_raise(backend, states):
    q, v, a = (array.copy() for array in states)
    v[1, 4] = a[3, 0] = numpy.nan
    expected = r"inverse_dynamics: 2 of 5 states failed; the first is state 1: .*\(v of joint 'joint_5' is nan\)"
    with pytest.raises(rbd_parallel.StateError, match=expected) as caught:
        backend.inverse_dynamics(q, v, a)
    assert isinstance(caught.value, RuntimeError)
    assert list(backend.bad_states()) == [1, 3]
    with pytest.raises(rbd_parallel.StateError, match=r"state 3: .*\(tau of joint 'joint_1' is nan\)"):
        backend.forward_dynamics(q, states[1], a)
    with pytest.raises(rbd_parallel.StateError, match="1 of 1 states failed; the first is state 0"):
        backend.inverse_dynamics(q[1], v[1])
    with pytest.raises(rbd_parallel.StateError, match="energies: 1 of 5"):
        backend.energies(q, v)
    f_ext = {"tool": numpy.full(6, numpy.inf)}
    with pytest.raises(rbd_parallel.StateError, match="5 of 5 states failed"):
        backend.inverse_dynamics(q, f_ext=f_ext)


def test_quaternions():
    model = rbd_parallel.load_urdf(ARM, base="floating")
    backend = rbd_parallel.Backend(model, max_batch=2)
    q, _, _ = random_states(model, 2, seed=3)
    scaled = q.copy()
    scaled[:, 3:7] *= 3
    assert numpy.allclose(backend.gravity_forces(q), backend.gravity_forces(scaled), rtol=1e-13, atol=1e-12)
    q[1, 3:7] = 0
    with pytest.raises(rbd_parallel.StateError, match="1 of 2 states failed; the first is state 1: .*zero quaternion"):
        backend.gravity_forces(q)


@pytest.mark.filterwarnings("ignore::rbd_parallel.ModelWarning")
def test_singular_mass_matrix_names_the_joint():
    text = f'<robot name="two">{LINKS}{JOINTS.format(more="")}</robot>'
    start, end = text.index("<inertial>", text.index('"lower"')), text.rindex("</inertial>") + len("</inertial>")
    model = rbd_parallel.load_urdf(text[:start] + text[end:])
    backend = rbd_parallel.Backend(model, max_batch=3)
    q = numpy.zeros((3, 2))
    for call in (
        lambda: backend.forward_dynamics(q),
        lambda: backend.forward_dynamics(q, method="crba"),
        lambda: backend.mass_matrix_inverse(q),
        lambda: backend.mass_matrix_cholesky(q),
    ):
        expected = "3 of 3 .* state 0: the mass matrix is singular at joint 'elbow'"
        with pytest.raises(rbd_parallel.StateError, match=expected):
            call()
        assert backend.status.tolist() == [2, 2, 2]
    assert numpy.isfinite(backend.mass_matrix(q)).all()


def test_a_robot_without_moving_joints():
    model = rbd_parallel.load_urdf('<robot name="rock"><link name="rock"/></robot>')
    backend = rbd_parallel.Backend(model, max_batch=3)
    assert backend.inverse_dynamics(numpy.zeros((3, 0))).shape == (3, 0)
    assert backend.forward_dynamics([]).shape == (0,)
    assert backend.mass_matrix(numpy.zeros((3, 0))).shape == (3, 0, 0)
    assert backend.link_poses([], "rock").tolist() == [0, 0, 0, 0, 0, 0, 1]


# ---- memory and threads ----------------------------------------------------------------------------------------------


def test_c_contiguous_float64_is_not_copied(model):
    count = 20000
    q, v, a = random_states(model, count, seed=4)
    backend = rbd_parallel.Backend(model, max_batch=count)
    out = numpy.empty_like(v)

    def memory_taken(q):
        tracemalloc.start()
        backend.inverse_dynamics(q, v, a, out=out)
        taken = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return taken

    assert memory_taken(q) < q.nbytes / 100
    assert memory_taken(numpy.asfortranarray(q)) >= q.nbytes  # so a copy would be seen


def test_a_second_thread_is_refused_while_the_gil_is_free():
    """The refusal comes from Python code that runs while the other thread computes: the GIL is released."""
    model = rbd_parallel.auto_tree(100, skew=0.1)
    count = 3000
    q = numpy.zeros((count, model.nq))
    backend = rbd_parallel.Backend(model, max_batch=count)
    expected = backend.mass_matrix_cholesky(q[:1])
    refusals, results = [], []

    def compute():
        results.append(backend.gravity_forces(q))

    for _ in range(100):
        thread = threading.Thread(target=compute)
        thread.start()
        while thread.is_alive() and not refusals:
            try:
                backend.gravity_forces(q[0])
            except RuntimeError as refusal:
                refusals.append(str(refusal))
        thread.join()
        if refusals:
            break
    assert refusals and "computing in another thread: expected one calling thread at a time" in refusals[0]
    assert numpy.array_equal(backend.mass_matrix_cholesky(q[:1]), expected)


def test_threads_with_a_backend_each(model):
    q, v, a = random_states(model, 2000, seed=5)
    expected = rbd_parallel.Backend(model, max_batch=2000).inverse_dynamics(q, v, a)
    results = [None] * 4

    def compute(i):
        results[i] = rbd_parallel.Backend(model, max_batch=2000).inverse_dynamics(q, v, a)

    threads = [threading.Thread(target=compute, args=(i,)) for i in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(numpy.array_equal(result, expected) for result in results)


# ---- documentation ---------------------------------------------------------------------------------------------------


def test_everything_is_documented():
    for owner in (rbd_parallel, rbd_parallel.Backend, rbd_parallel.Model):
        for name in dir(owner):
            thing = getattr(owner, name)
            if not name.startswith("_") and callable(thing):
                assert thing.__doc__, f"{owner.__name__}.{name} has no docstring"
    assert set(rbd_parallel.__all__) <= set(dir(rbd_parallel))


def test_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+", rbd_parallel.__version__)
    for folder in pathlib.Path(__file__).resolve().parents:
        manifest = folder / "package.xml"
        if manifest.is_file():
            assert f"<version>{rbd_parallel.__version__}</version>" in manifest.read_text()
            return
    raise FileNotFoundError("package.xml, in a folder above this file")


def test_types_of_what_is_written_in_python():
    assert typing.get_type_hints(rbd_parallel.ModelError)["faults"] == list[str]
    for function in (rbd_parallel.to_lanes, rbd_parallel.from_lanes):
        assert typing.get_type_hints(function)["return"] is numpy.ndarray
        assert len(typing.get_type_hints(function)) == 3


def test_stub_lists_the_interface():
    stub = pathlib.Path(rbd_parallel.__file__).with_name("_core.pyi").read_text()
    for name in ("class Backend", "def inverse_dynamics(self, q: numpy.typing.ArrayLike", "def load_urdf"):
        assert name in stub


def test_ten_lines():
    rbd = rbd_parallel
    model = rbd.load_urdf(ARM)
    backend = rbd.Backend(model, max_batch=1000)
    q = numpy.random.default_rng(0).uniform(-1, 1, (1000, model.nq))
    v = a = numpy.zeros((1000, model.nv))
    tau = backend.inverse_dynamics(q, v, a)
    M = backend.mass_matrix(q)
    qdd = backend.forward_dynamics(q, v, tau)
    assert tau.shape == (1000, 7) and M.shape == (1000, 7, 7)
    assert numpy.abs(qdd - a).max() < 1e-9
