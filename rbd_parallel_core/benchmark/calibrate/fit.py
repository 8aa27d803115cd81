# SPDX-License-Identifier: Apache-2.0
"""Fits the costs of the backends to measured times, and judges what is chosen by them.

A time is a dict, a line of what rbd_calibrate prints. Its model is that of src/backend/auto/cost_table.hpp:

    us = runs x (fixed_us + (ns_per_body x bodies + ns_per_level x depth + ns_per_entry x entries + ns_per_zero x zeros) / 1000)

on one thread.
"""

import itertools
import math
import statistics

import numpy

COSTS = ("fixed_us", "ns_per_body", "ns_per_level", "ns_per_entry", "ns_per_zero")
BODY, LEVEL = COSTS.index("ns_per_body"), COSTS.index("ns_per_level")
CASE = ("bodies", "branching", "operation", "precision", "batch", "threads")
LAST = 10**9
# Where the costs change: beyond 512 `cpu` computes matrices one by one, and `tree` cuts a chain from 12 bodies a lane on,
# which is 96 or 192 bodies; elsewhere numbers leave a cache.
BODIES = {
    "cpu": [(1, 63), (64, 127), (128, 255), (256, 512), (513, 1023), (1024, 2047), (2048, LAST)],
    "compiled": [(1, 63), (64, 127), (128, 255), (256, 400)],
    "tree": [(64, 127), (128, 255), (256, 511), (512, 1023), (1024, 2047), (2048, LAST)],
    # The bodies of up to 180 are in the shared memory of a block.
    "cuda": [(1, 63), (64, 180), (181, 512), (513, 2047), (2048, LAST)],
}
LARGE = 512  # bodies, from which on nothing but the amount of work counts
TARGET = 1.3


def merged(runs):
    """The least time of each case and backend among several runs: what others did meanwhile is not in it."""
    least = {}
    for time in itertools.chain.from_iterable(runs):
        key = (*case_of(time), time["backend"])
        if key not in least or time["us"] < least[key]["us"]:
            least[key] = time
    return list(least.values())


def case_of(time):
    return tuple(time[key] for key in CASE)


def is_judged(time, sizes, operations, batches):
    """Every other case of the grid, in all its directions."""
    places = sizes.index(time["bodies"]), operations.index(time["operation"]), batches.index(time["batch"])
    return (sum(places) + int(2 * time["branching"]) + time["threads"]) % 2 == 1


def halves(times):
    """(to fit, to judge)"""
    keys = [sorted({time[key] for time in times}) for key in ("bodies", "operation", "batch")]
    judged = [time for time in times if is_judged(time, *keys)]
    return [time for time in times if not is_judged(time, *keys)], judged


def least_squares(rows, goals):
    """The solution without negative numbers: the best of those by every choice of columns that has none."""
    best, least = None, None
    columns = [k for k in range(rows.shape[1]) if rows[:, k].any()]
    for count in range(len(columns) + 1):
        for chosen in itertools.combinations(columns, count):
            some = rows[:, list(chosen)]
            solution = numpy.linalg.lstsq(some, goals, rcond=None)[0] if chosen else numpy.zeros(0)
            error = numpy.sum((some @ solution - goals) ** 2) if chosen else numpy.sum(goals**2)
            if (solution >= 0).all() and (least is None or error < least):
                best, least = numpy.zeros(rows.shape[1]), error
                best[list(chosen)] = solution
    return best


def features(time):
    """What the costs are multiplied by, in microseconds."""
    large = time["bodies"] >= LARGE and time["backend"] != "cuda"  # whose launches always count
    # `tree` cuts long paths, which fill its registers as short ones do not.
    depth = 0 if large and time["backend"] != "tree" else time["depth"]
    work = [time["bodies"], depth, time["entries"], time["zeros"]]
    return time["runs"] * numpy.array([0.0 if large else 1.0, *(number / 1000 for number in work)])


def fit_line(times):
    """(costs, gain of two threads), or None where nothing was measured on one thread."""
    single = [time for time in times if time["used_threads"] == 1]
    if not single:
        return None
    # Divided by the times, so that errors count by their size relative to them.
    rows = numpy.array([features(time) / time["us"] for time in single])
    rows[:, BODY] -= rows[:, LEVEL]  # bodies beside the longest path, and those on it: what each costs is not negative
    scale = numpy.maximum(abs(rows).max(axis=0), 1e-300)
    costs = least_squares(rows / scale, numpy.ones(len(single))) / scale
    costs[LEVEL] -= costs[BODY] if rows[:, LEVEL].any() else 0
    gains = [float(features(time) @ costs) / time["us"] for time in times if time["used_threads"] == 2]
    gain = float(numpy.median(gains)) if gains else 1.0
    return costs, min(max(gain, 1.0), 2.0)


