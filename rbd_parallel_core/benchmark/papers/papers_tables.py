# SPDX-License-Identifier: Apache-2.0
"""What ./dev bench --papers measured, in Markdown, beside what the papers say."""

import math

import published
import thesis
from must_show import IDLE_CORES
from tables import table
from tree_tables import conditions, on_threads, short, times

ABA, BOTH = ("ABA", 1), 2
LINKS = ("JSIIA, serial", "JSIIA, batch", "hybrid ABIA", "two-port")


def _runners(results, names):
    """With every number of threads, but for those who have one only."""
    for name in names:
        for threads in [1] if name == "JSIIA, serial" else results.threads:
            yield name, threads


def crossover(points):
    """Where a ratio falls below 1: points are pairs of a length and a ratio. Straight lines between logarithms.

    None: nowhere between the first and the last one."""
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if y0 >= 1 > y1:
            part = math.log(y0) / math.log(y0 / y1)
            return math.exp(math.log(x0) + part * math.log(x1 / x0))
    return None


def crossing(cases, slow, fast):
    """From how many bodies on `fast` takes less time than `slow`, in words."""
    points = [(case.bodies, case.ratio(fast, slow)) for case in cases]
    points = [(bodies, ratio) for bodies, ratio in points if ratio]
    if not points:
        return "not measured"
    at = crossover(points)
    if at:
        return f"from about {at:.0f} links on"
    return f"at every length from {points[0][0]} to {points[-1][0]}" if points[0][1] < 1 else f"nowhere up to {points[-1][0]}"


def _links_inverse(results):
    runners = [("recursion", 1), *((name, threads) for name in ("scans", "blocks") for threads in results.threads)]
    rows = [[str(case.bodies), *(short(case.ns(*runner), 1e-3) for runner in runners)]
            for case in results.select("inverse_dynamics")]  # fmt: skip
    header = ["links", *(f"{name}, {on_threads(threads)}" for name, threads in runners)]
    return ["**Inverse dynamics of one chain,** us. The paper's way is `scans`.", "", *table(header, rows), ""]


def _links_forward(results):
    runners = list(_runners(results, LINKS))
    cases = results.select("links_forward")
    rows = [[str(case.bodies), *(short(case.ns(*runner), 1e-3) for runner in [("ABA, reference", 1), *runners])]
            for case in cases]  # fmt: skip
    header = ["links", "ABA, 1 thread", *(f"{name}, {on_threads(threads)}" for name, threads in runners)]
    aba = ("ABA, reference", 1)
    rows_of_crossings = [["hybrid ABIA is faster than JSIIA as a batch", f"from about {published.HYBRID_BEATS_JSIIA} links on",
                          *(crossing(cases, ("JSIIA, batch", t), ("hybrid ABIA", t)) for t in results.threads)],
                         ["serial ABA is faster than JSIIA as a batch", f"from about {published.ABA_BEATS_JSIIA} links on",
                          *(crossing(cases, ("JSIIA, batch", t), aba) for t in results.threads)],
                         ["serial ABA is faster than hybrid ABIA", "-",
                          *(crossing(cases, ("hybrid ABIA", t), aba) for t in results.threads)]]  # fmt: skip
    return ["**Forward dynamics of one chain,** us.", "", *table(header, rows), "",
            f"**Crossovers.** The paper: {published.PREFIX_SUMS_MACHINE}, what runs in parallel on the GPU.", "",
            *table(["", "paper", *(f"here, {on_threads(t)}" for t in results.threads)], rows_of_crossings), ""]  # fmt: skip


