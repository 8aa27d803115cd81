# SPDX-License-Identifier: Apache-2.0
"""The backend cuda: flops and bytes of its kernels, what they would allow, and what the device of this machine does."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import bench_robots  # noqa: E402
import projection  # noqa: E402
import ptxas_report  # noqa: E402

PAGE = HERE.parents[2] / "docs" / "gpu.md"
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


def measured(files):
    """A table of million states a second on the device of this machine, arrays of the host. Or why there is none."""
    import numpy
    import rbd_parallel

    lines = ["| robot | algorithm | double | float |", "|---|---|--:|--:|"]
    for name, path in files.items():
        model = rbd_parallel.load_urdf(str(path), base=ROBOTS[name], mimic="independent")
        cells = {algorithm: [] for algorithm in ("RNEA", "CRBA", "ABA")}
        for dtype in ("float64", "float32"):
            try:
                backend = rbd_parallel.Backend("cuda", model, max_batch=BATCH, dtype=dtype)
            except (RuntimeError, ValueError) as error:
                return f"Not measured. {error}"
            q = numpy.tile(numpy.asarray(model.neutral(), dtype=dtype), (BATCH, 1))
            v = numpy.full((BATCH, model.nv), 0.5, dtype=dtype)
            calls = {
                "RNEA": lambda b=backend, q=q, v=v: b.inverse_dynamics(q, v, v),
                "CRBA": lambda b=backend, q=q: b.mass_matrix(q),
                "ABA": lambda b=backend, q=q, v=v: b.forward_dynamics(q, v, v, method="aba"),
            }
            for algorithm, call in calls.items():
                cells[algorithm].append(f"{BATCH / best_time(call) / 1e6:.3g}")
        lines += [f"| {name} | {algorithm} | " + " | ".join(own) + " |" for algorithm, own in cells.items()]
    return "\n".join(lines)


def replaced(text, mark, content):
    """The page with what stands between two marks replaced."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    before, rest = text.split(begin)
    return f"{before}{begin}\n\n{content}\n\n{end}{rest.split(end)[1]}"


def main():
    parser = argparse.ArgumentParser(prog="./dev bench --gpu", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--update-docs", action="store_true", help="put the tables into docs/gpu.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = prepared_robots(folder)
        counts = counted(arguments.build, files)
        device = measured(files)
    kernels = ptxas_report.read(arguments.build)
    tables = {
        "kernels": ptxas_report.table(kernels) if kernels else "",
        "counts": projection.counts_table(counts),
        "projection": projection.projection_table(counts),
        "measured": device,
    }
    page = PAGE.read_text(encoding="utf-8")
    for mark, content in tables.items():
        print(f"\n{mark}\n\n{content or 'no report of ptxas: no CUDA toolkit was found'}")
        if content:
            page = replaced(page, mark, content)
    if arguments.update_docs:
        PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