def batches_of(backend, times):
    """Where its costs change. `cpu` and `compiled` compute one state by itself, and packs otherwise, whose costs depend on how
    full they are; so do those of a kernel run of `cuda`."""
    if backend == "tree":
        return [(1, LAST)]
    if backend == "cuda":
        starts = sorted({1, *(time["batch"] for time in times)})
    else:
        width = max(math.ceil(time["batch"] / time["runs"]) for time in times)
        starts = sorted({1, 2, width, *(time["batch"] for time in times if time["batch"] < width)})
    return [(start, end - 1) for start, end in zip(starts, [*starts[1:], LAST + 1])]


def text_of(span):
    first, last = span
    if first == last:
        return str(first)
    return f"{first}-" if last == LAST else f"{first}-{last}"


def is_within(count, span):
    return span[0] <= count <= span[1]


def fit_batches(backend, times):
    """(batches, costs, gain) of each line for times of one kind and range of bodies. Batches that were not measured, since
    their results would fill the memory, cost what smaller ones do."""
    fitted = []
    for batch in batches_of(backend, times):
        line = fit_line([time for time in times if is_within(time["batch"], batch)])
        if line:
            fitted.append((batch, *line))
        elif fitted:
            (first, _), *rest = fitted[-1]
            fitted[-1] = ((first, batch[1]), *rest)
    return fitted


def fit(times):
    """The lines of a table."""
    lines = []
    kinds = sorted({(time["backend"], time["operation"], time["precision"]) for time in times})
    for kind in kinds:
        of_kind = [time for time in times if (time["backend"], time["operation"], time["precision"]) == kind]
        for bodies in BODIES[kind[0]]:
            here = [time for time in of_kind if is_within(time["bodies"], bodies)]
            for batch, costs, gain in fit_batches(kind[0], here) if here else []:
                numbers = "".join(f" {cost:>12.4g}" for cost in costs)
                lines.append(f"{kind[0]:<8} {kind[1]:<18} {kind[2]} {text_of(bodies):>9} {text_of(batch):>5}{numbers} {gain:>11.2f}")
    return lines


def to_table(lines, remarks):
    names = "".join(f" {name:>12}" for name in COSTS)
    head = f"# {'':6} {'':18} {'':7} {'bodies':>9} {'batch':>5}{names} {'two_threads':>11}"
    return "\n".join([*(f"# {remark}" for remark in remarks), head, *lines]) + "\n"


def judge(times, choices):
    """(case, choice, best, ratio of their times) for each case that more than one backend was measured for."""
    by_case = {}
    for time in times:
        by_case.setdefault(case_of(time), {})[time["backend"]] = time["us"]
    chosen = {case_of(choice): choice["choice"] for choice in choices}
    verdicts = []
    for case, us in by_case.items():
        if len(us) > 1:
            best = min(us, key=us.get)
            verdicts.append((case, chosen[case], best, us[chosen[case]] / us[best]))
    return verdicts


def report(verdicts):
    """A line for each, and how many are within the target."""
    lines = [f"{'bodies':>6} {'branching':>9} {'operation':<18} {'precision':<9} {'batch':>5} {'threads':>7} {'choice':<8} "
             f"{'best':<8} {'ratio':>5}"]  # fmt: skip
    for (bodies, branching, operation, precision, batch, threads), choice, best, ratio in verdicts:
        lines.append(f"{bodies:>6} {branching:>9g} {operation:<18} {precision:<9} {batch:>5} {threads:>7} {choice:<8} "
                     f"{best:<8} {ratio:>5.2f}{' !' if ratio > TARGET else ''}")  # fmt: skip
    return "\n".join([*lines, summary(verdicts)])


def summary(verdicts):
    """A table of the ratios by operation and threads."""
    lines = ["", "| operation | threads | judged | best chosen | within 1.3x | median | largest |", "|---|--:|--:|--:|--:|--:|--:|"]
    groups = sorted({(verdict[0][2], verdict[0][5]) for verdict in verdicts})
    for operation, threads in groups:
        some = [verdict for verdict in verdicts if (verdict[0][2], verdict[0][5]) == (operation, threads)]
        ratios = [verdict[3] for verdict in some]
        right, close = sum(v[1] == v[2] for v in some), sum(ratio <= TARGET for ratio in ratios)
        lines.append(f"| {operation} | {threads} | {len(some)} | {right} | {close} | {statistics.median(ratios):.2f} | "
                     f"{max(ratios):.2f} |")  # fmt: skip
    return "\n".join(lines)
