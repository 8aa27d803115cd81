# SPDX-License-Identifier: Apache-2.0
"""What the derivatives have set themselves to reach, beside what they reached."""

import dataclasses
import typing

from tree_goals import Goal, Outcome

ROBOTS = ("UR5", "Panda", "Talos", "ANYmal floating")
ARMS, OTHERS = ROBOTS[:2], ROBOTS[2:]
BATCH = 1024
PEER = "Pinocchio"

# The peer's time by ours, for each robot.
AGAINST_PEER = {
    "RNEA derivatives": {**dict.fromkeys(ARMS, 12), **dict.fromkeys(OTHERS, 10)},
    "ABA derivatives": dict.fromkeys(ROBOTS, 10),
}

# What the tables call the operations of the program.
WORDS = {
    "RNEA": "inverse dynamics",
    "ABA": "forward dynamics",
    "RNEA derivatives": "derivatives of inverse dynamics",
    "ABA derivatives": "derivatives of forward dynamics",
    "RNEA jvp": "inverse dynamics, jvp",
    "RNEA vjp": "inverse dynamics, vjp",
    "ABA jvp": "forward dynamics, jvp",
    "ABA vjp": "forward dynamics, vjp",
}


def ours(results, robot, operation, isa, batch=BATCH, backend="cpu"):
    """Nanoseconds per state; None: not measured."""
    case = results.case(robot, operation, batch)
    return case and case.ours(isa, backend=backend)


def peers(results, robot, operation, who=PEER, batch=BATCH):
    case = results.case(robot, operation, batch)
    return case and case.peer(who)


def quotient(one, other):
    return one / other if one and other else None


@dataclasses.dataclass
class RobotGoal(Goal):
    """One that every one of the robots is to reach; its value is that of the worst one."""

    robots: tuple = ROBOTS
    ratio: typing.Callable = None  # of the results and a robot; None: not measured

    def ratios(self, results):
        return {robot: self.ratio(results, robot) for robot in self.robots}


def _goal(what, target, at_least, ratio, robots=ROBOTS):
    def worst(results):
        found = [value for robot in robots if (value := ratio(results, robot)) is not None]
        return (min if at_least else max)(found) if len(found) == len(robots) else None

    return RobotGoal(what, target, at_least, worst, robots=robots, ratio=ratio)


def _against_peer(operation):
    return lambda results, robot: quotient(
        peers(results, robot, operation), ours(results, robot, operation, results.compared_isa)
    )


def _one_state(operation):
    """One state is measured with the best instruction set only."""
    return lambda results, robot: quotient(
        peers(results, robot, operation, batch=1),
        ours(results, robot, operation, results.best_isa, batch=1, backend="reference"),
    )


def _product(operation, base):
    def ratio(results, robot):
        isa = results.compared_isa
        return quotient(ours(results, robot, operation, isa), ours(results, robot, base, isa))

    return ratio


def goals():
    by_id, by_fd = "RNEA derivatives", "ABA derivatives"
    return [
        *(
            _goal(f"{WORDS[operation]}, {PEER} / ours", target, True, _against_peer(operation), robots)
            for operation, targets in AGAINST_PEER.items()
            for target in dict.fromkeys(targets.values())
            if (robots := tuple(robot for robot, its in targets.items() if its == target))
        ),
        _goal(f"{WORDS[by_id]}, one state, {PEER} / `reference`", 2, True, _one_state(by_id)),
        _goal(f"{WORDS[by_fd]}, one state, {PEER} / `reference`", 2, True, _one_state(by_fd)),
        _goal("jvp / inverse dynamics", 2.2, False, _product("RNEA jvp", "RNEA")),
        _goal("vjp / inverse dynamics", 4, False, _product("RNEA vjp", "RNEA")),
    ]


def outcomes(results):
    found = [(goal, goal.value(results)) for goal in goals()]
    return [Outcome(goal, value) for goal, value in found if value is not None]
