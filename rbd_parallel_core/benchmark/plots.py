# SPDX-License-Identifier: Apache-2.0
"""The plots of the benchmark, each as PNG and as SVG."""

import matplotlib

matplotlib.use("Agg")  # no screen is needed

import matplotlib.pyplot as pyplot
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

import bench_robots
import must_show

# Okabe and Ito's colours, which colour-blind readers can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHOWN_ROBOTS = ("UR5", "Panda", "ANYmal floating", "Talos floating")
STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "svg.fonttype": "none",
}


def _panels(results, title):
    figure, axes = pyplot.subplots(1, len(results.operations), figsize=(4.2 * len(results.operations), 4.6), squeeze=False)
    for axis, operation in zip(axes[0], results.operations):
        axis.set_title(operation)
        axis.set_axisbelow(True)
    figure.suptitle(title)
    return figure, list(zip(axes[0], results.operations))


def _label_values(axis, values):
    """On a logarithmic axis: these values and no others."""
    axis.set_major_locator(FixedLocator(values))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())
    axis.set_ticklabels([f"{value:g}" for value in values])


def _plain_numbers(axis):
    """On a logarithmic axis: 1, 2, 5, 10 in place of powers."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else ""))


def _draw(axis, points, **style):
    """The points whose value was measured."""
    measured = [(x, y) for x, y in points if y is not None]
    if measured:
        axis.plot(*zip(*measured), **style)


def legend(figure, panels, columns):
    """One for all panels, below them."""
    entries = {}
    for axis, _ in panels:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            entries.setdefault(label, handle)
    rows = -(-len(entries) // columns)
    figure.tight_layout(rect=(0, 0.03 + 0.045 * rows, 1, 1))
    figure.legend(entries.values(), entries.keys(), loc="lower center", ncols=columns)


def bars(axis, names, heights, colours=COLOURS, **how):
    """A group of bars for each name, one of each label of `heights`; how: to write the names."""
    width = 0.8 / len(heights)
    for i, ((label, values), colour) in enumerate(zip(heights.items(), colours)):
        places = [k + (i - (len(heights) - 1) / 2) * width for k in range(len(names))]
        axis.bar(places, values, width, color=colour, label=label)
    axis.set_xticks(range(len(names)), names, **how)
    axis.grid(axis="x", visible=False)
    axis.axhline(1, color="black", lw=0.8)


def _inverse(nanoseconds):
    return nanoseconds and 1e3 / nanoseconds


def throughput(results):
    isa = results.best_isa
    figure, panels = _panels(results, f"Throughput against batch: one thread, double, rows, {isa}; dashed: Pinocchio")
    shown = [robot for robot in SHOWN_ROBOTS if robot in results.robots]
    for axis, operation in panels:
        axis.set(xscale="log", yscale="log", xlabel="states in a batch")
        for robot, colour in zip(shown, COLOURS):
            cases = [results.case(robot, operation, batch) for batch in bench_robots.BATCHES]
            cases = [case for case in cases if case]
            _draw(axis, [(case.batch, _inverse(case.ours(isa))) for case in cases], color=colour, marker="o", label=robot)
            _draw(axis, [(case.batch, _inverse(case.peer("Pinocchio"))) for case in cases], color=colour, ls="--")
        _label_values(axis.xaxis, bench_robots.BATCHES)
        _plain_numbers(axis.yaxis)
    panels[0][0].set_ylabel("million states a second")
    legend(figure, panels, len(shown))
    return figure


def time_against_bodies(results):
    batch, isa = must_show.BATCH, results.best_isa
    figure, panels = _panels(results, f"Time against bodies: skewed chains, batch {batch}, one thread, rows, {isa}")
    names = [f"chain {bodies}" for bodies in bench_robots.CHAINS]
    for axis, operation in panels:
        axis.set(xscale="log", yscale="log", xlabel="bodies")
        cases = [case for name in names if (case := results.case(name, operation, batch))]
        lines = {
            "rbd_parallel, double": lambda case: case.ours(isa),
            "rbd_parallel, float32": lambda case: case.ours(isa, "float"),
        }
        lines |= {peer: lambda case, peer=peer: case.peer(peer) for peer in results.peers}
        for (label, time), colour in zip(lines.items(), COLOURS):
            points = [(case.bodies, time(case) and time(case) / 1e3) for case in cases]
            _draw(axis, points, color=colour, marker="o", label=label, ls="-" if "rbd" in label else "--")
        _label_values(axis.xaxis, list(bench_robots.CHAINS))
        _plain_numbers(axis.yaxis)
    panels[0][0].set_ylabel("microseconds per state")
    legend(figure, panels, 5)
    return figure


def ratio_bars(results):
    batch = must_show.BATCH
    figure, panels = _panels(results, f"Speed-up over Pinocchio: batch {batch}, one thread, rows")
    ways = [(f"{precision.replace('float', 'float32')}, {isa}", isa, precision)
            for precision in ("double", "float") for isa in results.isas]  # fmt: skip
    for axis, operation in panels:
        cases = results.select(operation=operation, batch=batch, threads=1)
        heights = {label: [case.ratio("Pinocchio", isa, precision=precision) or 0 for case in cases]
                   for label, isa, precision in ways}  # fmt: skip
        bars(axis, [case.robot for case in cases], heights, rotation=50, ha="right", rotation_mode="anchor")
    panels[0][0].set_ylabel("Pinocchio's time / ours")
    legend(figure, panels, len(ways))
    return figure


PLOTS = {"throughput": throughput, "time_against_bodies": time_against_bodies, "ratios": ratio_bars}


def write_plots(results, folder):
    """Returns the paths of the SVG files."""
    paths = []
    with pyplot.rc_context(STYLE):
        for name, plot in PLOTS.items():
            figure = plot(results)
            figure.savefig(folder / f"{name}.png", dpi=150)
            figure.savefig(folder / f"{name}.svg")
            pyplot.close(figure)
            paths.append(folder / f"{name}.svg")
    return paths