def _groups(results):
    header = ["", "links", "`reference`, ms", *(f"`cpu`, {on_threads(t)}, ms" for t in results.threads),
              *(f"reference / cpu, {on_threads(t)}" for t in results.threads), "paper, at most"]  # fmt: skip
    rows = []
    for part, words, most in (("groups_inverse", "inverse dynamics", published.MOST_INVERSE),
                              ("groups_forward", "forward dynamics", published.MOST_FORWARD)):  # fmt: skip
        for case in results.select(part):
            rows.append([words, str(case.bodies), short(case.ns("reference"), 1e-6),
                         *(short(case.ns("cpu", t), 1e-6) for t in results.threads),
                         *(times(case.ratio(("reference", 1), ("cpu", t))) for t in results.threads), f"{most}x"])  # fmt: skip
    return [f"**{published.GROUPS} groups,** each a state of its own, in one call. `reference` takes one after the other on "
            "one thread. The paper's factor is that of its GPU over one CPU thread for each group, the largest it saw.", "",
            *table(header, rows), ""]  # fmt: skip


def prefix_sums(results):
    lines = ["![Time against links](papers_links.png)", ""]
    if results.select("inverse_dynamics"):
        lines += _links_inverse(results)
    if results.select("links_forward"):
        lines += _links_forward(results)
    if results.select("groups_inverse"):
        lines += _groups(results)
    return lines if len(lines) > 2 else []


def shares(case):
    """The shares of the last block that were tried, in order."""
    return sorted({float(name.split()[1]) for name in case.names() if name.startswith("DCAe 0")})


def name_of_share(share):
    return f"DCAe {share:g}"


def best_share(case, threads):
    """By what the table shows: ratios of every round, which noise between rounds does not reach."""
    return max(shares(case), key=lambda share: case.ratio(ABA, (name_of_share(share), threads)))


def cost_of_inner_body(case):
    """Of a body in a block that is not the last, as a multiple of one that is: from what cutting the chain adds."""
    share, whole = shares(case)[0], case.ns("DCAe, one block")
    return 1 + (case.ns(name_of_share(share)) - whole) / ((1 - share) * whole)


def _dcae_methods(results):
    header = [f"{published.SOLVES} solves, ms", "ABA, same text", "ABA, `reference`", "DCAe, one block",
              *(f"{name}, {on_threads(t)}" for name in ("DCA", "DCAe at its best", "two-port") for t in results.threads)]  # fmt: skip
    rows = []
    for case in results.select("dcae"):
        runners = [ABA, ("ABA, reference", 1), ("DCAe, one block", 1), *(("DCA", t) for t in results.threads),
                   *((name_of_share(best_share(case, t)), t) for t in results.threads),
                   *(("two-port", t) for t in results.threads)]  # fmt: skip
        rows.append([str(case.bodies), *(short(case.ns(*runner), published.SOLVES * 1e-6) for runner in runners)])
    return ["**Time.** ABA twice: the text of `aba.hpp` compiled as the other methods are, and as the backend `reference` "
            "runs it, checks included.", "", *table(header, rows), ""]  # fmt: skip


def _dcae_ratios(results):
    header = ["", "paper", *(f"{case.bodies} bodies" for case in results.select("dcae"))]
    cases = results.select("dcae")

    def row(words, says, value):
        return [words, says, *(value(case) for case in cases)]

    def against(slow, threads):
        return lambda case: times(case.ratio(slow, (name_of_share(best_share(case, threads)), threads)))

    rows = [
        row("best share of the last block, 2 threads", f"{published.BEST_SHARE:g}", lambda case: f"{best_share(case, BOTH):g}"),
        row("a body of the first block / one of the last, 1 thread", f"{published.INNER_BODY:g}, by counts",
            lambda case: times(cost_of_inner_body(case))),
        row("ABA, same text / DCAe, 2 threads", "above 1", against(ABA, BOTH)),
        row("ABA, `reference` / DCAe, 2 threads", "-", against(("ABA, reference", 1), BOTH)),
        row("ABA, same text / DCAe, 1 thread", "-", against(ABA, 1)),
        row("DCA, 1 thread / ABA, same text", f"a little above {published.DCA_BY_ABA:g}",
            lambda case: times(case.ratio(("DCA", 1), ABA))),
        row("ABA, same text / DCA, 2 threads", "below 1 up to 4 processors", lambda case: times(case.ratio(ABA, ("DCA", BOTH)))),
        row("ABA, same text / two-port, 1 thread", "-", lambda case: times(case.ratio(ABA, ("two-port", 1)))),
        row("ABA, same text / two-port, 2 threads", "-", lambda case: times(case.ratio(ABA, ("two-port", BOTH)))),
    ]  # fmt: skip
    return [f"**Ratios of times.** The paper: {published.DCAE_MACHINE}.", "", *table(header, rows), ""]


