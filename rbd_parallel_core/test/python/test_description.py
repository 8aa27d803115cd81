# SPDX-License-Identifier: Apache-2.0
"""Robots that are built in Python: against the same robot from URDF and from Pinocchio, and what is refused."""

import copy
import dataclasses
import doctest
import pickle
import pydoc
import re

import numpy
import pinocchio
import pytest

import rbd_parallel
from pinocchio_reference import Reference, random_states
from robots import own_robots

GRAVITY = (1.3, -4.1, -8.6)  # parallel to no axis
STATES = 20
KINDS = ("revolute", "continuous", "prismatic", "helical", "planar", "spherical", "floating")


def random_inertia(rng):
    """xx xy xz yy yz zz of a body that exists: principal moments are sums of two of three positive numbers."""
    x, y, z = rng.uniform(0.01, 0.1, 3)
    return [y + z, 0, 0, x + z, 0, x + y]


def random_robot(parents, kinds, seed):
    """Link k + 1 hangs on link parents[k] by a joint of kinds[k]; every number is random."""
    rng = numpy.random.default_rng(seed)
    robot = rbd_parallel.RobotDescription("random")
    for k in range(len(kinds) + 1):
        robot.add_link(
            f"link_{k}", rng.uniform(0.5, 2), rng.uniform(-0.2, 0.2, 3), random_inertia(rng), rng.uniform(-1.5, 1.5, 3)
        )
    for k, (parent, kind) in enumerate(zip(parents, kinds)):
        robot.add_joint(
            f"joint_{k:02}",
            kind,
            f"link_{parent}",
            f"link_{k + 1}",
            position=rng.uniform(-0.5, 0.5, 3),
            rotation=rng.uniform(-1.5, 1.5, 3),
            axis=(0, 0, 2) if kind == "planar" else rng.normal(size=3),
            pitch=0.2 if kind == "helical" else 0,
            armature=rng.uniform(0, 0.3),
        )
    return robot


def every_kind(seed=1):
    """A branching robot with all kinds of joints, fixed ones among them, moving and on the root."""
    kinds = ("fixed", *KINDS, "fixed", "helical", "spherical", "revolute")
    return random_robot((0, 1, 2, 3, 4, 3, 6, 7, 8, 9, 10, 2), kinds, seed)


def pinocchio_joint(joint):
    axis = joint.axis
    return {
        "revolute": lambda: pinocchio.JointModelRevoluteUnaligned(axis),
        "continuous": lambda: pinocchio.JointModelRevoluteUnaligned(axis),
        "prismatic": lambda: pinocchio.JointModelPrismaticUnaligned(axis),
        "helical": lambda: pinocchio.JointModelHelicalUnaligned(axis, joint.pitch),
        "planar": pinocchio.JointModelPlanar,
        "spherical": pinocchio.JointModelSpherical,
        "floating": pinocchio.JointModelFreeFlyer,
    }[joint.kind]()


def placement(part):
    return pinocchio.SE3(part.rotation, part.position)


def pinocchio_model(model):
    """Made from nothing but what our Model tells of its joints and links."""
    pin = pinocchio.Model()
    pin.gravity.linear = model.gravity
    links = {link.name: link for link in model.links}
    for joint in model.joints:
        on_joint = placement(links[joint.parent_link]) * placement(joint) if joint.parent_link in links else placement(joint)
        pin.addJoint(joint.parent + 1, pinocchio_joint(joint), on_joint, joint.name)
        pin.armature[pin.joints[-1].idx_v :] = joint.armature
    for link in model.links:
        inertia = pinocchio.Inertia(link.mass, link.com, link.inertia)
        pin.appendBodyToJoint(link.joint + 1, inertia, placement(link))
        pin.addFrame(pinocchio.Frame(link.name, link.joint + 1, placement(link), pinocchio.FrameType.BODY))
    return pin


def assert_close(actual, expected, tolerance=1e-12):
    assert numpy.abs(actual - expected).max() <= tolerance * numpy.abs(expected).max()


