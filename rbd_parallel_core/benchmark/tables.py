# SPDX-License-Identifier: Apache-2.0
"""The tables of the benchmark in Markdown."""

import bench_robots
import must_show


def _number(value, form="{:.0f}", missing="-"):
    return missing if value is None else form.format(value)


def _times(value):
    return _number(value, "{:.2f}x" if value is not None and value < 10 else "{:.1f}x")


def _size(array_bytes):
    kilobytes = array_bytes // 1024
    return f"{kilobytes} kB" if kilobytes < 1024 else f"{kilobytes // 1024} MB"


def _emphasised(verdict):
    return verdict if verdict == "ok" else f"**{verdict}**"


def _percent(value):
    return _number(None if value is None else 100 * value, "{:.0f} %")


def table(header, rows):
    """The first column is text, the others numbers."""
    lines = ["| " + " | ".join(header) + " |", "|---|" + "--:|" * (len(header) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def must_show_table(results):
    outcomes = must_show.outcomes(results)
    if not outcomes:
        return []
    rows = [
        [
            found.goal.what,
            f"{found.goal.target:g}x",
            _times(found.mean),
            *(_times(found.ratios[robot]) for robot in must_show.ROBOTS),
            f"{found.least} {_times(found.ratios[found.least])}",
            _emphasised(found.verdict(results.report["busy_cores"])),
        ]
        for found in outcomes
    ]
    return [
        "## Targets",
        "",
        f"Ours from and to rows of doubles unless said otherwise, batch {must_show.BATCH}, {results.compared_isa}, one "
        "thread against one: the other's time divided by ours. Reached is the geometric mean; no robot may stay "
        f"below {must_show.LEAST_SHARE:g} of a target against a peer, below {must_show.AS_FAST:g} of one for one state, or "
        "below one for rows at all.",
        "",
        *table(["against", "target", "reached", *must_show.ROBOTS, "least robot", ""], rows),
        "",
    ]


def _batch_row(results, case, isa):
    lanes, rows = case.ours(isa, layout="lanes"), case.ours(isa)
    return [
        case.robot,
        str(case.nv),
        *(_number(case.peer(peer)) for peer in results.peers),
        case.peer_variant("Pinocchio") or "-",
        _number(rows),
        _times(case.ratio("Pinocchio", isa)),
        _number(lanes),
        _number(case.ours(isa, "float")),
        _times(case.ratio("Pinocchio", isa, precision="float")),
        _percent(case.peak_share(isa)),
        _percent(case.peak_share(isa, "float")),
    ]


def batch_tables(results, isa, batch=must_show.BATCH):
    lines = [f"## Batch {batch}, one thread, {isa}", "", "Nanoseconds per state.", ""]
    for operation in results.operations:
        cases = results.select(operation=operation, batch=batch, threads=1)
        if not cases:
            continue
        header = [
            operation, "nv", *results.peers, "Pinocchio's way", "rows", "ratio", "lane-ready", "float32 rows", "ratio",
            "of FMA peak", "float32",
        ]  # fmt: skip
        lines += [*table(header, [_batch_row(results, case, isa) for case in cases]), ""]
    return lines


def roofline_table(results, batch=must_show.BATCH):
    isa = results.compared_isa
    rows = []
    for operation in results.operations:
        for case in results.select(operation=operation, batch=batch, threads=1):
            read, write = case.bytes_read(), case.bytes_written()
            read_rate, write_rate = results.bandwidth_for(batch * (read + write))
            rows.append(
                [
                    f"{operation} {case.robot}", _number(case.flops), _number(read + write),
                    _number(case.flops / (read + write), "{:.1f}"), _number(case.flops / results.peaks[isa, "double"]),
                    _number(read / read_rate + write / write_rate), _number(case.ours(isa)),
                ]  # fmt: skip
            )
    if not rows:
        return []
    header = ["", "flops", "bytes", "flops per byte", "at the FMA peak, ns", "at the bandwidth, ns", "measured, ns"]
    return [
        f"## Roofline: batch {batch}, one thread, {isa}, rows of doubles", "",
        "For one state: what our kernels compute, what is read and written at least, how long either would take by itself, "
        "and how long it takes. The bandwidth is that of an array as large as the batch.", "", *table(header, rows), "",
    ]  # fmt: skip


def one_state_table(results):
    isa = results.best_isa
    cases = results.select(batch=1, threads=1)
    if not cases:
        return []
    rows = [
        [
            f"{case.operation} {case.robot}",
            *(_number(case.peer(peer)) for peer in results.peers),
            _number(case.ours(isa, backend="reference")),
            _number(case.ours(isa)),
            _times(case.ratio("Pinocchio", isa)),
        ]
        for operation in results.operations
        for case in cases
        if case.operation == operation
    ]
    header = ["one state", *results.peers, "`reference`", "`cpu`", "Pinocchio / `cpu`"]
    return ["## One state, one thread", "", "Nanoseconds.", "", *table(header, rows), ""]


def compiled_table(results, peer="Pinocchio"):
    """Code made for the robot beside the kernels for all robots: batches, and one state."""
    isa, best = results.compared_isa, results.best_isa
    rows = []
    for operation in results.operations:
        for case in results.select(operation=operation, batch=must_show.BATCH, threads=1):
            one = results.case(case.robot, operation, 1, 1)
            ours, code = case.ours(isa), case.ours(isa, backend="compiled")
            alone, code_alone = (one and one.ours(best, backend=name) for name in ("reference", "compiled"))
            rows.append(
                [
                    f"{operation} {case.robot}", _number(ours), _number(code), _times(ours and code and ours / code),
                    _times(case.ratio(peer, isa, backend="compiled")), _number(alone), _number(code_alone),
                    _times(alone and code_alone and alone / code_alone),
                ]  # fmt: skip
            )
    if not rows:
        return []
    header = ["ns per state", f"`cpu`, batch {must_show.BATCH}, {isa}", "`compiled`", "ratio", f"{peer} / `compiled`",
              "one state, `reference`", "`compiled`", "ratio"]  # fmt: skip
    return ["## Code made for the robot", "", *table(header, rows), ""]


def throughput_table(results, threads):
    """Million states a second by batch."""
    isa = results.best_isa
    cases = [case for case in results.cases if case.threads == threads and case.batch in bench_robots.BATCHES]
    batches = sorted({case.batch for case in cases})
    if not batches:
        return []
    rows = []
    for operation in results.operations:
        for robot in results.robots:
            found = [results.case(robot, operation, batch, threads) for batch in batches]
            if any(found):
                speeds = [case and case.ours(isa) and 1e3 / case.ours(isa) for case in found]
                rows.append([f"{operation} {robot}", *(_number(speed, "{:.2f}") for speed in speeds)])
    title = "one thread" if threads == 1 else f"{threads} threads"
    return [
        f"## Throughput, {title}, {isa}", "", "Million states a second, rows of doubles, by batch.", "",
        *table(["", *map(str, batches)], rows), "",
    ]  # fmt: skip


def threads_table(results):
    isa = results.compared_isa
    cases = results.select(threads=2, batch=must_show.BATCH)
    rows = []
    for case in cases:
        alone = results.case(case.robot, case.operation, case.batch)
        one, two = alone and alone.ours(isa), case.ours(isa)
        rows.append(
            [
                f"{case.operation} {case.robot}", _number(case.peer("Pinocchio")), _number(two),
                _times(case.ratio("Pinocchio", isa)), _times(one / two if one and two else None),
            ]  # fmt: skip
        )
    if not rows:
        return []
    header = ["2 threads", "Pinocchio's InParallel", "rows", "ratio", "1 thread / 2 threads"]
    return [f"## Two threads, batch {must_show.BATCH}, {isa}", "", "Nanoseconds per state.", "", *table(header, rows), ""]


def paper_table(results):
    cases = results.select(batch=bench_robots.PAPER_BATCH)
    isa = results.best_isa
    rows = [
        [
            f"{case.operation} {case.robot}", str(case.threads), _number(case.peer("Pinocchio")), _number(case.ours(isa)),
            _number(case.batch * case.ours(isa) / 1e3) if case.ours(isa) else "-", _times(case.ratio("Pinocchio", isa)),
        ]
        for case in cases
    ]  # fmt: skip
    if not rows:
        return []
    header = ["", "threads", "Pinocchio ns", f"rows ns, {isa}", "1000 groups us", "ratio"]
    return [
        "## 1000 groups of links", "",
        "The experiment of *Parallel Dynamics Computation using Prefix Sum Operations*: 1000 chains of 10, 100 and 200 "
        "links at once.", "", *table(header, rows), "",
    ]  # fmt: skip


def conditions(results):
    report = results.report
    peers = ", ".join(f"{peer['name']} {peer['version']}" for peer in report["peers"]) or "no peer"
    peaks = ", ".join(f"{isa} {precision} {peak:.1f}" for (isa, precision), peak in results.peaks.items())
    bandwidths = ", ".join(
        f"{_size(found['array_bytes'])} {found['read_bytes_per_ns']:.0f} / {found['write_bytes_per_ns']:.0f}"
        for found in report["bandwidths"]
    )
    lines = [
        f"{report['cpu']}, {report['cores']} cores, {report['date']}; other programs kept {report['busy_cores']:.1f} of them "
        f"busy. "
        f"`{report['command']}`. Against {peers}.",
        "",
        f"Measured peak of one thread, GFLOP/s of multiply-adds: {peaks}. GB/s read / written of an array of {bandwidths}.",
        "",
        "Medians of shuffled samples in one process; one thread by its CPU time, two by the clock. The peers get their states prepared in their own layouts and leave "
        "each result where they write it (Pinocchio: data.tau, data.ddq, the upper triangle of data.M, in the faster "
        "of its conventions); ours go to row-major arrays of the whole batch, M in full. The share of the peak takes the "
        "operations that our kernels do for one state, counted by running them with a number that counts.",
        "",
    ]
    if report["busy_cores"] > must_show.IDLE_CORES:
        lines += ["**The machine was busy**: the figures of two threads say little.", ""]
    if report["left_out"]:
        lines += ["Left out:", "", *(f"- {sentence}" for sentence in report["left_out"]), ""]
    return lines


def to_markdown(results):
    lines = ["# Benchmark of rbd_parallel", "", *conditions(results), *must_show_table(results)]
    for isa in results.isas:
        lines += batch_tables(results, isa)
    lines += roofline_table(results) + one_state_table(results) + compiled_table(results)
    for threads in (1, 2):
        lines += throughput_table(results, threads)
    lines += threads_table(results) + paper_table(results)
    return "\n".join(lines)
