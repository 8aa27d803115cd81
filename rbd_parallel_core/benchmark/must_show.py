# SPDX-License-Identifier: Apache-2.0
"""What the library has set itself to reach, beside what it reached."""

import dataclasses
import typing

from results import geometric_mean

ROBOTS = ("UR5", "Panda", "Talos", "chain 30")
BATCH = 1024
LEAST_SHARE = 0.8  # of the target against a peer, for each single robot
AS_FAST = 0.97  # not slower, within what two short measurements of the same code differ by
ROW_COST = 0.8  # rows may cost 25 % more than lane-ready data, on every robot
IDLE_CORES = 0.1  # that other programs may keep busy, on a machine that does nothing else


@dataclasses.dataclass
class Goal:
    what: str
    target: float
    operation: str
    ratio: typing.Callable  # of a case and the instruction set; None: not measured
    batch: int = BATCH
    threads: int = 1
    least_share: float = LEAST_SHARE  # of the target, that each single robot must reach


@dataclasses.dataclass
class Outcome:
    goal: Goal
    ratios: dict  # by robot
    mean: float
    least: str  # the robot with the smallest ratio

    @property
    def reached(self):
        return self.mean >= self.goal.target and self.ratios[self.least] >= self.goal.least_share * self.goal.target

    def verdict(self, busy_cores):
        """Several threads are timed by the clock: on a busy machine their ratio says nothing, in either direction."""
        if self.goal.threads > 1 and busy_cores > IDLE_CORES:
            return "machine busy"
        return "ok" if self.reached else "below"


def _against(who, **how):
    return lambda case, isa: case.ratio(who, isa, **how)


def _against_reference(case, isa):
    reference, ours = case.ours(isa, backend="reference"), case.ours(isa)
    return reference / ours if reference and ours else None


def _row_cost(case, isa):
    lanes, rows = case.ours(isa, layout="lanes"), case.ours(isa)
    return lanes / rows if lanes and rows else None


def goals():
    result = [
        Goal("RNEA, Pinocchio", 12, "RNEA", _against("Pinocchio")),
        Goal("ABA, Pinocchio", 10, "ABA", _against("Pinocchio")),
        Goal("CRBA, M in full, Pinocchio", 6, "CRBA", _against("Pinocchio")),
        Goal("RNEA float32, Pinocchio's double", 22, "RNEA", _against("Pinocchio", precision="float")),
        Goal("RNEA, MuJoCo's kinematics + rne", 8, "RNEA", _against("MuJoCo")),
        Goal("RNEA, 2 threads, rneaInParallel", 12, "RNEA", _against("Pinocchio"), threads=2),
        Goal("ABA, 2 threads, abaInParallel", 10, "ABA", _against("Pinocchio"), threads=2),
    ]
    for operation in ("RNEA", "CRBA", "ABA"):
        what = f"{operation}, one state, our `reference`"
        result.append(Goal(what, AS_FAST, operation, _against_reference, batch=1, least_share=AS_FAST))
    for operation in ("RNEA", "CRBA", "ABA"):
        what = f"{operation}, rows, our lane-ready data"
        result.append(Goal(what, ROW_COST, operation, _row_cost, least_share=1.0))
    return result


def outcome(goal, results):
    """None where a robot or a contestant was not measured."""
    # One state is measured with the best instruction set only: the kernels for one state are the same.
    isa = results.compared_isa if goal.batch == BATCH else results.best_isa
    ratios = {}
    for robot in ROBOTS:
        case = results.case(robot, goal.operation, goal.batch, goal.threads)
        ratio = case and goal.ratio(case, isa)
        if ratio is None:
            return None
        ratios[robot] = ratio
    return Outcome(goal, ratios, geometric_mean(list(ratios.values())), min(ratios, key=ratios.get))


def outcomes(results):
    return [found for goal in goals() if (found := outcome(goal, results))]
