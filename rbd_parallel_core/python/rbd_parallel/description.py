# SPDX-License-Identifier: Apache-2.0
"""A robot as it is written down, for robots that come from no URDF. build_model() makes a Model of it."""

import dataclasses

from numpy.typing import ArrayLike

from ._core import JointLimits, Mimic

ORIGIN = (0.0, 0.0, 0.0)


@dataclasses.dataclass(slots=True, eq=False)
class LinkDescription:
    """A rigid body; the defaults are those of a link without mass.

    name: unique among the links
    mass: kg
    com: (3,), m: the centre of mass in the link frame
    inertia: kg m^2, about the centre of mass: (3, 3), or (6,) with xx xy xz yy yz zz; None: a point mass
    inertia_rotation: of the axes of `inertia` in the link frame: (3,), rad: roll, pitch, yaw; or a matrix (3, 3)
    """

    name: str
    mass: float = 0.0
    com: ArrayLike = ORIGIN
    inertia: ArrayLike | None = None
    inertia_rotation: ArrayLike = ORIGIN


@dataclasses.dataclass(slots=True, eq=False)
class JointDescription:
    """How the link `child` moves on the link `parent`. Of two units the first is that of angles, the second that of shifts.

    name: unique among the joints
    kind: fixed, revolute, continuous, prismatic, helical, planar, spherical or floating
    parent: name of a link
    child: name of a link
    position: (3,), m: of the joint frame in the parent link. At q = 0 it is the frame of the child link, too
    rotation: of the joint frame in the parent link: (3,), rad: roll, pitch, yaw; or a matrix (3, 3)
    axis: (3,), in the joint frame, without unit and of any length; the normal of a planar joint
    pitch: m/rad, of a helical joint
    limits: a JointLimits: lower and upper in rad or m, effort in N m or N, velocity in rad/s or m/s; None: unlimited
    mimic: a Mimic: multiplier in the unit of this joint for one of the followed joint, offset in rad or m; None: follows none
    armature: kg m^2 or kg, reflected rotor inertia
    damping: N m s/rad or N s/m
    friction: N m or N
    """

    name: str
    kind: str
    parent: str
    child: str
    position: ArrayLike = ORIGIN
    rotation: ArrayLike = ORIGIN
    axis: ArrayLike = (1.0, 0.0, 0.0)
    pitch: float = 0.0
    limits: JointLimits | None = None
    mimic: Mimic | None = None
    armature: float = 0.0
    damping: float = 0.0
    friction: float = 0.0


@dataclasses.dataclass(slots=True, eq=False)
class RobotDescription:
    """Links, and the joints between them: one link is the root, every other one the child of one joint.

    name: of the robot
    links: a LinkDescription each
    joints: a JointDescription each

    add_link() and add_joint() take the fields of LinkDescription and JointDescription; what they return may be
    changed until the robot is built, and so may the lists.

    >>> import rbd_parallel as rbd
    >>> robot = rbd.RobotDescription("drill")
    >>> _ = robot.add_link("stand")
    >>> _ = robot.add_link("spindle", mass=2.0, com=(0, 0, -0.1), inertia=[0.01, 0, 0, 0.01, 0, 0.002])
    >>> feed = robot.add_joint("feed", "helical", parent="stand", child="spindle", axis=(0, 0, 1), pitch=0.005)
    >>> feed.limits = rbd.JointLimits(-20, 0, effort=3)
    >>> rbd.build_model(robot, armature={"feed": 0.001})
    drill: 1 moving joints, nq 1, nv 1, 2 kg
    world = stand
      feed (helical, q[0]) -> spindle, 2 kg
    """

    name: str
    links: list[LinkDescription] = dataclasses.field(default_factory=list)
    joints: list[JointDescription] = dataclasses.field(default_factory=list)

    def add_link(
        self,
        name: str,
        mass: float = 0.0,
        com: ArrayLike = ORIGIN,
        inertia: ArrayLike | None = None,
        inertia_rotation: ArrayLike = ORIGIN,
    ) -> LinkDescription:
        """A new link at the end of `links`; help(LinkDescription) has the units."""
        self.links.append(LinkDescription(name, mass, com, inertia, inertia_rotation))
        return self.links[-1]

    def add_joint(
        self,
        name: str,
        kind: str,
        parent: str,
        child: str,
        position: ArrayLike = ORIGIN,
        rotation: ArrayLike = ORIGIN,
        axis: ArrayLike = (1.0, 0.0, 0.0),
        pitch: float = 0.0,
        limits: JointLimits | None = None,
        mimic: Mimic | None = None,
        armature: float = 0.0,
        damping: float = 0.0,
        friction: float = 0.0,
    ) -> JointDescription:
        """A new joint at the end of `joints`; help(JointDescription) has the units."""
        self.joints.append(
            JointDescription(
                name, kind, parent, child, position, rotation, axis, pitch, limits, mimic, armature, damping, friction
            )
        )
        return self.joints[-1]

    def __repr__(self) -> str:
        return f"RobotDescription({self.name!r}, {len(self.links)} links, {len(self.joints)} joints)"
