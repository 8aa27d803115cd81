# SPDX-License-Identifier: Apache-2.0
"""Arrays in and out: types of numbers, layouts, batches of every size, memory that is strided or unaligned, and states
with numbers that are odd. What a float32 or lane-ready Backend gives is compared with what the others give."""

import numpy
import pytest

import rbd_parallel
from pinocchio_reference import random_states
from robots import own_robots

ROBOTS = own_robots()
SETS = rbd_parallel.instruction_sets()
TYPES = [numpy.float64, numpy.float32]
MOST = 70  # two groups and a bit of the widest register there is, 32 lanes or less


def load(robot="arm7", base="fixed"):
    return rbd_parallel.load_urdf(ROBOTS[f"config/robots/{robot}.urdf"], base=base)


def backend(model, name="cpu", **options):
    return rbd_parallel.Backend(name, model, max_batch=MOST, **options)


def states(model, batch, seed=1, dtype=numpy.float64):
    return [array.astype(dtype) for array in random_states(model, batch, seed)]


def every_operation(backend):
    """{name: a function of q, v and a third array}; each gives one array."""
    links = backend.model.link_names[:3]
    wrench = numpy.arange(6, dtype=backend.dtype)
    return {
        "inverse_dynamics": backend.inverse_dynamics,
        "wrenches": lambda q, v, a: backend.inverse_dynamics(q, v, a, f_ext={links[-1]: wrench}, axes="world"),
        "forward_dynamics": backend.forward_dynamics,
        "crba": lambda q, v, a: backend.forward_dynamics(q, v, a, method="crba"),
        "bias_forces": lambda q, v, a: backend.bias_forces(q, v),
        "gravity_forces": lambda q, v, a: backend.gravity_forces(q),
        "coriolis_forces": lambda q, v, a: backend.coriolis_forces(q, v),
        "mass_matrix": lambda q, v, a: backend.mass_matrix(q),
        "inverse": lambda q, v, a: backend.mass_matrix_inverse(q),
        "cholesky": lambda q, v, a: backend.mass_matrix_cholesky(q),
        "kinetic": lambda q, v, a: backend.energies(q, v)[0],
        "potential": lambda q, v, a: backend.energies(q, v)[1],
        "center_of_mass": lambda q, v, a: backend.center_of_mass(q),
        "link_poses": lambda q, v, a: backend.link_poses(q, links),
        "jacobian": lambda q, v, a: backend.jacobian(q, links, axes="link"),
        "link_motion": lambda q, v, a: backend.link_motion(q, links, v, a)[1],
    }


def error(actual, expected):
    """Largest difference, relative to the largest entry or to 1."""
    actual, expected = numpy.asarray(actual, float), numpy.asarray(expected, float)
    assert actual.shape == expected.shape
    return numpy.abs(actual - expected).max(initial=0) / numpy.abs(expected).max(initial=1)


# ---- types of numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("robot", ["arm7", "gripper", "quadruped"])
@pytest.mark.parametrize("name", rbd_parallel.backend_names())
def test_float32(robot, base, name):
    """A float32 Backend takes and gives float32, near to what a float64 one gives."""
    model = load(robot, base)
    single, double = backend(model, name, dtype="float32"), backend(model, name)
    assert single.dtype == numpy.float32 and "float32" in repr(single)
    q, v, a = states(model, 11, dtype=numpy.float32)
    for operation, compute in every_operation(single).items():
        result = compute(q, v, a)
        assert result.dtype == numpy.float32, operation
        solves = operation in ("forward_dynamics", "crba", "inverse")
        expected = every_operation(double)[operation](*(array.astype(float) for array in (q, v, a)))
        assert error(result, expected) < (1e-2 if solves else 2e-5), operation
    out = numpy.empty((11, model.nv), numpy.float32)
    assert single.gravity_forces(q, out=out) is out
    assert isinstance(single.energies(q[0])[1], numpy.float32)


