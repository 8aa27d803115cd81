# SPDX-License-Identifier: Apache-2.0
"""What ./dev bench --derivatives measured, in Markdown."""

import derivative_goals
from derivative_goals import BATCH, PEER, WORDS, ours, peers, quotient
from must_show import IDLE_CORES
from tables import compiled_table, table
from tree_tables import short, times

MATRICES = ("RNEA derivatives", "ABA derivatives")
# Products, and what they are multiples of.
PRODUCTS = {"RNEA jvp": "RNEA", "RNEA vjp": "RNEA", "ABA jvp": "ABA", "ABA vjp": "ABA"}


def _emphasised(verdict):
    return verdict if verdict == "ok" else f"**{verdict}**"


def _percent(value):
    return "-" if value is None else f"{100 * value:.0f} %"


def conditions(results):
    report = results.report
    versions = " and ".join(f"{peer['name']} {peer['version']}" for peer in report["peers"])
    against = f"Against {versions}, as their wheels ship them." if versions else "Against no peer."
    lines = [
        f"{report['cpu']}, {report['cores']} cores, {report['date']}; other programs kept {report['busy_cores']:.1f} cores busy. "
        f"`{report['command']}`. {against}", "",
    ]  # fmt: skip
    if report["busy_cores"] > IDLE_CORES:
        lines += ["**The machine was busy**: what others did to the caches shows in these figures.", ""]
    if report["left_out"]:
        lines += ["Left out:", "", *(f"- {sentence}" for sentence in report["left_out"]), ""]
    return lines


def targets(results):
    found = derivative_goals.outcomes(results)
    if not found:
        return []
    rows = []
    for outcome in found:
        ratios = outcome.goal.ratios(results)
        columns = [times(ratios[robot]) if robot in ratios else "" for robot in derivative_goals.ROBOTS]
        verdict = outcome.verdict(results.report["busy_cores"])
        rows.append([outcome.goal.what, outcome.goal.words(), *columns, _emphasised(verdict)])
    return [
        f"**Targets,** ratios of times: batch {BATCH}, {results.compared_isa}, one thread, unless one state is said. Every robot "
        "counts.", "", *table(["", "target", *derivative_goals.ROBOTS, ""], rows), "",
    ]  # fmt: skip


def matrices(results):
    others = [peer for peer in results.peers if peer != PEER]
    header = [f"batch {BATCH}, ns per state", "nv", PEER, *(f"{peer}, differences" for peer in others)]
    for isa in results.isas:
        header += [f"our differences, {isa}", f"`cpu`, {isa}", f"{PEER} / `cpu`", "of FMA peak"]
    rows = []
    for operation in MATRICES:
        for case in results.select(operation=operation, batch=BATCH):
            row = [f"{WORDS[operation]}, {case.robot}", str(case.nv), *(short(case.peer(peer)) for peer in (PEER, *others))]
            for isa in results.isas:
                row += [short(case.ours(isa, backend="finite differences")), short(case.ours(isa)),
                        times(case.ratio(PEER, isa)), _percent(case.peak_share(isa))]  # fmt: skip
            rows.append(row)
    if not rows:
        return []
    return [
        f"**Matrices.** Of inverse dynamics d tau / d q and d tau / d v; of forward dynamics d qdd / d q, d qdd / d v and the inverse of "
        "M, with the accelerations on the way. "
        f"{PEER}: `computeRNEADerivatives`, `computeABADerivatives`. MuJoCo: `mjd_inverseFD`, `mjd_transitionFD`, which are "
        "finite differences, forward ones; the transition is that of one step of time, with a motor for each joint. Our differences: "
        "2 nv + 1 evaluations of inverse dynamics a state, in batches.", "", *table(header, rows), "",
    ]  # fmt: skip


def products(results):
    isas = results.isas
    header = [f"batch {BATCH}, ns per state", *(name for isa in isas for name in (f"`cpu`, {isa}", "/ undifferentiated"))]
    rows = []
    for operation, base in PRODUCTS.items():
        for case in results.select(operation=operation, batch=BATCH):
            row = [f"{WORDS[operation]}, {case.robot}"]
            for isa in isas:
                row += [short(case.ours(isa)), times(quotient(case.ours(isa), ours(results, case.robot, base, isa)))]
            rows.append(row)
    if not rows:
        return []
    return [
        "**Products** with derivatives, without a matrix: in the direction of all inputs (jvp), and the gradients by all inputs of a "
        "weighted sum of the outputs (vjp). Beside them, as multiples of the inverse or forward dynamics that they are derivatives of.", "",
        *table(header, rows), "",
    ]  # fmt: skip


def one_state(results):
    isa = results.best_isa
    others = [peer for peer in results.peers if peer != PEER]
    header = ["one state, ns", PEER, *others, "`reference`", f"{PEER} / `reference`", "`cpu`"]
    rows = []
    for operation in WORDS:
        for case in results.select(operation=operation, batch=1):
            reference = case.ours(isa, backend="reference")
            rows.append([f"{WORDS[operation]}, {case.robot}", *(short(case.peer(peer)) for peer in (PEER, *others)),
                         short(reference), times(quotient(case.peer(PEER), reference)), short(case.ours(isa))])  # fmt: skip
    return ["**One state** in a call.", "", *table(header, rows), ""] if rows else []


def undifferentiated(results):
    """What the derivatives are derivatives of, from the same run."""
    isa = results.compared_isa
    rows = []
    for operation in ("RNEA", "ABA"):
        for case in results.select(operation=operation, batch=BATCH):
            mine = case.ours(isa)
            row = [f"{WORDS[operation]}, {case.robot}", short(case.peer(PEER)), short(mine), times(case.ratio(PEER, isa))]
            matrix = f"{operation} derivatives"
            row += [times(quotient(peers(results, case.robot, matrix), case.peer(PEER))),
                    times(quotient(ours(results, case.robot, matrix, isa), mine))]  # fmt: skip
            rows.append(row)
    if not rows:
        return []
    header = [f"batch {BATCH}, ns per state", PEER, f"`cpu`, {isa}", "ratio", f"{PEER}: derivatives / these", "ours"]
    return [
        "**What they are derivatives of,** in the same run, and how many times as long the matrices take.", "", *table(header, rows), "",
    ]  # fmt: skip


def compiled(results):
    lines = compiled_table(results, PEER)
    return ["**Code made for the robot** ([compiled.md](compiled.md)); products have none, and are `cpu`'s.", *lines[1:]] if lines else []


def speed(results):
    lines = conditions(results)
    lines += [
        f"![{PEER}'s time divided by ours](derivatives_ratios.png)", "",
        "![Times as multiples of the undifferentiated dynamics](derivatives_cost.png)", "",
    ]  # fmt: skip
    for part in (targets, matrices, undifferentiated, products, one_state, compiled):
        lines += part(results)
    return "\n".join(lines)
