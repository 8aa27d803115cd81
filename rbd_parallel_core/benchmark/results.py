# SPDX-License-Identifier: Apache-2.0
"""Questions to what rbd_bench measured. Times are medians in nanoseconds per state; None: not measured."""

import math

OURS = "rbd_parallel"


def geometric_mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


class Case:
    """One robot, one operation, one batch, one number of threads."""

    def __init__(self, case, peaks):
        self._entries = case["entries"]
        self._nq = case["nq"]
        self._peaks = peaks
        self.robot, self.operation = case["robot"], case["operation"]
        self.nv, self.bodies, self.flops = case["nv"], case["bodies"], case["flops"]
        self.batch, self.threads = case["batch"], case["threads"]

    def entries(self, **wanted):
        return [entry for entry in self._entries if all(entry[key] == value for key, value in wanted.items())]

    def _fastest(self, **wanted):
        return min(self.entries(**wanted), key=lambda entry: entry["median_ns"], default=None)

    def ours(self, isa, precision="double", layout="rows", backend="cpu"):
        entry = self._fastest(who=OURS, isa=isa, precision=precision, layout=layout, variant=backend)
        return entry and entry["median_ns"]

    def peer(self, who):
        """The fastest of the peer's ways."""
        entry = self._fastest(who=who)
        return entry and entry["median_ns"]

    def peer_variant(self, who):
        entry = self._fastest(who=who)
        return entry["variant"] if entry else ""

    def ratio(self, who, isa, **how):
        theirs, ours = self.peer(who), self.ours(isa, **how)
        return theirs / ours if theirs and ours else None

    def bytes_read(self):
        """Of the state, as doubles."""
        return 8 * (self._nq if self.operation == "CRBA" else self._nq + 2 * self.nv)

    def bytes_written(self):
        return 8 * (self.nv * self.nv if self.operation == "CRBA" else self.nv)

    def peak_share(self, isa, precision="double", layout="rows"):
        """Which part of the machine's multiply-adds our kernels' operations make up."""
        ours, peak = self.ours(isa, precision, layout), self._peaks.get((isa, precision))
        return self.flops / ours / (peak * self.threads) if ours and peak else None


class Results:
    def __init__(self, report):
        self.report = report
        self.peaks = {(peak["isa"], peak["precision"]): peak["flops_per_ns"] for peak in report["peaks"]}
        self.cases = [Case(case, self.peaks) for case in report["cases"]]
        self.isas = list(dict.fromkeys(isa for isa, _ in self.peaks))
        self.best_isa = self.isas[-1]
        self.compared_isa = "avx2" if "avx2" in self.isas else self.best_isa
        self.robots = list(dict.fromkeys(case.robot for case in self.cases))
        self.operations = list(dict.fromkeys(case.operation for case in self.cases))
        self.peers = [peer["name"] for peer in report["peers"]]

    def bandwidth_for(self, array_bytes):
        """Bytes per nanosecond, read and written, of the measured array that comes closest."""
        found = min(self.report["bandwidths"], key=lambda found: abs(math.log(found["array_bytes"] / array_bytes)))
        return found["read_bytes_per_ns"], found["write_bytes_per_ns"]

    def select(self, **wanted):
        return [case for case in self.cases if all(getattr(case, key) == value for key, value in wanted.items())]

    def case(self, robot, operation, batch, threads=1):
        found = self.select(robot=robot, operation=operation, batch=batch, threads=threads)
        return found[0] if found else None
