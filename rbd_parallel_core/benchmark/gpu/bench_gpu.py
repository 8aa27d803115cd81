# SPDX-License-Identifier: Apache-2.0
"""The backend cuda: flops and bytes of its kernels, what they would allow, and what the device of this machine does."""

import argparse
import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import bench_robots  # noqa: E402
import front_end  # noqa: E402
import projection  # noqa: E402
import ptxas_report  # noqa: E402

PAGE = front_end.ROOT / "docs/gpu.md"
ROBOTS = {"Panda": "fixed", "Talos floating": "floating"}
BATCH = 65536


def prepared_robots(folder):
    """Files of the robots, by name."""
    bench_robots.arguments_for(folder, tuple(ROBOTS))
    return {name: pathlib.Path(folder) / f"{name.replace(' ', '_')}.urdf" for name in ROBOTS}


def counted(build, files):
    """What rbd_gpu_counts prints, by robot."""
    counts = {}
    for name, path in files.items():
        command = [str(build / "rbd_gpu_counts"), str(path), ROBOTS[name]]
        counts[name] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return counts


def best_time(call):
    """Seconds of the fastest of five calls, after one that warms up."""
    call()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


class DeviceArray:
    """A copy of an array on the device, by the driver. It must be the current one: a backend makes it so."""

    def __init__(self, array):
        driver = ctypes.CDLL("libcuda.so.1")
        self.address = ctypes.c_uint64()
        self.check(driver.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(array.nbytes)))
        self.release = lambda: driver.cuMemFree_v2(self.address)
        self.check(driver.cuMemcpyHtoD_v2(self.address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)))
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (self.address.value, False), "version": 3,
        }  # fmt: skip

    @staticmethod
    def check(error):
        if error:
            raise RuntimeError(f"the NVIDIA driver fails, error {error}")

    def __del__(self):
        if getattr(self, "release", None):
            self.release()


def calls_of(backend, model, dtype, place):
    """The calls that are measured, by algorithm. place: what makes of an array of numpy the one that is given."""
    import numpy

    q = place(numpy.tile(numpy.asarray(model.neutral(), dtype=dtype), (BATCH, 1)))
    v = place(numpy.full((BATCH, model.nv), 0.5, dtype=dtype))
    out = place(numpy.zeros((BATCH, model.nv), dtype=dtype))
    M = place(numpy.zeros((BATCH, model.nv, model.nv), dtype=dtype))
    return {
        "RNEA": lambda: backend.inverse_dynamics(q, v, v, out=out),
        "CRBA": lambda: backend.mass_matrix(q, out=M),
        "ABA": lambda: backend.forward_dynamics(q, v, v, method="aba", out=out),
    }


def measured(files, on_device=DeviceArray):
    """A table of million states a second on the device of this machine, for arrays there and of the host. Or why there is
    none."""
    import rbd_parallel

    lines = ["| robot | algorithm | double | from the host | float | from the host |", "|---|---|--:|--:|--:|--:|"]
    try:
        for name, path in files.items():
            model = rbd_parallel.load_urdf(str(path), base=ROBOTS[name], mimic="independent")
            cells = {algorithm: [] for algorithm in ("RNEA", "CRBA", "ABA")}
            for dtype in ("float64", "float32"):
                backend = rbd_parallel.Backend("cuda", model, max_batch=BATCH, dtype=dtype)
                for place in (on_device, lambda array: array):
                    for algorithm, call in calls_of(backend, model, dtype, place).items():
                        cells[algorithm].append(f"{BATCH / best_time(call) / 1e6:.3g}")
            lines += [f"| {name} | {algorithm} | " + " | ".join(own) + " |" for algorithm, own in cells.items()]
    except (OSError, RuntimeError, ValueError) as error:
        return f"Not measured. {error}"
    return "\n".join(lines)


def main():
    parser = front_end.parser("--gpu", __doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--kernels", type=pathlib.Path, help="a build folder for all devices, for the table of kernels of docs/gpu.md")
    parser.add_argument("--update-docs", action="store_true", help="put the tables into docs/gpu.md, that of kernels with --kernels")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = prepared_robots(folder)
        counts = counted(arguments.build, files)
        device = measured(files)
    kernels = ptxas_report.read(arguments.kernels or arguments.build)
    tables = {
        "kernels": ptxas_report.table(kernels) if kernels else "",
        "counts": projection.counts_table(counts),
        "projection": projection.projection_table(counts),
        "measured": device,
    }
    for mark, content in tables.items():
        print(f"\n{mark}\n\n{content or 'no report of ptxas: no CUDA toolkit was found'}")
    if not arguments.kernels:
        tables.pop("kernels")  # those of one device are not what the page has
    if arguments.update_docs:
        front_end.update_page(PAGE, {mark: content for mark, content in tables.items() if content})


if __name__ == "__main__":
    sys.exit(front_end.run(main))
