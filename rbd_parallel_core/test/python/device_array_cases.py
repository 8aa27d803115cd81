# SPDX-License-Identifier: Apache-2.0
"""Arrays on a CUDA device from Python, the device being played by the CPU: what is given by address is read and written
there, and what cannot be is refused by name."""

import pathlib
import sys

import numpy
import pytest

import rbd_parallel
from device_memory import CudaInterface, DlPack, Memory, numbers_of, play_device
from pinocchio_reference import random_states
from robots import own_robots

BATCH = 21  # chunks of 8 states and a part of one
OFFERS = {"interface": CudaInterface, "dlpack": DlPack}
TYPES = [numpy.float64, numpy.float32]


@pytest.fixture(scope="module")
def device():
    return play_device()


@pytest.fixture(scope="module")
def model():
    return rbd_parallel.load_urdf(own_robots()["config/robots/arm7.urdf"])


@pytest.fixture
def cuda(device, model):
    return rbd_parallel.Backend("cuda", model, max_batch=BATCH)


@pytest.fixture
def there(device):
    """Puts numbers on the device; Memory."""
    return lambda numbers: Memory(device, numbers)


def states(model, dtype=numpy.float64):
    return [array.astype(dtype) for array in random_states(model, BATCH, 3)]


def test_the_benchmark_measures_arrays_of_both_sides(device, there, monkeypatch):
    """Law: a number for each algorithm, type and place of the arrays, which is above zero."""
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "benchmark" / "gpu"))
    import bench_gpu

    monkeypatch.setattr(bench_gpu, "BATCH", 9)
    files = {"Panda": own_robots()["config/robots/arm7.urdf"]}
    head, _, *rows = bench_gpu.measured(files, lambda array: CudaInterface(there(array))).splitlines()
    assert [row.split(" | ")[1] for row in rows] == ["RNEA", "CRBA", "ABA"]
    for row in [head, *rows]:
        assert row.count(" | ") == 5, row
    assert all(float(cell) > 0 for row in rows for cell in row.strip("| ").split(" | ")[2:])


# ---- in place --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offer", OFFERS.values(), ids=OFFERS)
@pytest.mark.parametrize("dtype", TYPES)
def test_arrays_on_the_device_give_what_arrays_of_the_host_give(device, model, there, offer, dtype):
    """Law: the same bits, and no number is copied between host and device but the statuses."""
    backend = rbd_parallel.Backend("cuda", model, max_batch=BATCH, dtype=dtype)
    q, v, a = states(model, dtype)
    q_there, v_there, a_there = (offer(there(array)) for array in (q, v, a))
    for name, given in {
        "inverse_dynamics": 3,
        "forward_dynamics": 3,
        "bias_forces": 2,
        "coriolis_forces": 2,
        "gravity_forces": 1,
        "mass_matrix": 1,
        "mass_matrix_inverse": 1,
        "mass_matrix_cholesky": 1,
        "center_of_mass": 1,
    }.items():
        compute = getattr(backend, name)
        expected = compute(*(q, v, a)[:given])
        out = there(numpy.zeros_like(expected))
        before = device.copies_so_far()
        target = offer(out)
        assert compute(*(q_there, v_there, a_there)[:given], out=target) is target
        assert device.copies_so_far() - before == 3, f"{name}: the statuses of three chunks"
        numpy.testing.assert_array_equal(out.numbers, expected, name)


