# SPDX-License-Identifier: Apache-2.0
"""What ./dev bench --tree measured, in Markdown."""

import thesis
import tree_goals
from must_show import IDLE_CORES
from tables import table

EPSILON = {"double": 2.0**-52, "float": 2.0**-23}
FLOOR = 4  # units of rounding below which an error of the recursion is luck
FAMILIES = ("recursion", "blocks", "scans")
MEASURES = {"torques": "torques", "tail": "last five", "diagonal": "diagonal of M"}


def _number(value, form="{:.1f}"):
    return "-" if value is None else form.format(value)


def short(value, scale=1.0):
    """Three digits."""
    if value is None:
        return "-"
    value *= scale
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def times(value):
    return _number(value, "{:.2f}x")


def _emphasised(verdict):
    return verdict if verdict == "ok" else f"**{verdict}**"


def on_threads(threads):
    return f"{threads} thread" + ("s" if threads > 1 else "")


def conditions(report):
    lines = [
        f"{report['cpu']}, {report['cores']} cores, {report['instruction_set']}, {report['date']}; other programs kept "
        f"{report['busy_cores']:.1f} cores busy. `{report['command']}`.", "",
    ]  # fmt: skip
    if report["busy_cores"] > IDLE_CORES:
        lines += ["**The machine was busy**: the figures of two threads say little.", ""]
    return lines + [f"Left out: {sentence}" for sentence in report["left_out"]]


def targets(results):
    rows = [
        [found.goal.what, found.goal.words(), times(found.value), _emphasised(found.verdict(results.report["busy_cores"]))]
        for found in tree_goals.outcomes(results)
    ]
    return ["**Targets,** ratios of times.", "", *table(["", "target", "reached", ""], rows), ""] if rows else []


def inverse_dynamics(results):
    header = ["ns per body", "recursion"]
    for column in ("blocks", "recursion / blocks", "scans"):
        header += [f"{column}, {on_threads(threads)}" for threads in results.threads]
    rows = []
    for case in results.select("inverse_dynamics"):
        row = [f"{case.shape}, {case.bodies}", _number(case.ns_per_body("recursion"))]
        row += [_number(case.ns_per_body("blocks", threads)) for threads in results.threads]
        row += [times(case.ratio(("recursion", 1), ("blocks", threads))) for threads in results.threads]
        rows.append(row + [_number(case.ns_per_body("scans", threads)) for threads in results.threads])
    return ["**Inverse dynamics.** Recursion: the backend `reference`.", "", *table(header, rows), ""] if rows else []


def forward_dynamics(results):
    header = ["ns per body", "recursion"]
    for column in ("blocks", "recursion / blocks"):
        header += [f"{column}, {on_threads(threads)}" for threads in results.threads]
    alone = ("two scalar blocks", 2)
    header += ["two scalar blocks, 2 threads", "recursion / two scalar blocks"]
    rows = []
    for case in results.select("forward_dynamics"):
        row = [f"{case.shape}, {case.bodies}", _number(case.ns_per_body("recursion"))]
        row += [_number(case.ns_per_body("blocks", threads)) for threads in results.threads]
        row += [times(case.ratio(("recursion", 1), ("blocks", threads))) for threads in results.threads]
        rows.append([*row, _number(case.ns_per_body(*alone)), times(case.ratio(("recursion", 1), alone))])
    if not rows:
        return []
    return [
        "**Forward dynamics.** Recursion: aba in the backend `reference`. Two scalar blocks: half of a chain for each thread, "
        "without lanes, which shows what threads alone gain.", "", *table(header, rows), "",
    ]  # fmt: skip


