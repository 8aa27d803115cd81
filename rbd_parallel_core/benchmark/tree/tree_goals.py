# SPDX-License-Identifier: Apache-2.0
"""What the backend tree has set itself to reach on one large tree, beside what it reached."""

import dataclasses
import typing

from must_show import IDLE_CORES


@dataclasses.dataclass
class Goal:
    what: str
    target: float
    at_least: bool  # else at most
    value: typing.Callable  # of the results; None: not measured
    threads: int = 1

    def words(self):
        return f"{'at least' if self.at_least else 'at most'} {self.target:g}x"


@dataclasses.dataclass
class Outcome:
    goal: Goal
    value: float

    @property
    def reached(self):
        return self.value >= self.goal.target if self.goal.at_least else self.value <= self.goal.target

    def verdict(self, busy_cores):
        """Several threads are timed by the clock: on a busy machine their ratio says nothing, in either direction."""
        if self.goal.threads > 1 and busy_cores > IDLE_CORES:
            return "machine busy"
        return "ok" if self.reached else "missed"


def _ratio(part, shape, bodies, slow, fast):
    def value(results):
        case = results.case(part, shape, bodies)
        return case and case.ratio(slow, fast)

    return value


def _against_peer(part, ours):
    """On a chain that both can do."""

    def value(results):
        case = results.case(part, "chain", 300)
        return case and case.ratio((case.peer(), 1), (ours, 1))

    return value


def _forward_against_peer(results):
    """Per body: ours on a long chain, the peer's on the longest that it can hold."""
    ours, peers = results.case("forward_dynamics", "chain", 10_000), results.case("peer ABA", "chain", 300)
    if not ours or not peers or not peers.peer() or not ours.ns("blocks", 2):
        return None
    return peers.ns_per_body(peers.peer()) / ours.ns_per_body("blocks", 2)


def _forward():
    recursion, goals_of = ("recursion", 1), []
    for threads, targets in ((2, {1_000: 2.3, 10_000: 2.3, 100_000: 2.3}), (1, {1_000: 1.7, 10_000: 1.7, 100_000: 1.3})):
        for bodies, target in targets.items():
            value = _ratio("forward_dynamics", "chain", bodies, recursion, ("blocks", threads))
            words = f"forward dynamics, chain of {bodies}: recursion / blocks on {threads} thread{'s' if threads > 1 else ''}"
            goals_of.append(Goal(words, target, True, value, threads))
    for bodies in (1_000, 10_000, 100_000):
        value = _ratio("forward_dynamics", "chain", bodies, recursion, ("two scalar blocks", 2))
        words = f"forward dynamics, chain of {bodies}: recursion / two scalar blocks on 2 threads"
        goals_of.append(Goal(words, 1.3, True, value, 2))
    for shape in ("branching 1.01", "branching 1.5", "branching 2"):
        value = _ratio("forward_dynamics", shape, 100_000, recursion, ("blocks", 2))
        goals_of.append(Goal(f"forward dynamics, {shape}, 100000 bodies: recursion / blocks on 2 threads", 1.5, True, value, 2))
    words = "forward dynamics, a body: Pinocchio, chain of 300 / blocks on 2 threads, chain of 10000"
    return [*goals_of, Goal(words, 6, True, _forward_against_peer, 2)]


def _against_fill(results):
    case = results.case("dense", "chain", 10_000)
    return case and case.ratio(("blocks", 2), (case.fill(2), 2))


def _sparse_against_dense(results):
    sparse, dense = results.case("sparse", "branching 2", 100_000), results.case("dense", "chain", 10_000)
    return sparse.ns_per_pair("blocks") / dense.ns_per_pair("blocks") if sparse and dense else None


def _growth(threads):
    """Of the shape where the cost of a body grows most."""

    def value(results):
        factors = []
        for shape in results.shapes("inverse_dynamics"):
            small, large = (results.case("inverse_dynamics", shape, bodies) for bodies in (1_000, 1_000_000))
            if small and large and small.ns("blocks", threads):
                factors.append(large.ns_per_body("blocks", threads) / small.ns_per_body("blocks", threads))
        return max(factors, default=None)

    return value


def goals():
    recursion, blocks, both = ("recursion", 1), ("blocks", 1), ("blocks", 2)
    result = [Goal("inverse dynamics, chain of 300: Pinocchio / recursion", 2.5, True, _against_peer("peer RNEA", "recursion"))]
    for bodies in (1_000, 10_000):
        value = _ratio("inverse_dynamics", "chain", bodies, recursion, blocks)
        result.append(Goal(f"inverse dynamics, chain of {bodies}: recursion / blocks on 1 thread", 1.6, True, value))
    for bodies in (1_000, 10_000, 100_000):
        value = _ratio("inverse_dynamics", "chain", bodies, recursion, both)
        result.append(Goal(f"inverse dynamics, chain of {bodies}: recursion / blocks on 2 threads", 2.2, True, value, 2))
    return result + [
        Goal("inverse dynamics, blocks on 1 thread, worst shape: a body of 1000000 / one of 1000", 2.5, False, _growth(1)),
        Goal("inverse dynamics, blocks on 2 threads, worst shape: a body of 1000000 / one of 1000", 2.5, False, _growth(2), 2),
        Goal("M in full, chain of 300: Pinocchio's better way / blocks on 1 thread", 3, True, _against_peer("peer CRBA", "blocks")),
        Goal("M in full, chain of 10000, 2 threads: blocks / writing as much", 1.5, False, _against_fill, 2),
        Goal("M, blocks on 1 thread: a pair of the sparse one, branching 2, 100000 bodies / a pair of the full one, chain of 10000",
             3, False, _sparse_against_dense),
        *_forward(),
    ]  # fmt: skip


def outcomes(results):
    found = [(goal, goal.value(results)) for goal in goals()]
    return [Outcome(goal, value) for goal, value in found if value is not None]
