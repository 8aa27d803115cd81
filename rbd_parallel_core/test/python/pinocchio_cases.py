# SPDX-License-Identifier: Apache-2.0
"""The robots that are compared with Pinocchio, each in our words and in its, and those that need another treatment."""

import functools
import warnings
import zlib

import numpy

import rbd_parallel
from pinocchio_reference import Reference, build, random_states
from robots import example_robots, own_robots

EXAMPLES = example_robots()
ROBOTS = {**own_robots(), **EXAMPLES}
GRAVITY = (3.1, -4.7, -7.9)
STATES = 21  # a multiple of no register, so that the last group of a batch is not full

# Robots that cannot be treated like the others, with the reason. Nothing else is left out.
NOT_A_ROBOT = {
    "ur_description/urdf/ur3.urdf": "an empty <robot> without a name: refused, as Pinocchio refuses it",
}
NO_MIMIC_TARGET = {
    "alex_description/urdf/alex_psyonic_hands.urdf": "its mimic joints follow joints that the file does not have: "
    "refused, as Pinocchio's mimic=True refuses it; compared with independent joints only",
}
FOLLOWERS_FIRST = dict.fromkeys(
    [
        "romeo_description/urdf/romeo.urdf",
        "talos_data/robots/talos_full_v2.urdf",
        "talos_data/robots/talos_full_v2_box.urdf",
        "config/robots/gripper.urdf",
    ],
    "mimic joints stand before the joint that they follow, which Pinocchio's mimic=True refuses: honoured mimic joints "
    "are compared with Pinocchio's independent ones, projected",
)

# Robots whose mass matrix is singular, on which base, and the joints that a forward dynamics may name.
SINGULAR = {
    # Its fingertips move but have no inertia; honoured, one coordinate moves all of the hand.
    ("romeo_description/urdf/romeo.urdf", "fixed"): ("LFinger23", "LHand"),
    ("romeo_description/urdf/romeo.urdf", "floating"): ("LFinger23", "LHand"),
    # Its grippers have no inertia.
    ("romeo_description/urdf/romeo_laas_small.urdf", "fixed"): ("l_gripper_joint",),
    ("romeo_description/urdf/romeo_laas_small.urdf", "floating"): ("l_gripper_joint",),
    # Its root link has no inertia, so nothing resists a turn of a floating one about the first joint.
    ("config/robots/pendulum2.urdf", "floating"): ("floating_base",),
}


def load(robot, base="fixed", mimic="independent", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rbd_parallel.ModelWarning)
        return rbd_parallel.load_urdf(ROBOTS[robot], base=base, gravity=GRAVITY, mimic=mimic, **options)


def backend_for(model, name="auto", **options):
    return rbd_parallel.Backend(name, model, max_batch=STATES, **options)


def follows(robot):
    """Whether the robot has mimic joints that can be honoured."""
    if robot in NOT_A_ROBOT or robot in NO_MIMIC_TARGET:
        return False
    return any(joint.mimic for joint in load(robot, mimic="honour").joints)


WHOLE = [robot for robot in ROBOTS if robot not in NOT_A_ROBOT]
FOLLOWING = [robot for robot in ROBOTS if follows(robot)]


@functools.lru_cache(maxsize=1)  # the cases of one robot follow each other
def in_both_words(robot, base, mimic):
    """Our model, and Pinocchio's with independent joints."""
    model = load(robot, base, mimic)
    return model, Reference(build(ROBOTS[robot], base, GRAVITY, mimic=False), model)


class Strict:
    """A backend that was made with on_error="nan" and fails at a bad state, as one with on_error="raise" does. To make two is
    to configure twice, and "compiled" takes long for that."""

    def __init__(self, backend):
        self.lenient = backend

    def __getattr__(self, name):
        found = getattr(self.lenient, name)
        if not callable(found):
            return found

        def call(*arguments, **options):
            result = found(*arguments, **options)
            assert not self.lenient.bad_states(), f"{name}: {self.lenient.bad_states()}"
            return result

        return call


class Case:
    """One robot in our words and in Pinocchio's, with its random states and the backend that computes.

    backend  fails where a state is bad
    lenient  the same, with NaN there and a status
    """

    def __init__(self, robot, base, mimic, name="auto"):
        self.robot, self.base, self.mimic, self.name = robot, base, mimic, name
        self.states = f"{robot} {base}" + (" honour" if mimic == "honour" else "")
        self.where = f"{self.states}, {name}"
        self.model, self.reference = in_both_words(robot, base, mimic)
        self.lenient = self.make_backend(on_error="nan")
        self.backend = Strict(self.lenient)
        self.q, self.v, self.a = random_states(self.model, STATES, zlib.crc32(self.states.encode()))

    def make_backend(self, **options):
        return backend_for(self.model, self.name, **options)

    def rng(self, purpose):
        """Random numbers that depend on the robot and the purpose, not on the order of the tests."""
        return numpy.random.default_rng(zlib.crc32(f"{self.states} {purpose}".encode()))

    def links(self, count):
        """Some links, the root and the last one among them."""
        names = self.model.link_names
        chosen = self.rng("links").choice(len(names), min(count, len(names)), replace=False)
        return [names[i] for i in sorted({0, len(names) - 1, *chosen})]


def all_cases():
    for robot in WHOLE:
        for base in ("fixed", "floating"):
            yield robot, base, "independent"
            if robot in FOLLOWING:
                yield robot, base, "honour"