def test_types_that_would_lose_digits_are_refused():
    model = load()
    single, double = backend(model, dtype=numpy.float32), backend(model)
    q, v, _ = states(model, 3)
    expected = 'expected an array of float32, got a ndarray of float64, which has more digits; .*astype."float32"'
    with pytest.raises(ValueError, match="q: " + expected):
        single.gravity_forces(q)
    with pytest.raises(ValueError, match="v: " + expected):
        single.bias_forces(q.astype(numpy.float32), v)
    with pytest.raises(ValueError, match='f_ext."tool".: ' + expected):
        single.inverse_dynamics(q.astype(numpy.float32), f_ext={"tool": numpy.zeros(6)})
    with pytest.raises(ValueError, match="out: expected a writable C-contiguous float32 array .*float64"):
        single.gravity_forces(q.astype(numpy.float32), out=numpy.empty((3, 7)))
    with pytest.raises(ValueError, match="out: expected a writable C-contiguous float64 array .*float32"):
        double.gravity_forces(q, out=numpy.empty((3, 7), numpy.float32))
    if numpy.finfo(numpy.longdouble).nmant > 52:
        with pytest.raises(ValueError, match="q: expected an array of float64, got .*more digits"):
            double.gravity_forces(q.astype(numpy.longdouble))
    # What has no type of its own, or fewer digits, is converted.
    assert single.gravity_forces([0.5] * 7).dtype == numpy.float32
    assert single.gravity_forces(numpy.ones(7, int)).dtype == numpy.float32
    half = q.astype(numpy.float16)
    assert numpy.array_equal(single.gravity_forces(half), single.gravity_forces(half.astype(numpy.float32)))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"dtype": int}, 'dtype: expected "float64" or "float32", got "int64"'),
        ({"dtype": numpy.float16}, 'dtype: expected "float64" or "float32", got "float16"'),
        ({"dtype": "double precision"}, "dtype: expected float64 or float32, got 'double precision'"),
        ({"layout": "columns"}, 'layout: expected "rows" or "lanes", got "columns"'),
        ({"instruction_set": "mmx"}, 'instruction_set: expected "baseline", "avx2" or "avx512", got "mmx"'),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        backend(load(), **options)


def test_numbers_too_large_for_float32_are_refused():
    heavy = ROBOTS["config/robots/arm7.urdf"].read_text().replace('<mass value="3.6"', '<mass value="3.6e15"')
    model = rbd_parallel.load_urdf(heavy)
    backend(model)
    with pytest.raises(ValueError, match="numbers of 1e12 and more, which overflow in float; use double"):
        backend(model, dtype="float32")


# ---- instruction sets ------------------------------------------------------------------------------------------------


def test_instruction_sets(monkeypatch):
    """Asked for by argument or by environment; the argument wins. All of them agree."""
    model = load("quadruped", "floating")
    q, v, a = states(model, 13)
    expected = backend(model, "reference", instruction_set="baseline").inverse_dynamics(q, v, a)
    widths = []
    for name in SETS:
        chosen = backend(model, instruction_set=name)
        assert chosen.instruction_set == name
        widths.append(chosen.lane_width)
        assert error(chosen.inverse_dynamics(q, v, a), expected) < 1e-13
        assert backend(model, dtype="float32", instruction_set=name).lane_width == 2 * widths[-1]
        monkeypatch.setenv("RBD_PARALLEL_ISA", name)
        assert backend(model).instruction_set == name
        assert backend(model, instruction_set="baseline").instruction_set == "baseline"
    assert widths == sorted(widths)
    monkeypatch.setenv("RBD_PARALLEL_ISA", "mmx")
    with pytest.raises(ValueError, match="RBD_PARALLEL_ISA is 'mmx', expected one of baseline, avx2, avx512"):
        backend(model)


