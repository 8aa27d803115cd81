# SPDX-License-Identifier: Apache-2.0
"""Arrays on a CUDA device that is played by the CPU, and objects that offer them as other libraries do: by the CUDA array
interface and by DLPack."""

import ctypes
import pathlib

import numpy

import rbd_parallel

LIBRARY = pathlib.Path(rbd_parallel.__file__).parents[2] / "test" / "emulated_cuda" / "librbd_parallel_cuda.so.0"


def play_device():
    """Loads the library that Backend("cuda") then finds, since it has the name of the real one."""
    library = ctypes.CDLL(str(LIBRARY))
    library.device_allocate.restype = ctypes.c_void_p
    library.device_allocate.argtypes = [ctypes.c_size_t]
    library.device_release.argtypes = [ctypes.c_void_p]
    library.last_stream_waited_for.restype = ctypes.c_size_t
    return library


class Memory:
    """Numbers on the device. `numbers` is how a test looks at them."""

    def __init__(self, library, numbers):
        numbers = numpy.ascontiguousarray(numbers)
        self.library = library
        self.address = library.device_allocate(max(1, numbers.nbytes))
        bytes_there = (ctypes.c_char * numbers.nbytes).from_address(self.address)
        self.numbers = numpy.frombuffer(bytes_there, numbers.dtype).reshape(numbers.shape)
        self.numbers[...] = numbers

    def __del__(self):
        self.numbers = None
        self.library.device_release(self.address)


class CudaInterface:
    """Offers Memory by the CUDA array interface, with entries of the caller's own in the place of the right ones."""

    def __init__(self, memory, **entries):
        self.memory = memory
        numbers = memory.numbers
        self.__cuda_array_interface__ = {
            "shape": numbers.shape,
            "typestr": numbers.dtype.str,
            "data": (memory.address, False),
            "version": 3,
            **entries,
        }


class DlTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class DlManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DlTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class DlPack:
    """Offers Memory by DLPack: on this kind of device (2: CUDA), with this number, with these strides (in numbers)."""

    def __init__(self, memory, kind=2, device=0, strides=None, code=2):
        self.memory, self.kind, self.device, self.strides, self.code = memory, kind, device, strides, code
        self.streams = []

    def __dlpack_device__(self):
        return self.kind, self.device

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        numbers = self.memory.numbers
        axes = ctypes.c_int64 * max(1, numbers.ndim)
        self.shape = axes(*numbers.shape)
        strides = None if self.strides is None else axes(*self.strides)
        self.managed = DlManagedTensor(
            DlTensor(
                self.memory.address,
                self.kind,
                self.device,
                numbers.ndim,
                self.code,
                8 * numbers.itemsize,
                1,
                self.shape,
                strides,
                0,
            )
        )
        self.kept = strides
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.managed), b"dltensor", None)


def numbers_of(array):
    """A copy of what an object that offers DLPack holds: the device's memory is the program's own here."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = array.__dlpack__(stream=1)
    tensor = DlManagedTensor.from_address(get(capsule, b"dltensor")).tensor
    shape = tensor.shape[: tensor.ndim]
    count = int(numpy.prod(shape, dtype=int))
    bytes_there = (ctypes.c_char * (count * tensor.bits // 8)).from_address(tensor.data)
    return numpy.frombuffer(bytes_there, f"f{tensor.bits // 8}").reshape(shape).copy()
