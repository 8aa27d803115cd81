# SPDX-License-Identifier: Apache-2.0
"""The plots of ./dev bench --papers."""

import matplotlib

matplotlib.use("Agg")  # no screen is needed

import matplotlib.pyplot as pyplot

import papers_tables
import published
from plots import COLOURS, STYLE

DOTS_PER_INCH = 110
THREAD_STYLES = {1: "-", 2: "--"}


def _draw(axis, points, **style):
    """The points that there are."""
    measured = [(x, y) for x, y in points if y]
    if measured:
        axis.plot(*zip(*measured), marker="o", ms=4, **style)


def _label(name, threads):
    return f"{name}, {threads} thread{'s' if threads > 1 else ''}"


def _lines(axis, results, cases, names, scale):
    """A colour for each name, a style for each number of threads."""
    for colour, name in zip(COLOURS, names):
        for threads in results.threads:
            points = [(case.bodies, (case.ns(name, threads) or 0) * scale) for case in cases]
            if any(y for _, y in points):
                _draw(axis, points, color=colour, ls=THREAD_STYLES[threads], label=_label(name, threads))


def links(results):
    """Microseconds against links."""
    figure, axes = pyplot.subplots(1, 2, figsize=(12, 5), sharey=True)
    for axis, part, title, names in (
        (axes[0], "inverse_dynamics", "Inverse dynamics of one chain", ("recursion", "scans", "blocks")),
        (axes[1], "links_forward", "Forward dynamics of one chain", ("ABA, reference", *papers_tables.LINKS)),
    ):
        axis.set(title=title, xscale="log", yscale="log", xlabel="links")
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        _lines(axis, results, results.select(part), names, 1e-3)
        axis.legend(fontsize=8)
    axes[0].set_ylabel("microseconds")
    figure.tight_layout()
    return figure


def dcae(results):
    """How many times as fast as ABA, against the share of the last block."""
    cases = results.select("dcae")
    figure, axes = pyplot.subplots(1, len(cases), figsize=(4.2 * len(cases), 4.4), sharey=True, squeeze=False)
    for axis, case in zip(axes[0], cases):
        axis.set(title=f"{case.bodies} bodies", xlabel="share of the bodies in the last block")
        axis.axhline(1, color="#999999", lw=0.8, label="ABA, same text, 1 thread")
        axis.axvline(published.BEST_SHARE, color="#999999", lw=0.8, ls=":", label="best share of the paper")
        for threads in results.threads:
            points = [(share, case.ratio(papers_tables.ABA, (papers_tables.name_of_share(share), threads)))
                      for share in papers_tables.shares(case)]  # fmt: skip
            _draw(axis, points, color=COLOURS[0], ls=THREAD_STYLES[threads], label=_label("DCAe, 2 blocks", threads))
        for colour, name in ((COLOURS[1], "DCA"), (COLOURS[2], "two-port")):
            for threads in results.threads:
                axis.axhline(case.ratio(papers_tables.ABA, (name, threads)), color=colour, ls=THREAD_STYLES[threads], lw=1.2,
                             label=_label(name, threads))  # fmt: skip
    axes[0][0].set_ylabel("time of ABA / time")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.tight_layout(rect=(0, 0.14, 1, 1))
    figure.legend(handles, labels, loc="lower center", ncols=4, fontsize=8)
    return figure


def accuracy(errors):
    figure, axes = pyplot.subplots(1, 2, figsize=(12, 5))
    methods = list(dict.fromkeys(e["method"] for e in errors))
    for axis, key, title in ((axes[0], "forward", "Error of the accelerations"),
                             (axes[1], "residual", "Error of the torques that they take")):  # fmt: skip
        axis.set(title=title, xscale="log", yscale="log", xlabel="bodies")
        for k, method in enumerate(methods):
            points = [(e["bodies"], e[key]) for e in errors if e["method"] == method]
            _draw(axis, points, color=COLOURS[k % len(COLOURS)], ls="-" if k < len(COLOURS) else "--", label=method)
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    return figure


def blocks(results):
    """Nanoseconds per body against bodies, a panel for each shape."""
    shapes = results.shapes("forward_dynamics")
    figure, axes = pyplot.subplots(1, len(shapes), figsize=(3.4 * len(shapes), 4.4), sharey=True, squeeze=False)
    for axis, shape in zip(axes[0], shapes):
        axis.set(title=shape, xscale="log", xlabel="bodies")
        cases = results.select("forward_dynamics", shape)
        for colour, name in zip(COLOURS, ("recursion", "blocks")):
            for threads in results.threads:
                points = [(case.bodies, case.ns_per_body(name, threads)) for case in cases]
                if points[0][1]:
                    _draw(axis, points, color=colour, ls=THREAD_STYLES[threads], label=_label(name, threads))
    axes[0][0].set_ylim(bottom=0)
    axes[0][0].set_ylabel("nanoseconds per body, forward dynamics")
    axes[0][0].legend(fontsize=8)
    figure.tight_layout()
    return figure


def write_plots(results, folder):
    """Returns the names of the files."""
    figures = {}
    with pyplot.rc_context(STYLE):
        if results.select("links_forward"):
            figures["papers_links.png"] = links(results)
        if results.select("dcae"):
            figures["papers_dcae.png"] = dcae(results)
        if results.report["errors"]:
            figures["papers_accuracy.png"] = accuracy(results.report["errors"])
        if results.select("forward_dynamics"):
            figures["papers_blocks.png"] = blocks(results)
        for name, figure in figures.items():
            figure.savefig(folder / name, dpi=DOTS_PER_INCH)
            pyplot.close(figure)
    return list(figures)