def _dcae_sweep(results):
    cases = results.select("dcae")
    header = ["ABA, same text / DCAe by the share of the last block", *(f"{share:g}" for share in shares(cases[0]))]
    rows = [[f"{case.bodies} bodies, {on_threads(t)}", *(times(case.ratio(ABA, (name_of_share(share), t))) for share in shares(case))]
            for case in cases for t in results.threads]  # fmt: skip
    return [*table(header, rows), ""]


def target(results):
    """What DCAe has to show: the ratio on 1024 bodies, and a verdict. None: not measured."""
    case = next((case for case in results.select("dcae") if case.bodies == 1024), None)
    if case is None:
        return None
    ratio = case.ratio(ABA, (name_of_share(best_share(case, BOTH)), BOTH))
    busy = results.report["busy_cores"] > IDLE_CORES
    return ratio, "machine busy" if busy else "ok" if ratio > 1 else "missed"


def _target(results):
    found = target(results)
    if found is None:
        return []
    ratio, verdict = found
    return ["**Target:** DCAe on 2 threads faster than the serial O(n) method, 1024 bodies: more than 1x. "
            f"Reached: {times(ratio)}, {verdict}.", ""]  # fmt: skip


def _accuracy(results):
    errors = {(e["method"], e["bodies"]): e for e in results.report["errors"]}
    if not errors:
        return []
    methods, lengths = (list(dict.fromkeys(key[k] for key in errors)) for k in (0, 1))
    rows = []
    for method in methods:
        row = [method]
        for bodies in lengths:
            e = errors.get((method, bodies))
            row.append("-" if e is None else ", ".join("NaN" if e[k] is None else f"{e[k]:.0e}" for k in ("forward", "residual")))
        rows.append(row)
    return ["**Accuracy,** error of the accelerations, error of the torques that they take; each relative to the largest "
            "exact one but at least 1, against the texts of `aba.hpp` and `rnea.hpp` in long double.", "",
            "![Errors against bodies](papers_accuracy.png)", "", *table(["bodies", *map(str, lengths)], rows), ""]  # fmt: skip


def dcae(results):
    if not results.select("dcae"):
        return _accuracy(results)
    return ["![Speed against the share of the last block](papers_dcae.png)", "", *_target(results), *_dcae_ratios(results),
            *_dcae_methods(results), *_dcae_sweep(results), *_accuracy(results)]  # fmt: skip


def blocks(results):
    cases = results.select("forward_dynamics")
    if not cases:
        return []
    header = ["ms", "recursion", *(f"blocks, {on_threads(t)}" for t in results.threads),
              *(f"recursion / blocks, {on_threads(t)}" for t in results.threads),
              f"thesis, inverse dynamics, {thesis.CPU}", f"thesis, inverse dynamics, {thesis.GPU}"]  # fmt: skip
    rows = []
    for case in sorted(cases, key=lambda case: (results.shapes("forward_dynamics").index(case.shape), case.bodies)):
        theirs = thesis.RNEA_US.get(case.bodies) if case.shape == "chain" else None
        rows.append([f"{case.shape}, {case.bodies}", short(case.ns("recursion"), 1e-6),
                     *(short(case.ns("blocks", t), 1e-6) for t in results.threads),
                     *(times(case.ratio(("recursion", 1), ("blocks", t))) for t in results.threads),
                     *(short(us, 1e-3) for us in theirs or (None, None))])  # fmt: skip
    return ["![Forward dynamics of large trees](papers_blocks.png)", "", *table(header, rows), ""]


def sections(results):
    """Those that were measured."""
    made = {"prefix_sums": prefix_sums(results), "dcae": dcae(results), "thesis": blocks(results)}
    head = conditions(results.report)
    return {name: "\n".join([*head, *lines]) for name, lines in made.items() if lines}