def peers(results):
    rows = []
    for part, what in (("peer RNEA", "inverse dynamics, ns per body"), ("peer CRBA", "M, ns per body"),
                       ("peer ABA", "forward dynamics, ns per body")):  # fmt: skip
        for case in results.select(part):
            peer = case.peer()
            rows.append(
                [f"{what}, chain of {case.bodies}", _number(case.ns_per_body(peer)), peer.partition(" ")[2] or "-",
                 _number(case.ns_per_body("recursion")), times(case.ratio((peer, 1), ("recursion", 1))),
                 _number(case.ns_per_body("blocks")), times(case.ratio((peer, 1), ("blocks", 1)))]
            )  # fmt: skip
    if not rows:
        return []
    header = [results.report["peer"], "Pinocchio", "its way", "recursion", "ratio", "blocks", "ratio"]
    return [
        "**Pinocchio,** one thread, a chain that both sides read from the same URDF. Larger ones are not compared: its `Data` "
        "takes memory for several tensors of nv^3 numbers. It leaves the upper triangle of M, ours is full; its joints must be "
        "numbered depth-first, which its parser sees to.", "", *table(header, rows), "",
    ]  # fmt: skip


def published_inverse_dynamics(results):
    header = ["chain, us", f"thesis, {thesis.CPU}", f"thesis, {thesis.GPU}"]
    header += [f"{family}, {on_threads(threads)}" for family in ("blocks", "scans") for threads in results.threads]
    rows = []
    for bodies, published in thesis.RNEA_US.items():
        case = results.case("inverse_dynamics", "chain", bodies)
        row = [str(bodies), *map(str, published)]
        for family in ("blocks", "scans"):
            row += [short(case and case.ns(family, threads), 1e-3) for threads in results.threads]
        rows.append(row)
    return [
        "**Inverse dynamics beside the thesis.** Its columns are its own, from its machines; ours are from this run, so "
        "they say nothing about a GPU. Its chains lie in a plane, ours in space.", "", *table(header, rows), "",
    ]  # fmt: skip


def dense(results):
    header = ["M in full"]
    for threads in results.threads:
        header += [f"{on_threads(threads)}: ms", "ns per entry", "writing alone, ms", "ratio"]
    header += ["recursion, ms", *(f"scans, {on_threads(threads)}, ms" for threads in results.threads)]
    rows = []
    for case in results.select("dense"):
        row = [f"{case.shape}, {case.bodies}"]
        for threads in results.threads:
            ns, fill = case.ns("blocks", threads), case.fill(threads)
            row += [short(ns, 1e-6), _number(ns / case.bodies**2, "{:.2f}"), short(case.ns(fill, threads), 1e-6),
                    times(case.ratio(("blocks", threads), (fill, threads)))]  # fmt: skip
        row.append(short(case.ns("recursion"), 1e-6))
        rows.append(row + [short(case.ns("scans", threads), 1e-6) for threads in results.threads])
    if not rows:
        return []
    return [
        "**Mass matrix, dense.** Writing alone: n^2 numbers by as many threads into memory that was touched before, by a "
        "loop of stores or by `memset`, whichever was faster.", "", *table(header, rows), "",
    ]  # fmt: skip


def published_mass_matrix(results):
    header = ["chain, ms", f"thesis, {thesis.CPU}", f"thesis, {thesis.GPU}", *(f"blocks, {on_threads(t)}" for t in results.threads)]
    rows = []
    for bodies, published in thesis.CRBA_MS.items():
        case = results.case("dense", "chain", bodies)
        ours = [short(case and case.ns("blocks", threads), 1e-6) for threads in results.threads]
        rows.append([str(bodies), *map(str, published), *ours])
    return ["**Mass matrix beside the thesis,** likewise.", "", *table(header, rows), ""]


def sparse(results):
    header = ["entries that can differ from zero", "pairs", "MB"]
    for threads in results.threads:
        header += [f"{on_threads(threads)}: ms", "ns per pair"]
    rows = []
    for case in results.select("sparse"):
        row = [f"{case.shape}, {case.bodies}", str(case.pairs), short(case.pairs * 8e-6)]
        for threads in results.threads:
            row += [short(case.ns("blocks", threads), 1e-6), _number(case.ns_per_pair("blocks", threads), "{:.2f}")]
        rows.append(row)
    if not rows:
        return []
    limit = results.report["largest_values"]
    return [
        "**Mass matrix, sparse.** A pair is a body and one on its way to the root, itself included. Shapes whose values "
        f"would take more than {limit / 1e9:g} GB end with the largest tree that fits.", "", *table(header, rows), "",
    ]  # fmt: skip


