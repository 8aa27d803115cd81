# SPDX-License-Identifier: Apache-2.0
"""Questions to what rbd_tree_bench measured. None: not measured."""

import statistics

FILLS = ("fill", "memset")  # two ways to write as many numbers; the faster one counts


class Case:
    """One part on one tree. A runner is a pair of a name and a number of threads."""

    def __init__(self, case):
        self.part, self.shape, self.bodies, self.pairs = (case[key] for key in ("part", "shape", "bodies", "pairs"))
        self._runners = {(runner["name"], runner["threads"]): runner for runner in case["runners"]}

    def names(self):
        return list(dict.fromkeys(name for name, _ in self._runners))

    def ns(self, name, threads=1):
        """Median of one pass: the CPU time of one thread, of several the time by the clock."""
        runner = self._runners.get((name, threads))
        return runner and statistics.median(runner["cpu_ns" if threads == 1 else "wall_ns"])

    def ns_per_body(self, name, threads=1):
        ns = self.ns(name, threads)
        return ns and ns / self.bodies

    def ns_per_pair(self, name, threads=1):
        ns = self.ns(name, threads)
        return ns and ns / self.pairs

    def ratio(self, slow, fast):
        """Median over the rounds of the one's time by the other's, both on the same clock."""
        if slow not in self._runners or fast not in self._runners:
            return None
        clock = "cpu_ns" if slow[1] == fast[1] == 1 else "wall_ns"
        pairs = zip(self._runners[slow][clock], self._runners[fast][clock])
        return statistics.median(one / other for one, other in pairs)

    def fastest(self, names, threads=1):
        """The one of these names that took the least time."""
        known = [name for name in names if (name, threads) in self._runners]
        return min(known, key=lambda name: self.ns(name, threads), default=None)

    def fill(self, threads):
        return self.fastest(FILLS, threads)

    def peer(self):
        """Pinocchio in the better of its conventions."""
        return self.fastest([name for name in self.names() if name.startswith("Pinocchio")])


class Results:
    def __init__(self, report):
        self.report = report
        self.cases = [Case(case) for case in report["cases"]]
        self.threads = report["threads"]

    def select(self, part, shape=None):
        return [case for case in self.cases if case.part == part and shape in (None, case.shape)]

    def case(self, part, shape, bodies):
        return next((case for case in self.select(part, shape) if case.bodies == bodies), None)

    def shapes(self, part):
        return list(dict.fromkeys(case.shape for case in self.select(part)))
