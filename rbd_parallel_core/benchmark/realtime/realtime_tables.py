# SPDX-License-Identifier: Apache-2.0
"""What ./dev bench --realtime measured, in Markdown."""

import statistics

from tables import table

QUANTILES = ("p50", "p99", "p99.9", "p99.99", "max")
EVENTS = ("allocations", "minor_faults", "major_faults", "voluntary_switches", "involuntary_switches")
CONTROL = "control"


def _microseconds(nanoseconds):
    value = nanoseconds / 1e3
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _quantiles(histogram):
    return [_microseconds(histogram[name]) for name in QUANTILES]


def _conditions(report):
    granted = report["periodic"][0]
    load = " to ".join(f"{value:.1f}" for value in report["load"])
    return (
        f"{report['cpu']}, {report['cores']} cores{', a virtual machine' if report['virtual'] else ''}; "
        f"{report['kernel']}; governor {report['governor']}. The loop: scheduler {granted['scheduler']}, memory "
        f"{granted['memory']}, core {granted['core']}. Load average {load}, other programs kept "
        f"{report['busy_cores']:.1f} cores busy. {report['date']}."
    )


def _times(runs, with_wake_up):
    rows = []
    for run in runs:
        rows += [[f"`{run['backend']}` {name}", *_quantiles(histogram)] for name, histogram in run["calls"].items()]
        if with_wake_up:
            rows.append([f"`{run['backend']}` wake-up", *_quantiles(run["wake_up"])])
    return table(["us", *QUANTILES], rows)


def _events(report):
    rows = []
    for how, runs in (("cycles", report["periodic"]), ("in a row", report["back_to_back"])):
        for run in runs:
            calls = sum(histogram["count"] for name, histogram in run["calls"].items() if name != CONTROL)
            outside = str(run["outside"]["voluntary_switches"])
            rows.append([f"`{run['backend']}`, {how}", str(calls), *(str(run["inside"][name]) for name in EVENTS), outside])
    titles = [name.replace("_", " ") for name in EVENTS]
    return table(["inside calls", "calls", *titles, "outside: voluntary switches"], rows)


def _inputs(runs):
    names = [name for name in runs[0]["calls"] if name != CONTROL]
    rows = []
    for run in runs:
        flushed = ", flushed to zero" if run["flush_denormals"] else ""
        rows.append([run["inputs"] + flushed, *(_microseconds(run["calls"][name]["p50"]) for name in names)])
    return table(["us", *names], rows)


def _first_calls(report):
    names = [name for name in report["first"][0]["first_calls"] if name != CONTROL]
    rows = []
    for memory in dict.fromkeys(run["memory"] for run in report["first"]):
        runs = [run for run in report["first"] if run["memory"] == memory]
        faults = sorted({run["first_usage"]["minor_faults"] + run["first_usage"]["major_faults"] for run in runs})
        times = [statistics.median(run["first_calls"][name] for run in runs) for name in names]
        rows.append([f"memory {memory}", *map(_microseconds, times), " to ".join(map(str, dict.fromkeys((faults[0], faults[-1]))))])
    return table(["us", *names, "page faults"], rows)


def to_markdown(report):
    seconds = report["seconds"]
    period = report["periodic"][0]["period_us"]
    in_a_row = report["back_to_back"][0]["calls"][CONTROL]["count"]
    missed = ", ".join(f"`{run['backend']}` {run['missed']}" for run in report["periodic"])
    lines = [
        _conditions(report), "",
        f"**One call of each operation every {period} us, {seconds:g} s.** Cycles missed: {missed}.", "",
        *_times(report["periodic"], with_wake_up=True), "",
        f"**{in_a_row} calls of each operation in a row.**", "",
        *_times(report["back_to_back"], with_wake_up=False), "",
        "**What happened inside the calls,** all operations together:", "",
        *_events(report), "",
        "**Other inputs,** `cpu`, calls in a row, medians:", "",
        *_inputs(report["inputs"]), "",
        f"**The first call of each operation,** `cpu`, in the order of the columns, medians of "
        f"{len(report['first']) // 2} fresh processes:", "",
        *_first_calls(report), "",
    ]  # fmt: skip
    return "\n".join(lines)