def test_a_result_without_out_is_on_the_device_and_can_be_given_back(cuda, model, there):
    """Law: FD(ID(a)) = a, without the host in between."""
    q, v, a = states(model)
    q_there, v_there, a_there = (DlPack(there(array)) for array in (q, v, a))
    tau = cuda.inverse_dynamics(q_there, v_there, a_there)
    assert tau.__dlpack_device__() == (2, 0)
    numpy.testing.assert_array_equal(numbers_of(tau), cuda.inverse_dynamics(q, v, a))
    numpy.testing.assert_allclose(numbers_of(cuda.forward_dynamics(q_there, v_there, tau)), a, atol=1e-9)
    for energy, expected in zip(cuda.energies(q_there, v_there), cuda.energies(q, v)):
        numpy.testing.assert_array_equal(numbers_of(energy), expected)
    links = model.link_names[:3]
    numpy.testing.assert_array_equal(numbers_of(cuda.link_poses(q_there, links)), cuda.link_poses(q, links))
    numpy.testing.assert_array_equal(numbers_of(cuda.jacobian(q_there, links)), cuda.jacobian(q, links))
    values, columns, starts = cuda.sparse_mass_matrix(q_there)
    numpy.testing.assert_array_equal(numbers_of(values), cuda.sparse_mass_matrix(q)[0])
    assert isinstance(columns, numpy.ndarray) and isinstance(starts, numpy.ndarray)


def test_one_state_and_wrenches_of_the_host(cuda, model, there):
    q, v, a = (array[0] for array in states(model))
    wrench = {model.link_names[-1]: numpy.arange(6.0)}
    tau = cuda.inverse_dynamics(DlPack(there(q)), DlPack(there(v)), f_ext=wrench)
    numpy.testing.assert_array_equal(numbers_of(tau), cuda.inverse_dynamics(q, v, f_ext=wrench))


def test_a_bad_state_is_told(cuda, model, there):
    q, v, a = states(model)
    v[5, 2] = numpy.nan
    with pytest.raises(rbd_parallel.StateError, match="1 of 21 states failed; the first is state 5"):
        cuda.inverse_dynamics(DlPack(there(q)), DlPack(there(v)), DlPack(there(a)))
    assert list(cuda.bad_states()) == [5]


def test_an_axis_of_one_element_may_have_any_stride(cuda, model, there):
    q = states(model)[0][:1]
    expected = cuda.gravity_forces(q)
    assert (numbers_of(cuda.gravity_forces(DlPack(there(q), strides=(1000, 1)))) == expected).all()
    assert (numbers_of(cuda.gravity_forces(CudaInterface(there(q), strides=(1000, 8)))) == expected).all()


# ---- streams ---------------------------------------------------------------------------------------------------------


def test_dlpack_is_asked_for_the_stream_of_the_backend(cuda, model, there):
    """DLPack: a handle above 2, in which the owner may queue; None, 0, 1 and 2 are others' streams."""
    q = DlPack(there(states(model)[0]))
    cuda.gravity_forces(q)
    assert len(q.streams) == 1 and q.streams[0] > 2


@pytest.mark.parametrize("stream", [1, 2, 0xABCDE0])
def test_the_stream_of_the_interface_is_waited_for(device, cuda, model, there, stream):
    cuda.gravity_forces(CudaInterface(there(states(model)[0]), stream=stream))
    assert device.last_stream_waited_for() == stream


@pytest.mark.parametrize("entries", [{}, {"stream": None}, {"version": 2}])
def test_no_stream_is_the_default_one(device, cuda, model, there, entries):
    q = states(model)[0]
    cuda.gravity_forces(CudaInterface(there(q), stream=0xABCDE0))
    assert device.last_stream_waited_for() == 0xABCDE0
    cuda.gravity_forces(CudaInterface(there(q), **entries))
    assert device.last_stream_waited_for() == 1


# ---- refused by name -------------------------------------------------------------------------------------------------


def refused(call, *arguments, **options):
    with pytest.raises(ValueError) as error:
        call(*arguments, **options)
    return str(error.value)


@pytest.mark.parametrize("offer", OFFERS.values(), ids=OFFERS)
def test_numbers_of_another_type(cuda, model, there, offer):
    q = offer(there(states(model, numpy.float32)[0]))
    kind = offer.__name__
    expected = f"q: expected a C-contiguous array of float64 on CUDA device 0, got a {kind} of float32"
    assert refused(cuda.gravity_forces, q) == expected


