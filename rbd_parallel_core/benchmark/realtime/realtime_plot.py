# SPDX-License-Identifier: Apache-2.0
"""The histograms of call times."""

import itertools
import math

import matplotlib

matplotlib.use("Agg")  # no screen is needed

import matplotlib.pyplot as pyplot

from plots import COLOURS, STYLE

STEPS = 4  # bars for each doubling of the time


def _bars(histogram):
    """Borders in us and calls between them; the buckets of the histogram are finer than what a plot can show."""
    numbers = {}
    for lower_end, count in histogram["buckets"]:
        bar = math.floor(math.log2(max(lower_end, 1)) * STEPS)
        numbers[bar] = numbers.get(bar, 0) + count
    bars = range(min(numbers), max(numbers) + 1)
    return [2 ** (bar / STEPS) / 1e3 for bar in (*bars, bars[-1] + 1)], [numbers.get(bar, 0) for bar in bars]


def _draw(axis, run):
    histograms = run["calls"] | ({"wake-up": run["wake_up"]} if run["wake_up"]["count"] else {})
    for (name, histogram), colour in zip(histograms.items(), itertools.cycle(COLOURS)):
        borders, numbers = _bars(histogram)
        style = "--" if name in ("control", "wake-up") else "-"
        axis.stairs(numbers, borders, baseline=0.5, color=colour, label=name, lw=1.3, ls=style)


def write_plot(report, path):
    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(2, 2, figsize=(11, 7.2), sharex=True, sharey="row")
        for row, (how, runs) in enumerate((("in cycles", report["periodic"]), ("in a row", report["back_to_back"]))):
            for axis, run in zip(axes[row], runs):
                axis.set_axisbelow(True)
                _draw(axis, run)
                axis.set(title=f"{run['backend']}, calls {how}", xscale="log", yscale="log", ylim=(0.5, None))
                axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes[row][0].set_ylabel("calls")
        for axis in axes[1]:
            axis.set_xlabel("microseconds")
        figure.tight_layout(rect=(0, 0.06, 1, 1))
        figure.legend(*axes[0][0].get_legend_handles_labels(), loc="lower center", ncols=7)
        figure.savefig(path, dpi=110)
        pyplot.close(figure)
