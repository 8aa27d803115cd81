# SPDX-License-Identifier: Apache-2.0
"""The fit of ./dev bench --calibrate, from made-up times: nothing is measured here."""

import itertools
import pathlib
import sys

import numpy
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmark/calibrate"))

import fit

import rbd_parallel

WIDTH = 8
CPU_NS, TREE_US, TREE_NS, LEVEL_NS, TREE_GAIN = 40.0, 2.0, 10.0, 5.0, 1.5


def a_time(backend, bodies, branching, batch, threads, operation="inverse_dynamics"):
    depth = bodies if branching == 1 else 9
    runs = batch if backend == "tree" or batch == 1 else -(-batch // WIDTH)
    used = threads if backend == "tree" or batch > 100 else 1
    if backend == "cpu":
        us = runs * CPU_NS * bodies / 1000 / used
    else:
        us = runs * (TREE_US + (TREE_NS * bodies + LEVEL_NS * depth) / 1000) / (TREE_GAIN if used == 2 else 1)
    return {
        "bodies": bodies, "branching": branching, "operation": operation, "precision": "float64", "batch": batch,
        "threads": threads, "backend": backend, "depth": depth, "entries": 0, "zeros": 0, "runs": runs, "used_threads": used,
        "us": us,
    }  # fmt: skip


@pytest.fixture
def times():
    cases = itertools.product((64, 80, 100, 120, 128, 160, 200, 250), (1.0, 1.5), (1, 2, 8, 64, 1000), (1, 2))
    return [a_time(backend, *case) for case in cases for backend in ("cpu", "tree")]


def line_of(lines, backend, bodies):
    found = [line.split() for line in lines if line.split()[0] == backend and line.split()[3] == bodies]
    return found[0][4:]


def test_the_costs_behind_the_times_are_found(times):
    lines = fit.fit(fit.halves(times)[0])
    batch, *costs, gain = line_of(lines, "tree", "64-127")
    assert batch == "1-"
    numpy.testing.assert_allclose([float(cost) for cost in costs], [TREE_US, TREE_NS, LEVEL_NS, 0, 0], rtol=1e-3, atol=1e-6)
    assert float(gain) == TREE_GAIN
    batches = [line.split()[4] for line in lines if line.startswith("cpu") and line.split()[3] == "64-127"]
    assert batches == ["1", "2-7", "8-"]


def test_a_go_of_cuda_costs_what_batches_of_its_size_do(times):
    """Made-up: 50 us for a call, 0.1 us a state, 1 ns for each of its bodies."""
    for (bodies, depth), batch in itertools.product({600: 10, 700: 30, 900: 12}.items(), (1, 64, 1000)):
        us = 50 + 0.1 * batch + 1e-3 * batch * bodies
        times.append({**a_time("tree", bodies, 1.5, batch, 1), "backend": "cuda", "depth": depth, "runs": 1, "us": us})
    lines = [line.split() for line in fit.fit(times) if line.startswith("cuda")]
    assert [line[4] for line in lines] == ["1-63", "64-999", "1000-"]
    numpy.testing.assert_allclose([float(line[5]) for line in lines], [50.1, 56.4, 150], rtol=1e-3)
    numpy.testing.assert_allclose([float(line[6]) for line in lines], [1, 64, 1000], rtol=1e-3)


def test_batches_that_were_not_measured_cost_what_smaller_ones_do(times):
    lines = fit.fit([time for time in times if time["batch"] == 1 or time["bodies"] < 128])
    batches = [line.split()[4] for line in lines if line.startswith("cpu") and line.split()[3] == "128-255"]
    assert batches == ["1-"]


def test_noise_gives_no_negative_costs(times):
    random = numpy.random.default_rng(1)
    for time in times:
        time["us"] *= random.uniform(0.8, 1.2)
    for line in fit.fit(times):
        costs = [float(word) for word in line.split()[5:]]
        assert costs[fit.LEVEL] >= -costs[fit.BODY]
        assert min(cost for k, cost in enumerate(costs) if k != fit.LEVEL) >= 0
        assert 1 <= costs[-1] <= 2


def test_halves_have_no_case_in_common_and_every_size(times):
    to_fit, to_judge = fit.halves(times)
    assert len(to_fit) == len(to_judge) == len(times) / 2
    assert not {fit.case_of(time) for time in to_fit} & {fit.case_of(time) for time in to_judge}
    assert {time["bodies"] for time in to_fit} == {time["bodies"] for time in to_judge}


def test_of_several_runs_the_least_counts(times):
    slow = [{**time, "us": 3 * time["us"]} for time in times]
    assert fit.merged([slow, times]) == times


def test_a_choice_is_judged_by_what_was_measured():
    times = [a_time("cpu", 200, 1.5, 1, 1), a_time("tree", 200, 1.5, 1, 1), a_time("cpu", 20, 1.5, 1, 1)]
    best = {**times[0], "choice": "tree"}
    [(case, choice, fastest, ratio)] = fit.judge(times, [best])
    assert (case[:2], choice, fastest, ratio) == ((200, 1.5), "tree", "tree", 1)
    [(_, _, fastest, ratio)] = fit.judge(times, [{**best, "choice": "cpu"}])
    assert (fastest, ratio) == ("tree", times[0]["us"] / times[1]["us"])
    assert " 1.97 !" in fit.report([(case, "cpu", "tree", 1.97)])
    assert "!" not in fit.report([(case, "cpu", "tree", 1.2)])


def test_the_library_reads_what_is_written(times, tmp_path, monkeypatch):
    table = tmp_path / "costs.txt"
    table.write_text(fit.to_table(fit.fit(times), ["a remark"]))
    monkeypatch.setenv("RBD_PARALLEL_COSTS", str(table))
    model = rbd_parallel.load_urdf('<robot name="rock"><link name="rock"/></robot>')
    assert rbd_parallel.Backend(model).name == "cpu"