# ---- numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("seed", range(5))
def test_every_kind_of_joint_against_pinocchio(seed, base):
    model = rbd_parallel.build_model(every_kind(seed), base=base, gravity=GRAVITY)
    assert {joint.kind for joint in model.joints} == set(KINDS)
    reference = Reference(pinocchio_model(model), model)
    backend = rbd_parallel.Backend(model, max_batch=STATES)
    q, v, a = random_states(model, STATES, seed)
    assert_close(backend.inverse_dynamics(q, v, a), reference.forces(q, v, a))
    assert_close(backend.mass_matrix(q), reference.mass_matrices(q))
    tau = reference.forces(q, v, a)
    assert_close(backend.forward_dynamics(q, v, tau), reference.accelerations(q, v, tau), 1e-9)
    names = model.link_names
    poses, jacobians, _ = reference.kinematics(q, names)
    signs = numpy.sign(poses[..., 6:])  # w >= 0 here
    assert_close(backend.link_poses(q, names), poses * numpy.concatenate([numpy.ones((*poses.shape[:2], 3)), signs.repeat(4, -1)], -1))
    assert_close(backend.jacobian(q, names), jacobians)


@pytest.mark.parametrize("path", own_robots().values(), ids=own_robots())
@pytest.mark.filterwarnings("ignore::rbd_parallel.ModelWarning")
def test_a_loaded_robot_built_again_from_what_it_tells(path):
    """Fixed joints are told as the places of their links."""
    loaded = rbd_parallel.load_urdf(path)
    links = {link.name: link for link in loaded.links}
    robot = rbd_parallel.RobotDescription(loaded.name)
    root = robot.add_link("the world itself")
    for link in loaded.links:
        robot.add_link(link.name, link.mass, link.com, link.inertia)
    moved = {joint.child_link for joint in loaded.joints}
    for link in loaded.links:
        if link.name not in moved:
            carrier = loaded.joints[link.joint].child_link if link.joint >= 0 else root.name
            robot.add_joint(f"fixed {link.name}", "fixed", carrier, link.name, link.position, link.rotation)
    for joint in loaded.joints:
        robot.add_joint(
            joint.name,
            joint.kind,
            joint.parent_link,
            joint.child_link,
            joint.position,
            joint.rotation,
            axis=(1, 0, 0) if joint.axis is None else joint.axis,
            limits=joint.limits,
            mimic=joint.mimic,
            damping=joint.damping,
            friction=joint.friction,
        )
    built = rbd_parallel.build_model(robot)
    assert set(links) < {link.name for link in built.links}
    q, v, a = random_states(loaded, STATES, 1)
    columns = [loaded.joint_names.index(name) for name in built.joint_names]
    assert loaded.nq == loaded.nv == built.nq  # so that columns of q are joints
    ours, theirs = (rbd_parallel.Backend(model, max_batch=STATES, friction=True) for model in (built, loaded))
    assert_close(
        ours.inverse_dynamics(q[:, columns], v[:, columns], a[:, columns]), theirs.inverse_dynamics(q, v, a)[:, columns]
    )
    assert repr(built.joints[0].limits) == repr(loaded.joints[loaded.joint_names.index(built.joints[0].name)].limits)


def two_links():
    robot = rbd_parallel.RobotDescription("two")
    robot.add_link("base")
    robot.add_link("upper", mass=2, com=(0.3, 0, 0.1), inertia=[0.1, 0, 0, 0.2, 0, 0.2])
    robot.add_link("lower", mass=1, com=(0, 0.2, 0.1), inertia=numpy.diag([0.1, 0.2, 0.2]))
    limits = rbd_parallel.JointLimits(-1, 2, effort=30, velocity=4)
    robot.add_joint("shoulder", "revolute", "base", "upper", axis=(0, 1, 0), limits=limits, damping=0.5, friction=0.25)
    robot.add_joint("elbow", "prismatic", "upper", "lower", position=(0.5, 0, 0), rotation=(0.1, -0.2, 0.3))
    return robot


