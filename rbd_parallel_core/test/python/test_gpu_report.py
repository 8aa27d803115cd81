# SPDX-License-Identifier: Apache-2.0
"""The budget of the kernels of the backend cuda, and the projection: scripts of benchmark/gpu/."""

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "benchmark" / "gpu"
sys.path.insert(0, str(FOLDER))

import projection  # noqa: E402
import ptxas_report  # noqa: E402

SYMBOL = "_ZN17rbd_parallel_core11cuda_kernelINS_14MassMatrixBodyIdEEEEvT_"
REPORT = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '{symbol}' for 'sm_90'
ptxas info    : Function properties for {symbol}
    {stack} bytes stack frame, {stores} bytes spill stores, {loads} bytes spill loads
ptxas info    : Used {registers} registers, used 1 barriers, {stack} bytes cumulative stack size
"""


def report(stack=40, stores=0, loads=0, registers=255):
    return REPORT.format(symbol=SYMBOL, stack=stack, stores=stores, loads=loads, registers=registers)


def run(folder):
    command = [sys.executable, str(FOLDER / "ptxas_report.py"), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_reads_what_ptxas_says():
    (kernel,) = ptxas_report.parse(report())
    assert kernel == ("MassMatrix<double>", "sm_90", 255, 40, 0)
    assert kernel.over_budget() is None


@pytest.mark.parametrize("fault", [{"stores": 8}, {"loads": 4}, {"registers": 256}])
def test_a_kernel_over_its_budget_is_caught(tmp_path, fault):
    (tmp_path / "kernels.o.ptxas").write_text(report(**fault))
    result = run(tmp_path)
    assert result.returncode == 1
    assert "MassMatrix<double> for sm_90" in result.stderr


def test_kernels_of_cub_have_short_names_and_a_budget():
    """By the names that nvcc 13 gives them."""
    prefix, force = "_ZN3cub21CUB_300001_SM_750_9006detail", "N17rbd_parallel_core5ForceIdEE"
    names = {
        f"{prefix}4scan20DeviceScanInitKernelINS0_13ScanTileStateI{force}Lb0EEEEEvT_i": "cub::DeviceScanInit<Force>",
        f"{prefix}11EmptyKernelIvEEvv": "cub::Empty",
    }
    for symbol, name in names.items():
        (kernel,) = ptxas_report.parse(report(stores=24, loads=24).replace(SYMBOL, symbol))
        assert kernel.name == name
        assert kernel.over_budget() is None
        (kernel,) = ptxas_report.parse(report(stores=24, loads=25).replace(SYMBOL, symbol))
        assert kernel.over_budget() == f"{name} for sm_90 spills 49 bytes, 48 are allowed"


def test_no_report_is_a_fault(tmp_path):
    result = run(tmp_path)
    assert result.returncode == 1 and "no report" in result.stderr


def test_kernels_within_their_budget_pass(tmp_path):
    (tmp_path / "kernels.o.ptxas").write_text(report())
    result = run(tmp_path)
    assert result.returncode == 0
    assert "| `MassMatrix<double>` | 255 | 40 | 0 |" in result.stdout


def test_the_table_has_the_most_of_all_devices():
    kernels = ptxas_report.parse(report(registers=80)) + ptxas_report.parse(report(stack=48, registers=70).replace("sm_90", "sm_120"))
    assert ptxas_report.table(kernels).splitlines() == [
        "| kernel, for sm_90, sm_120 | registers | stack, bytes | spilled, bytes |",
        "|---|--:|--:|--:|",
        "| `MassMatrix<double>` | 80 | 48 | 0 |",
    ]


def test_projection_is_the_slower_of_memory_and_arithmetic():
    """Law: time = max(bytes / bandwidth, flops / rate), here each of them once."""
    device = projection.Device("d", bandwidth=1e9, flops={8: 1e9}, host_link=1e9)
    little_arithmetic = {"flops": 10, "numbers": 100, "rows": 10}
    assert projection.seconds_of_state(device, little_arithmetic, 8) == pytest.approx(960e-9)
    much_arithmetic = {"flops": 5000, "numbers": 100, "rows": 10}
    assert projection.seconds_of_state(device, much_arithmetic, 8) == pytest.approx(5000e-9)
    assert projection.states_per_second(device, much_arithmetic, 8, from_host=True) == pytest.approx(1 / 5080e-9)