def test_integers(cuda, model, there):
    q = there(numpy.zeros((BATCH, model.nq), numpy.int64))
    assert refused(cuda.gravity_forces, CudaInterface(q)).endswith("got a CudaInterface of int64")
    assert refused(cuda.gravity_forces, DlPack(q, code=0)).endswith("got a DlPack of int64")
    assert refused(cuda.gravity_forces, DlPack(q, code=1)).endswith("got a DlPack of uint64")
    assert refused(cuda.gravity_forces, DlPack(q, code=5)).endswith("of numbers of DLPack's type 5 with 64 bits")


def test_numbers_with_gaps(cuda, model, there):
    q = there(states(model)[0])
    end = "that is not C-contiguous"
    assert refused(cuda.gravity_forces, CudaInterface(q, strides=(8, 8 * BATCH))).endswith(end)
    assert refused(cuda.gravity_forces, CudaInterface(q, strides=(8 * model.nq, 4))).endswith(end)
    assert refused(cuda.gravity_forces, DlPack(q, strides=(1, BATCH))).endswith(end)


def test_misaligned_numbers(cuda, model, there):
    q = there(states(model)[0])
    moved = CudaInterface(q, data=(q.address + 4, False))
    assert refused(cuda.gravity_forces, moved).endswith("that is misaligned")


def test_another_device(cuda, model, there):
    q = there(states(model)[0])
    assert refused(cuda.gravity_forces, DlPack(q, device=1)).endswith("got a DlPack on CUDA device 1")
    assert "a DlPack on a device of DLPack's kind 10" in refused(cuda.gravity_forces, DlPack(q, kind=10))


def test_memory_that_is_no_devices(cuda, model, there):
    q = states(model)[0]
    lying = CudaInterface(there(q), data=(q.ctypes.data, False))
    assert refused(cuda.gravity_forces, lying).endswith("whose memory is no device's")


def test_wrong_shapes(cuda, model, there):
    q, v, a = states(model)
    assert "q: expected shape (7,) or (batch, 7), got (21, 6)" in refused(cuda.gravity_forces, DlPack(there(q[:, 1:])))
    short = refused(cuda.bias_forces, DlPack(there(q)), DlPack(there(v[1:])))
    assert short == "v: expected shape (21, 7) to go with q of shape (21, 7), got (20, 7)"
    out = refused(cuda.gravity_forces, DlPack(there(q)), out=DlPack(there(v[1:])))
    assert out == (
        "out: expected a writable C-contiguous float64 array of shape (21, 7) on CUDA device 0, got shape (20, 7)"
    )


def test_host_and_device_do_not_mix(cuda, model, there):
    q, v, a = states(model)
    of_host = "expected an array on the device as q is, got one of the host"
    assert refused(cuda.bias_forces, DlPack(there(q)), v) == f"v: {of_host}"
    assert refused(cuda.gravity_forces, DlPack(there(q)), out=v) == f"out: {of_host}"
    on_device = "expected an array of the host as q is, got one on the device"
    assert refused(cuda.bias_forces, q, CudaInterface(there(v))) == f"v: {on_device}"
    assert refused(cuda.gravity_forces, q, out=CudaInterface(there(v))) == f"out: {on_device}"
    wrench = {model.link_names[-1]: DlPack(there(numpy.zeros(6)))}
    text = refused(cuda.inverse_dynamics, DlPack(there(q)), f_ext=wrench)
    assert text == f'f_ext["{model.link_names[-1]}"]: expected an array of the host, got one on a CUDA device'


def test_what_cannot_be_written_to(cuda, model, there):
    q = there(states(model)[0])
    out = there(numpy.zeros((BATCH, model.nv)))
    read_only = CudaInterface(out, data=(out.address, True))
    assert refused(cuda.gravity_forces, CudaInterface(q), out=read_only).endswith("got a read-only one")
    assert "overlaps an input" in refused(cuda.gravity_forces, CudaInterface(q), out=CudaInterface(q))