def test_what_the_machine_lacks_is_refused():
    for name in {"avx2", "avx512"}.difference(SETS):
        with pytest.raises(ValueError, match=f"instruction_set is '{name}', which this machine or build does not have"):
            backend(load(), instruction_set=name)


# ---- batches ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", SETS)
def test_batches_of_every_size(name, dtype):
    """Law: a state's result has the same bits in every batch of two or more, at every place; alone it agrees."""
    model = load("quadruped", "floating")
    computing = backend(model, dtype=dtype, instruction_set=name)
    everything = states(model, MOST, dtype=dtype)
    tolerance = 1e-9 if dtype == numpy.float64 else 1e-2
    width = computing.lane_width
    for operation, compute in every_operation(computing).items():
        whole = compute(*everything)
        for size in (0, 1, 2, 3, width - 1, width, width + 1, 2 * width - 1, 2 * width, 2 * width + 1):
            some = compute(*(array[MOST - size :] for array in everything))
            if size == 1:
                assert error(some, whole[-1:]) < tolerance, operation
            else:
                assert numpy.array_equal(some, whole[MOST - size :]), (operation, size)


@pytest.mark.parametrize("dtype", TYPES)
def test_threads_change_nothing(dtype):
    model = load()
    count = 20000
    q, v, a = states(model, count, dtype=dtype)
    one, two = (rbd_parallel.Backend(model, max_batch=count, threads=n, dtype=dtype) for n in (1, 2))
    assert two.threads == 2
    for operation, compute in every_operation(one).items():
        assert numpy.array_equal(compute(q, v, a), every_operation(two)[operation](q, v, a)), operation


# ---- memory ----------------------------------------------------------------------------------------------------------


def unaligned(array):
    """The same numbers, one byte off."""
    return numpy.frombuffer(b"x" + array.tobytes(), dtype=numpy.uint8)[1:].view(array.dtype).reshape(array.shape)


