# SPDX-License-Identifier: Apache-2.0
"""The plots of ./dev bench --tree."""

import matplotlib

matplotlib.use("Agg")  # no screen is needed

import matplotlib.pyplot as pyplot
from matplotlib.ticker import MaxNLocator

import tree_tables
from plots import COLOURS, STYLE

DOTS_PER_INCH = 110
FAMILY_COLOURS = dict(zip(tree_tables.FAMILIES, COLOURS))
THREAD_STYLES = ("-", "--", ":", "-.")


def _draw(axis, points, **style):
    """The points that there are."""
    measured = [(x, y) for x, y in points if y]
    if measured:
        axis.plot(*zip(*measured), marker="o", ms=4, **style)


def _legend(figure, axes, columns, room):
    entries = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            entries.setdefault(label, handle)
    figure.tight_layout(rect=(0, room, 1, 1))
    figure.legend(entries.values(), entries.keys(), loc="lower center", ncols=columns)


def _plain(value, _):
    return f"{value:g}"


def speed(results):
    """Nanoseconds per body against bodies, a panel for each shape."""
    shapes = results.shapes("inverse_dynamics")
    figure, axes = pyplot.subplots(1, len(shapes), figsize=(3.4 * len(shapes), 4.4), sharex=True,
                                   sharey=True, squeeze=False)  # fmt: skip
    figure.suptitle("Inverse dynamics of one state, double")
    for axis, shape in zip(axes[0], shapes):
        axis.set(title=shape, xscale="log", yscale="log", xlabel="bodies")
        axis.yaxis.set_major_formatter(_plain)
        axis.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")
        cases = results.select("inverse_dynamics", shape)
        for family, threads in [("recursion", (1,)), ("blocks", results.threads), ("scans", results.threads)]:
            for count, style in zip(threads, THREAD_STYLES):
                label = f"{family}, {count} thread{'s' if count > 1 else ''}"
                points = [(case.bodies, case.ns_per_body(family, count)) for case in cases]
                _draw(axis, points, color=FAMILY_COLOURS[family], ls=style, label=label)
        if shape == "chain":
            peers = [(case.bodies, case.ns_per_body(case.peer())) for case in results.select("peer RNEA")]
            _draw(axis, peers, color=COLOURS[3], ls="none", label="Pinocchio, 1 thread")
    axes[0][0].set_ylabel("nanoseconds per body")
    _legend(figure, axes[0], 6, 0.08)
    return figure


def threads(results):
    """How many times as fast as on one thread."""
    panels = [("inverse_dynamics", "inverse dynamics"), ("forward_dynamics", "forward dynamics"), ("dense", "M, dense"),
              ("sparse", "M, sparse")]  # fmt: skip
    panels = [(part, title) for part, title in panels if results.select(part)]
    figure, axes = pyplot.subplots(1, len(panels), figsize=(4.2 * len(panels), 5.6), sharey=True, squeeze=False)
    figure.suptitle("Blocks: speed-up over one thread")
    for axis, (part, title) in zip(axes[0], panels):
        axis.set(title=title, xlabel="threads")
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.plot(results.threads, results.threads, color="#999999", lw=0.8, label="ideal")
        cases = [case for case in results.select(part) if case.shape in ("chain", "branching 2")]
        sizes = sorted({case.bodies for case in cases})
        for case in cases:
            points = [(count, case.ratio(("blocks", 1), ("blocks", count))) for count in results.threads]
            _draw(axis, points, color=COLOURS[sizes.index(case.bodies) % len(COLOURS)],
                  ls="-" if case.shape == "chain" else "--", label=f"{case.shape}, {case.bodies}")  # fmt: skip
        axis.legend(fontsize=8, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.14))
    axes[0][0].set_ylabel("time on one thread / time")
    figure.tight_layout()
    return figure


def accuracy(report):
    """Errors against bodies: a column for each shape, a row for each kind of error."""
    found = list(tree_tables.errors(report))
    shapes = list(dict.fromkeys(error["shape"] for error in found))
    rows = len(tree_tables.MEASURES)
    figure, axes = pyplot.subplots(rows, len(shapes), figsize=(3 * len(shapes), 2.7 * rows + 0.8), sharex=True,
                                   sharey="row", squeeze=False)  # fmt: skip
    for row, (measure, words) in zip(axes, tree_tables.MEASURES.items()):
        row[0].set_ylabel(f"error, {words}")
        for axis, shape in zip(row, shapes):
            axis.set(xscale="log", yscale="log")
            for precision, style in (("double", "-"), ("float", "--")):
                for family, colour in FAMILY_COLOURS.items():
                    points = [(error["bodies"], error.get(measure)) for error in found
                              if (error["shape"], error["precision"], error["family"]) == (shape, precision, family)]
                    _draw(axis, points, color=colour, ls=style, label=f"{family}, {precision}")  # fmt: skip
    for axis, shape in zip(axes[0], shapes):
        axis.set_title(shape)
    for axis in axes[-1]:
        axis.set_xlabel("bodies")
    _legend(figure, axes.flat, 6, 0.05)
    return figure


def write_plots(results, folder):
    """Returns the names of the files."""
    figures = {}
    with pyplot.rc_context(STYLE):
        if results.cases:
            figures |= {"tree_speed.png": speed(results), "tree_threads.png": threads(results)}
        if results.report["accuracy"]:
            figures["tree_accuracy.png"] = accuracy(results.report)
        for name, figure in figures.items():
            figure.savefig(folder / name, dpi=DOTS_PER_INCH)
            pyplot.close(figure)
    return list(figures)