def scans(results):
    cases = results.select("scans")
    if not cases:
        return []
    header = ["ns per body", *(f"{case.bodies}, {on_threads(threads)}" for case in cases for threads in results.threads)]
    rows = [
        [name, *(_number(case.ns_per_body(name, threads)) for case in cases for threads in results.threads)]
        for name in cases[0].names()
    ]
    published = [[name, *map(str, times)] for name, times in thesis.SCANS_US.items()]
    return [
        f"**Kinds of scans,** inverse dynamics of trees of {cases[0].shape}. Blocked without a number: the block is chosen by "
        "the number of bodies. Recurrence and mapped sums are blocked as well.", "", *table(header, rows), "",
        f"The thesis, one scan of the velocity recurrence at branching 2, {thesis.GPU}:", "",
        *table(["thesis, us", *map(str, thesis.SCAN_BODIES)], published), "",
    ]  # fmt: skip


def speed(results):
    """None where nothing was timed."""
    if not results.cases:
        return None
    parts = (targets, inverse_dynamics, forward_dynamics, peers, published_inverse_dynamics, dense, published_mass_matrix,
             sparse, scans)  # fmt: skip
    lines = conditions(results.report)
    lines += ["![Nanoseconds per body against the number of bodies](tree_speed.png)", "",
              "![Speed-up against threads](tree_threads.png)", ""]  # fmt: skip
    for part in parts:
        lines += part(results)
    return "\n".join(lines)


def errors(report):
    """One dictionary for each tree, family and precision."""
    for tree in report["accuracy"]:
        for found in tree["families"]:
            yield {"shape": tree["shape"], "bodies": tree["bodies"], **found}


def worst_of_blocks(report):
    """How much larger an error of the blocks is than the recursion's at most, and where."""
    recursion = {(e["shape"], e["bodies"], e["precision"]): e for e in errors(report) if e["family"] == "recursion"}
    worst = (0.0, "")
    for e in errors(report):
        if e["family"] != "blocks":
            continue
        base = recursion[e["shape"], e["bodies"], e["precision"]]
        for measure, words in MEASURES.items():
            if e.get(measure) is None or base.get(measure) is None:
                continue
            factor = e[measure] / max(base[measure], FLOOR * EPSILON[e["precision"]])
            worst = max(worst, (factor, f"{words}, {e['shape']} of {e['bodies']}, {e['precision']}"))
    return worst


def _error_table(report, precision):
    found = {(e["shape"], e["bodies"], e["family"]): e for e in errors(report) if e["precision"] == precision}
    trees = list(dict.fromkeys((shape, bodies) for shape, bodies, _ in found))
    header = [precision, *(f"{words}: {family}" for words in MEASURES.values() for family in FAMILIES)]
    rows = []
    for shape, bodies in trees:
        row = [f"{shape}, {bodies}"]
        for measure in MEASURES:
            row += [_error(found[shape, bodies, family], measure) for family in FAMILIES]
        rows.append(row)
    return table(header, rows)


def _error(errors_of_family, measure):
    if measure not in errors_of_family:
        return "-"
    value = errors_of_family[measure]
    return "NaN" if value is None else f"{value:.0e}"


def accuracy(report):
    """None where it was not looked at."""
    if not report["accuracy"]:
        return None
    factor, where = worst_of_blocks(report)
    largest = max((e["bodies"] for e in errors(report) if "diagonal" in e), default=0)
    return "\n".join([
        "![Error against the number of bodies](tree_accuracy.png)", "",
        "Against the recursions of `rnea.hpp` and `crba.hpp` in long double, on the same state. Torques: the largest error, "
        "relative to the largest torque. Last five: the same of the last five bodies, relative to the largest torque among "
        "them. Diagonal of M: the largest error of an entry, relative to that entry; "
        f"up to {largest} bodies. Straight chain: angles within 1e-3 rad, else they are random.", "",
        f"The largest error of the blocks, as a multiple of the recursion's (of {FLOOR} units of rounding, where that has "
        f"less): {factor:.1f}, {where}.", "",
        *_error_table(report, "double"), "", *_error_table(report, "float"), "",
    ])  # fmt: skip