FORMS = {
    "fortran": numpy.asfortranarray,
    "every second row": lambda array: numpy.repeat(array, 2, axis=0)[::2],
    "every second column": lambda array: numpy.repeat(array, 2, axis=1)[:, ::2],
    "backwards": lambda array: numpy.ascontiguousarray(array[::-1])[::-1],
    "unaligned": unaligned,
    "bytes swapped": lambda array: array.astype(array.dtype.newbyteorder()),
    "not aligned to a register": lambda array: numpy.concatenate([[0], array.ravel()]).astype(array.dtype)[1:].reshape(
        array.shape
    ),
    "repeated without memory": lambda array: numpy.broadcast_to(array[0], array.shape),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", TYPES)
def test_memory_of_every_form_is_read_right(form, dtype):
    computing = backend(load(), dtype=dtype)
    plain = states(computing.model, 19, dtype=dtype)
    if form == "repeated without memory":
        plain = [numpy.tile(array[0], (19, 1)) for array in plain]
    other = [FORMS[form](array) for array in plain]
    assert all(numpy.array_equal(a, b) for a, b in zip(plain, other))
    for operation, compute in every_operation(computing).items():
        assert numpy.array_equal(compute(*other), compute(*plain)), operation


@pytest.mark.parametrize("dtype", TYPES)
def test_strided_and_unaligned_outputs_are_refused(dtype):
    computing = backend(load(), dtype=dtype)
    q = states(computing.model, 5, dtype=dtype)[0]
    aligned = numpy.zeros((5, 7), dtype)
    off_by_one = numpy.zeros(aligned.nbytes + 1, numpy.uint8)[1:].view(dtype).reshape(5, 7)
    for out in (numpy.zeros((5, 14), dtype)[:, ::2], numpy.zeros((7, 5), dtype).T, off_by_one):
        with pytest.raises(ValueError, match="out: expected a writable C-contiguous .* got strided or misaligned"):
            computing.gravity_forces(q, out=out)
        assert not out.any()
    # A register's alignment is not asked for.
    memory = numpy.zeros(36, dtype)
    computing.gravity_forces(q, out=memory[1:].reshape(5, 7))
    assert numpy.array_equal(memory[1:].reshape(5, 7), computing.gravity_forces(q))
    assert memory[0] == 0


# ---- lane-ready arrays -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", rbd_parallel.backend_names())
def test_lanes_equal_rows(name, dtype):
    model = load("quadruped", "floating")
    rows, lanes = (backend(model, name, dtype=dtype, layout=layout) for layout in ("rows", "lanes"))
    width = lanes.lane_width
    assert lanes.layout == "lanes" and (width > 1) == (name in ("cpu", "compiled"))
    for batch in (2, width + 1, 2 * width + 1):
        plain = states(model, batch, dtype=dtype)
        ready = [rbd_parallel.to_lanes(array, width) for array in plain]
        for operation, compute in every_operation(lanes).items():
            result = compute(*ready)
            assert result.shape[0] == ready[0].shape[0] and result.shape[-1] == width, operation
            expected = every_operation(rows)[operation](*plain)
            assert numpy.array_equal(rbd_parallel.from_lanes(result, batch), expected), operation
        wrenches = numpy.random.default_rng(2).normal(size=(batch, 6)).astype(dtype)
        result = lanes.inverse_dynamics(*ready, f_ext={"trunk": rbd_parallel.to_lanes(wrenches, width)})
        expected = rows.inverse_dynamics(*plain, f_ext={"trunk": wrenches})
        assert numpy.array_equal(rbd_parallel.from_lanes(result, batch), expected)


def test_lanes_are_checked():
    lanes = backend(load(), layout="lanes", instruction_set="baseline")
    for wrong in (numpy.zeros(7), numpy.zeros((4, 7)), numpy.zeros((2, 2, 7)), numpy.zeros((2, 7, 3))):
        with pytest.raises(ValueError, match=r'q: expected shape \(groups, 7, 2\), .*"lanes", got .*to_lanes'):
            lanes.gravity_forces(wrong)
    with pytest.raises(ValueError, match=r"v: expected shape \(3, 7, 2\) .*got \(3, 7\)"):
        lanes.bias_forces(numpy.zeros((3, 7, 2)), numpy.zeros((3, 7)))
    with pytest.raises(ValueError, match=f"batch is {MOST + 2}, but the backend was configured for at most {MOST}"):
        lanes.gravity_forces(numpy.zeros((MOST // 2 + 1, 7, 2)))
    with pytest.raises(ValueError, match=r"batch: expected at most 6, .* shape \(3, 7, 2\), got 7"):
        rbd_parallel.from_lanes(numpy.zeros((3, 7, 2)), 7)
    assert lanes.gravity_forces(numpy.zeros((0, 7, 2))).shape == (0, 7, 2)
    q = numpy.zeros((3, 7, 2))
    q[1, 3, 1] = numpy.nan
    with pytest.raises(rbd_parallel.StateError, match=r"1 of 6 .* state 3: .*\(q of joint 'joint_4' is nan\)"):
        lanes.gravity_forces(q)


def test_lanes_and_back():
    rows = numpy.arange(5 * 3 * 2).reshape(5, 3, 2)
    lanes = rbd_parallel.to_lanes(rows, 4)
    assert lanes.shape == (2, 3, 2, 4) and lanes.flags.c_contiguous
    assert numpy.array_equal(lanes[0, ..., 3], rows[3])
    assert all(numpy.array_equal(lanes[1, ..., i], rows[4]) for i in range(4))
    assert numpy.array_equal(rbd_parallel.from_lanes(lanes, 5), rows)
    assert rbd_parallel.from_lanes(rbd_parallel.to_lanes(numpy.zeros((9, 0)), 8), 9).shape == (9, 0)
    assert rbd_parallel.to_lanes(rows[:0], 4).shape == (0, 3, 2, 4)
    for width in (0, -4):
        with pytest.raises(ValueError, match=f"width: expected at least 1, Backend.lane_width, got {width}"):
            rbd_parallel.to_lanes(rows, width)
    with pytest.raises(TypeError, match="width: expected an int, Backend.lane_width, got 4.0"):
        rbd_parallel.to_lanes(rows, 4.0)
    with pytest.raises(ValueError, match=r"array: expected shape \(batch, ...\), got \(\)"):
        rbd_parallel.to_lanes(3.0, 4)
    with pytest.raises(ValueError, match=r"array: expected shape \(groups, ..., width\), .*got \(4,\)"):
        rbd_parallel.from_lanes([1, 2, 3, 4], 4)
    with pytest.raises(TypeError, match="batch: expected an int, got '5'"):
        rbd_parallel.from_lanes(lanes, "5")


# ---- odd numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("value", [numpy.nan, numpy.inf, -numpy.inf])
def test_a_bad_state_among_many(dtype, value):
    """Wherever it stands in its group, and whichever input it spoils, its neighbours keep their bits."""
    model = load("quadruped", "floating")
    tolerant = backend(model, dtype=dtype, on_error="nan")
    plain = states(model, 35, dtype=dtype)
    reads = {"q": 0, "v": 1, "a": 2}
    for operation, compute in every_operation(tolerant).items():
        expected = compute(*plain)
        used = {"inverse_dynamics": "qva", "forward_dynamics": "qva", "bias_forces": "qv", "kinetic": "qv"}
        for letter in used.get(operation, "q"):
            for bad in (0, 6, 33, 34):
                spoilt = [array.copy() for array in plain]
                spoilt[reads[letter]][bad, -1] = value
                result = compute(*spoilt)
                others = numpy.arange(35) != bad
                assert numpy.isnan(result[bad]).all(), (operation, letter, bad)
                assert numpy.array_equal(result[others], expected[others]), (operation, letter, bad)
                assert numpy.array_equal(tolerant.status, numpy.where(others, 0, 1))


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("dtype", TYPES)
def test_denormal_numbers_are_zero_but_for_rounding(name, dtype):
    model = load()
    computing = backend(model, dtype=dtype, instruction_set=name)
    least = numpy.finfo(dtype).smallest_subnormal
    tiny = numpy.finfo(dtype).tiny
    zeros = numpy.zeros((9, 7), dtype)
    for number in (least, -least, 3 * least, tiny / 2, tiny):
        small = numpy.full((9, 7), number, dtype)
        assert numpy.all(small != 0)
        for operation, compute in every_operation(computing).items():
            result = compute(small, small, small)
            assert error(result, compute(zeros, zeros, zeros)) < 4 * numpy.finfo(dtype).eps, (operation, number)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("dtype, tolerance", [(numpy.float64, 1e-12), (numpy.float32, 2e-5)])
@pytest.mark.parametrize("angle", [2e3, 1e5, 1.5e5, 1e6, -1e6])
def test_large_angles(name, dtype, tolerance, angle):
    """sin and cos of 1e6 are those of the number, not of what a short reduction leaves; neighbours do not notice."""
    model = load()
    computing = backend(model, dtype=dtype, instruction_set=name)
    q, v, a = states(model, 21, dtype=dtype)
    expected = computing.inverse_dynamics(q, v, a)
    large = q.copy()
    large[5] = angle + numpy.arange(7)  # whole numbers, so that float32 has them too
    result = computing.inverse_dynamics(large, v, a)
    others = numpy.arange(21) != 5
    assert numpy.array_equal(result[others], expected[others])
    exact = large[5].astype(float)
    turned = numpy.arctan2(numpy.sin(exact), numpy.cos(exact))
    reference = backend(model, "reference").inverse_dynamics(turned, v[5].astype(float), a[5].astype(float))
    # A constant angle of the joint's frame is added to q, so the last place of q may be lost.
    assert error(result[5], reference) < tolerance + 4 * numpy.spacing(dtype(abs(angle)))