URDF = """<robot name="two">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.3 0 0.1"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0.2 0.1"/><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.25"/></joint>
  <joint name="elbow" type="prismatic"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.5 0 0" rpy="0.1 -0.2 0.3"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_the_same_robot_from_urdf(base):
    options = {"base": base, "gravity": GRAVITY, "armature": {"elbow": 0.4}}
    built = rbd_parallel.build_model(two_links(), **options)
    loaded = rbd_parallel.load_urdf(URDF, **options)
    assert repr(built) == repr(loaded)
    states = random_states(built, STATES, 3)
    for friction in (False, True):
        ours, theirs = (rbd_parallel.Backend(model, max_batch=STATES, friction=friction) for model in (built, loaded))
        assert_close(ours.inverse_dynamics(*states), theirs.inverse_dynamics(*states), 1e-14)


def test_mimic():
    robot = two_links()
    robot.joints[1].mimic = rbd_parallel.Mimic("shoulder", multiplier=2, offset=0.5)
    model = rbd_parallel.build_model(robot)
    assert model.nq == 1
    free = rbd_parallel.Backend(rbd_parallel.build_model(robot, mimic="independent"))
    along = numpy.array([1.0, 2.0])
    assert rbd_parallel.Backend(model).gravity_forces([0.3])[0] == pytest.approx(
        along @ free.gravity_forces([0.3, 2 * 0.3 + 0.5]), rel=1e-14
    )


def test_rotations_are_angles_or_matrices():
    robot = two_links()
    by_angles = rbd_parallel.Backend(rbd_parallel.build_model(robot))
    robot.joints[1].rotation = rbd_parallel.build_model(robot).joints[1].rotation
    assert robot.joints[1].rotation.shape == (3, 3)
    by_matrix = rbd_parallel.Backend(rbd_parallel.build_model(robot))
    assert numpy.array_equal(by_angles.mass_matrix([0.1, 0.2]), by_matrix.mass_matrix([0.1, 0.2]))
    robot.links[1].inertia_rotation = (0, 0, numpy.pi / 2)  # swaps the moments about x and y
    turned = rbd_parallel.build_model(robot).links[1]
    assert numpy.diag(turned.inertia) == pytest.approx([0.2, 0.1, 0.2], rel=1e-15)


# ---- what a Model tells ----------------------------------------------------------------------------------------------


def test_joints_and_links_tell_what_they_are_made_of():
    model = rbd_parallel.build_model(two_links(), armature={"elbow": 0.4})
    shoulder, elbow = model.joints
    assert shoulder.axis.tolist() == [0, 1, 0] and elbow.axis.tolist() == [1, 0, 0]
    assert elbow.position.tolist() == [0.5, 0, 0]
    assert (shoulder.damping, shoulder.friction, shoulder.armature, elbow.armature) == (0.5, 0.25, 0, 0.4)
    assert numpy.allclose(elbow.rotation @ elbow.rotation.T, numpy.eye(3), atol=1e-15)
    base, upper, lower = model.links
    assert [link.name for link in model.links] == model.link_names
    assert (base.joint, upper.joint, lower.joint) == (-1, 0, 1)
    assert (upper.mass, upper.com.tolist()) == (2, [0.3, 0, 0.1])
    assert numpy.array_equal(lower.inertia, numpy.diag([0.1, 0.2, 0.2]))
    assert numpy.array_equal(lower.rotation, numpy.eye(3)) and lower.position.tolist() == [0, 0, 0]
    loaded = model.with_payload("lower", 1, (0, 0.4, 0.1)).links[2]
    assert (loaded.mass, loaded.com.tolist()) == (2, pytest.approx([0, 0.3, 0.1]))
    assert numpy.diag(loaded.inertia) == pytest.approx([0.1 + 0.02, 0.2, 0.2 + 0.02])


def test_odd_limits_are_a_warning():
    robot = two_links()
    robot.joints[0].limits = rbd_parallel.JointLimits(2, -1, velocity=-3)
    with pytest.warns(rbd_parallel.ModelWarning, match="joint 'shoulder': limit lower is above limit upper"):
        model = rbd_parallel.build_model(robot)
    assert "joint 'shoulder': limit velocity is negative" in model.warnings


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_values_can_be_copied(duplicate):
    for value in (rbd_parallel.JointLimits(-1, 2, effort=30), rbd_parallel.Mimic("elbow", 2, 0.5)):
        other = duplicate(value)
        assert other is not value and repr(other) == repr(value)


def test_what_never_changes_is_its_own_copy():
    model = rbd_parallel.build_model(two_links())
    for value in (model, model.joints[0], model.links[0]):
        assert copy.copy(value) is value and copy.deepcopy(value) is value


def test_a_robot_can_be_copied():
    robot = two_links()
    other = copy.deepcopy(robot)
    assert repr(other.joints) == repr(robot.joints)
    other.joints[0].limits = rbd_parallel.JointLimits(-9, 9)
    assert rbd_parallel.build_model(robot).joints[0].limits.lower == -1
    assert rbd_parallel.build_model(other).joints[0].limits.lower == -9


UNITLESS = {"name", "kind", "parent", "child", "links", "joints", "axis"}


@pytest.mark.parametrize("name", ["RobotDescription", "LinkDescription", "JointDescription"])
def test_help_has_the_unit_of_every_field(name):
    cls = getattr(rbd_parallel, name)
    text = pydoc.plain(pydoc.render_doc(cls))
    for field in dataclasses.fields(cls):
        line = re.search(rf"^[ |]*{field.name}: (.*)$", text, re.MULTILINE)
        assert line, f"{field.name} is not described"
        has_unit = re.search(r"\b(kg|m|rad|N)\b", line.group(1)) is not None
        assert has_unit == (field.name not in UNITLESS), line.group(0)


@pytest.mark.parametrize("name", ["JointLimits", "Mimic"])
def test_help_has_every_part_of_a_joint(name):
    cls = getattr(rbd_parallel, name)
    for key, value in vars(cls).items():
        if isinstance(value, property):
            assert value.__doc__ and re.search(rf"\b{key}\b", cls.__doc__), key


def test_reprs():
    model = rbd_parallel.build_model(two_links())
    limits = model.joints[0].limits
    assert repr(limits) == "JointLimits(lower=-1.0, upper=2.0, effort=30.0, velocity=4.0)"
    assert repr(rbd_parallel.Mimic("elbow", 2)) == "Mimic('elbow', multiplier=2.0, offset=0.0)"
    assert repr(model.links[0]) == "Link('base', 0.0 kg, fixed to the world)"
    assert repr(model.links[2]) == "Link('lower', 1.0 kg, carried by joints[1])"
    assert repr(two_links()) == "RobotDescription('two', 3 links, 2 joints)"
    assert repr(two_links().joints[0]).startswith("JointDescription(name='shoulder', kind='revolute', parent='base'")
    inf = float("inf")
    assert repr(eval(repr(rbd_parallel.JointLimits(lower=-2)), vars(rbd_parallel), {"inf": inf})) == (
        "JointLimits(lower=-2.0, upper=inf, effort=inf, velocity=inf)"
    )
    for name in rbd_parallel.__all__:
        thing = getattr(rbd_parallel, name)
        if isinstance(thing, type) and not issubclass(thing, Exception):
            assert thing.__repr__ is not object.__repr__, f"{name} has no repr of its own"


def test_descriptions_can_be_copied_and_changed():
    robot = two_links()
    other = copy.copy(robot)
    other.links = [*robot.links, rbd_parallel.LinkDescription("tool", mass=0.5)]
    other.joints = [*robot.joints, rbd_parallel.JointDescription("flange", "fixed", "lower", "tool")]
    assert rbd_parallel.build_model(other).total_mass == rbd_parallel.build_model(robot).total_mass + 0.5
    with pytest.raises(AttributeError):
        robot.joints[0].armatur = 3  # a typo is not kept for nothing
    with pytest.raises(AttributeError):
        rbd_parallel.build_model(robot).joints[0].limits.lower = 3  # a Model does not change


# ---- what is refused -------------------------------------------------------------------------------------------------


def test_all_faults_are_reported():
    robot = two_links()
    robot.links[1].mass = "heavy"
    robot.links[2].inertia = [1, 2]
    robot.joints[0].axis = (0, 1)
    robot.joints[0].limits = (-1, 2)
    robot.joints[1].kind = "elbow"
    robot.joints[1].parent = 3
    robot.joints[1].rotation = numpy.eye(4)
    robot.joints.append("wrist")
    with pytest.raises(rbd_parallel.ModelError) as caught:
        rbd_parallel.build_model(robot)
    assert caught.value.faults == [
        "link 'upper': mass: expected a number, got a str",
        "link 'lower': inertia: expected shape (3, 3), or (6,) with xx xy xz yy yz zz, got (2,)",
        "joint 'shoulder': axis: expected 3 numbers, got shape (2,)",
        "joint 'shoulder': limits: expected a JointLimits or None, got a tuple",
        "joint 'elbow': kind: expected \"fixed\", \"revolute\", \"continuous\", \"prismatic\", \"helical\", \"planar\", "
        '"spherical" or "floating", got "elbow"',
        "joint 'elbow': parent: expected a str, got a int",
        "joint 'elbow': rotation: expected shape (3,) with roll, pitch, yaw, or a matrix (3, 3), got (4, 4)",
        "joints[2]: expected a JointDescription, got a str",
    ]
    assert str(caught.value) == "\n".join(caught.value.faults)
    assert pickle.loads(pickle.dumps(caught.value)).faults == caught.value.faults


@pytest.mark.parametrize(
    "spoil, message",
    [
        (lambda robot: robot.links.clear(), "robot: has no <link>"),
        (lambda robot: robot.joints.pop(), "robot: has 2 root links .*, expected one: 'base', 'lower'"),
        (lambda robot: robot.add_link("base"), "link 'base': the name is taken already"),
        (lambda robot: setattr(robot.joints[0], "name", ""), "joint number 0 has no name"),
        (lambda robot: setattr(robot.joints[0], "name", 3), "joint number 0: name: expected a str, got a int"),
        (lambda robot: setattr(robot.joints[0], "axis", (0, 0, 0)), "joint 'shoulder': axis is .0 0 0., expected a finite"),
        (lambda robot: setattr(robot.joints[0], "armature", -1), "joint 'shoulder': armature is -1"),
        (lambda robot: setattr(robot.joints[0], "pitch", float("nan")), "joint 'shoulder': pitch is not finite"),
        (lambda robot: setattr(robot.joints[0], "rotation", numpy.eye(3) * 2), "'shoulder': origin.rotation is not a"),
        (lambda robot: setattr(robot.joints[0], "axis", "xyz"), "joint 'shoulder': axis: expected an array of float64"),
        (lambda robot: setattr(robot.joints[0], "limits", rbd_parallel.JointLimits(float("nan"))), "limits have a number"),
        (lambda robot: setattr(robot.joints[0], "mimic", rbd_parallel.Mimic("wrist")), "joint 'shoulder': mimics 'wrist', no joint has that name"),
        (lambda robot: setattr(robot, "name", None), "name: expected a str, got a NoneType"),
    ],
)
def test_faults(spoil, message):
    robot = two_links()
    spoil(robot)
    with pytest.raises(rbd_parallel.ModelError, match=message):
        rbd_parallel.build_model(robot)


def test_odd_robots_warn():
    robot = two_links()
    robot.links[1].inertia = [-0.1, 0, 0, 0.2, 0, 0.2]
    robot.joints[0].pitch = 0.1
    with pytest.warns(rbd_parallel.ModelWarning, match="(?s)'shoulder': is revolute, its pitch means nothing.*'upper'") as caught:
        model = rbd_parallel.build_model(robot)
    assert len(model.warnings) == 2 and caught[0].filename == __file__
    with pytest.raises(rbd_parallel.ModelError, match="'upper'"):
        rbd_parallel.build_model(robot, inertia_policy="error")


def test_the_example():
    outcome = doctest.testmod(rbd_parallel.description)
    assert outcome.attempted > 5 and outcome.failed == 0


def test_something_else_is_no_description():
    with pytest.raises(TypeError, match="robot: expected a RobotDescription, got a str; load_urdf"):
        rbd_parallel.build_model("robot.urdf")