def test_masks_and_streams_that_cannot_be(cuda, model, there):
    q = there(states(model)[0])
    assert "expected an array without a mask" in refused(cuda.gravity_forces, CudaInterface(q, mask=CudaInterface(q)))
    assert "expected a stream or None" in refused(cuda.gravity_forces, CudaInterface(q, stream=0))


@pytest.mark.parametrize(
    "entries, expected",
    [
        ({"typestr": "|V0", "strides": (8, 8)}, "of float64 on CUDA device 0, got a CudaInterface of |V0"),
        ({"strides": (8,)}, "expected a stride for each of the 2 sizes in __cuda_array_interface__, got 1"),
        ({"strides": (56, 8, 8)}, "expected a stride for each of the 2 sizes in __cuda_array_interface__, got 3"),
        ({"strides": "ab"}, "expected numbers of bytes as strides in __cuda_array_interface__, got 'ab'"),
        ({"data": (None, False)}, "expected an address and whether it is read-only as data in __cuda_array_interface__, got (None, False)"),
        ({"data": None}, "expected an address and whether it is read-only as data in __cuda_array_interface__, got None"),
        ({"shape": (-3, 7)}, "expected sizes as shape in __cuda_array_interface__, got (-3, 7)"),
        ({"stream": -1}, "expected the address of a stream in __cuda_array_interface__, got -1"),
        ({"stream": "a"}, "expected the address of a stream in __cuda_array_interface__, got 'a'"),
    ],
)
def test_interfaces_that_cannot_be(cuda, model, there, entries, expected):
    text = refused(cuda.gravity_forces, CudaInterface(there(states(model)[0]), **entries))
    assert text.startswith("q: ") and expected in text


def test_what_is_no_capsule(cuda, model, there):
    array = DlPack(there(states(model)[0]))
    array.__dlpack__ = lambda stream: 3
    assert refused(cuda.gravity_forces, array) == "q: expected a capsule with an array from __dlpack__, got 3"


def test_methods_that_the_host_computes(cuda, model, there):
    q = DlPack(there(states(model)[0]))
    text = refused(cuda.forward_dynamics, q, method="jsiia")
    assert text == (
        "q lies on the device, expected an array of the host for method jsiia, which the host computes; "
        "copy it there, or use auto, aba, crba"
    )


@pytest.mark.parametrize("name", ["cpu", "auto", "tree", "reference"])
@pytest.mark.parametrize("offer", OFFERS.values(), ids=OFFERS)
def test_other_backends_say_who_takes_them(device, model, there, name, offer):
    backend = rbd_parallel.Backend(name, model, max_batch=BATCH)
    q = states(model)[0]
    text = refused(backend.gravity_forces, offer(there(q)))
    assert text == (
        f"q: expected an array of the host for the backend {backend.name}, got one on a CUDA device, "
        "which the backend cuda takes"
    )
    assert "expected an array of the host as q is" in refused(backend.gravity_forces, q, out=offer(there(q)))


@pytest.mark.parametrize("operation", ["inverse_dynamics_derivatives", "forward_dynamics_derivatives", "inverse_dynamics_jvp",
                                       "inverse_dynamics_vjp", "forward_dynamics_jvp", "forward_dynamics_vjp",
                                       "coriolis_matrix", "regressor"])  # fmt: skip
def test_a_derivative_is_computed_or_refused_by_its_name(cuda, model, operation):
    """Law: what the device does not offer is refused with the words of the library; what it offers is what cpu gives."""
    q, v, *_ = states(model)
    arguments = {"q": q, "v": v} | ({"weights": numpy.ones_like(v)} if operation.endswith("vjp") else {})
    expected = getattr(rbd_parallel.Backend("cpu", model, max_batch=BATCH), operation)(**arguments)
    try:
        found = getattr(cuda, operation)(**arguments)
    except RuntimeError as refusal:
        assert str(refusal) == f"this backend does not offer {operation}; choose another backend"
        return
    for one, other in zip(found if isinstance(found, tuple) else [found], expected if isinstance(found, tuple) else [expected]):
        numpy.testing.assert_allclose(one, other, atol=1e-9 * max(1, abs(other).max()))
