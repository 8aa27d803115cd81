# SPDX-License-Identifier: Apache-2.0
"""The plots of ./dev bench --derivatives."""

import matplotlib

matplotlib.use("Agg")  # no screen is needed

import matplotlib.pyplot as pyplot

from derivative_goals import AGAINST_PEER, BATCH, PEER, WORDS, ours, quotient
from derivative_tables import MATRICES
from plots import COLOURS, STYLE, bars, legend

DOTS_PER_INCH = 110


def _panels(operations, title, y_label):
    figure, axes = pyplot.subplots(1, len(operations), figsize=(4.8 * len(operations), 4.4), squeeze=False)
    figure.suptitle(title)
    panels = list(zip(axes[0], operations))
    for axis, operation in panels:
        axis.set_title(WORDS[operation])
        axis.set_axisbelow(True)
    axes[0][0].set_ylabel(y_label)
    return figure, panels


def ratios(results):
    """How much longer the peer takes; targets are dashed."""
    figure, panels = _panels(MATRICES, f"Speed-up over {PEER}: batch {BATCH}, one thread, double, rows",
                             f"{PEER}'s time / ours")  # fmt: skip
    for axis, operation in panels:
        cases = results.select(operation=operation, batch=BATCH)
        heights = {f"cpu, {isa}": [case.ratio(PEER, isa) or 0 for case in cases] for isa in results.isas}
        one_state = [results.case(case.robot, operation, 1) for case in cases]
        heights["reference, one state"] = [
            case and case.ratio(PEER, results.best_isa, backend="reference") or 0 for case in one_state
        ]
        bars(axis, [case.robot for case in cases], heights)
        for k, case in enumerate(cases):
            if (target := AGAINST_PEER[operation].get(case.robot)) is not None:
                axis.hlines(target, k - 0.45, k + 0.45, color="black", ls="--", lw=1.2, 
                            label=f"target of cpu, {results.compared_isa}")  # fmt: skip
    legend(figure, panels, len(results.isas) + 2)
    return figure


def cost(results):
    """The matrices and products, as multiples of what they are derivatives of."""
    isa = results.compared_isa
    figure, panels = _panels(("RNEA", "ABA"), f"Derivatives as multiples of what they are derivatives of: batch {BATCH}, {isa}",
                             "time / that of the dynamics")  # fmt: skip
    for axis, base in panels:
        cases = results.select(operation=base, batch=BATCH)
        heights = {}
        for label, suffix in (("jvp", "jvp"), ("vjp", "vjp"), ("matrices", "derivatives")):
            heights[label] = [
                quotient(ours(results, case.robot, f"{base} {suffix}", isa), case.ours(isa)) or 0 for case in cases
            ]
        theirs = [results.case(case.robot, f"{base} derivatives", BATCH) for case in cases]
        heights[f"matrices, {PEER}"] = [
            other and quotient(other.peer(PEER), case.peer(PEER)) or 0 for case, other in zip(cases, theirs)
        ]
        bars(axis, [f"{case.robot}\nnv {case.nv}" for case in cases], heights, COLOURS[2:])
    legend(figure, panels, 4)
    return figure


PLOTS = {"derivatives_ratios": ratios, "derivatives_cost": cost}


def write_plots(results, folder):
    """Returns the names of the files."""
    with pyplot.rc_context(STYLE):
        for name, plot in PLOTS.items():
            figure = plot(results)
            figure.savefig(folder / f"{name}.png", dpi=DOTS_PER_INCH)
            pyplot.close(figure)
    return [f"{name}.png" for name in PLOTS]
