# SPDX-License-Identifier: Apache-2.0
"""Every operation of every backend against Pinocchio, on every URDF of example-robot-data and of this repository.

Fixed and floating base; mimic joints independent (Pinocchio's default) and honoured (its mimic=True); random states, all
of them in one batch; gravity parallel to no axis. Errors are relative to the largest entry of the reference, state by
state. test_float32.py does the same in single precision.
"""

import numpy
import pinocchio
import pytest

import rbd_parallel
from largest_errors import Errors
from pinocchio_cases import (
    EXAMPLES,
    FOLLOWERS_FIRST,
    FOLLOWING,
    GRAVITY,
    NO_MIMIC_TARGET,
    NOT_A_ROBOT,
    ROBOTS,
    SINGULAR,
    STATES,
    Case,
    all_cases,
    backend_for,
    load,
)
from pinocchio_reference import Reference, build, random_states

# Where the accelerations themselves are not known to 1e-9.
ACCELERATION_LIMITS = {
    # Almost massless links between the joints of its arms: cond(M) up to 1e8 within the class. One unit in the last
    # place of tau changes Pinocchio's own accelerations by 7e-10; the torque residual stays at 1e-15.
    "icub_description/robots/icub.urdf": 1e-8,
}

LIMIT = 1e-12  # inverse dynamics, mass matrix, and whatever else takes no division by M
FORWARD_LIMIT = 1e-9


def all_cases_and_backends():
    return [(*case, name) for case in all_cases() for name in rbd_parallel.backend_names()]


@pytest.fixture(scope="module", params=all_cases_and_backends(), ids=" ".join)
def case(request):
    return Case(*request.param)


def test_tables_name_robots_of_the_package():
    assert len(EXAMPLES) >= 69
    treated = {*NOT_A_ROBOT, *NO_MIMIC_TARGET, *FOLLOWERS_FIRST, *ACCELERATION_LIMITS}
    assert treated | {robot for robot, _ in SINGULAR} <= set(ROBOTS)
    assert set(FOLLOWERS_FIRST) <= set(FOLLOWING)


@pytest.mark.parametrize("robot", NOT_A_ROBOT)
def test_refused_by_both(robot):
    with pytest.raises(rbd_parallel.ModelError):
        load(robot)
    with pytest.raises(ValueError):
        build(ROBOTS[robot], "fixed", GRAVITY, mimic=False)


@pytest.mark.parametrize("robot", NO_MIMIC_TARGET)
def test_mimic_without_target_is_refused_by_both(robot):
    with pytest.raises(rbd_parallel.ModelError, match="mimics .*no joint has that name"):
        load(robot, mimic="honour")
    with pytest.raises(Exception, match="parent joint of the mimic joint"):
        build(ROBOTS[robot], "fixed", GRAVITY, mimic=True)


def test_joints_and_masses(case):
    theirs, ours = case.reference.joint_names, [joint.name for joint in case.model.joints]
    if case.base == "floating":  # named differently by each library
        theirs, ours = theirs[1:], ours[1:]
    assert ours == theirs
    assert [joint.parent for joint in case.model.joints] == [i - 1 for i in list(case.reference.pin.parents)[1:]]
    if case.mimic == "independent":
        assert case.model.nv == case.reference.pin.nv
    mass = sum(inertia.mass for inertia in case.reference.pin.inertias)
    assert case.model.total_mass == pytest.approx(mass, rel=1e-12)
    names = {frame.name for frame in case.reference.pin.frames if frame.type == pinocchio.FrameType.BODY}
    assert set(case.model.link_names) == names


def test_forces(case, errors):
    q, v, a, zero = case.q, case.v, case.a, numpy.zeros_like(case.v)
    tau = case.reference.forces(q, v, a)
    bias, gravity = case.reference.forces(q, v, zero), case.reference.forces(q, zero, zero)
    backend = case.backend
    errors.matching("inverse dynamics", backend.inverse_dynamics(q, v, a), tau, LIMIT, case.where)
    if case.model.nv == 0:
        return
    errors.matching("bias", backend.bias_forces(q, v), bias, LIMIT, case.where)
    errors.matching("gravity", backend.gravity_forces(q), gravity, LIMIT, case.where)
    # The Coriolis forces of a single joint are zero: their error is one of the sum that they are part of.
    scale = numpy.abs(bias).max(axis=1)
    errors.matching("coriolis", backend.coriolis_forces(q, v), bias - gravity, LIMIT, case.where, scale)
    errors.matching("left out or zero", backend.inverse_dynamics(q), backend.inverse_dynamics(q, zero, zero), LIMIT, case.where)
    if backend.name != "compiled":  # which has code of its own for each
        assert numpy.array_equal(backend.inverse_dynamics(q), backend.inverse_dynamics(q, zero, zero))


def test_external_wrenches(case, errors):
    links = case.links(4)
    rng = case.rng("wrenches")
    wrenches = {link: rng.normal(size=(STATES, 6)) * 10 for link in links}
    for axes in ("link", "world"):
        tau = case.reference.forces(case.q, case.v, case.a, wrenches, axes)
        ours = case.backend.inverse_dynamics(case.q, case.v, case.a, f_ext=wrenches, axes=axes)
        errors.matching(f"inverse dynamics, wrenches in {axes} axes", ours, tau, LIMIT, case.where)


def test_mass_matrix(case, errors):
    M = case.reference.mass_matrices(case.q)
    ours = case.backend.mass_matrix(case.q)
    errors.matching("mass matrix", ours, M, LIMIT, case.where)
    assert numpy.array_equal(ours, ours.transpose(0, 2, 1))


def good_states(case, backend, condition):
    """Where the last call did not call M singular. It may do so only for the robots of the table."""
    bad = backend.bad_states()
    for state, text in bad.items():
        joints = SINGULAR.get((case.robot, case.base), ())
        assert any(f"singular at joint '{joint}'" in text for joint in joints), f"{case.where}, state {state}: {text}"
        assert not condition[state] < 1e14
    return backend.status == 0


def check_forward(case, errors, operation, backend, qdd, expected, M, v, tau, wrenches=None):
    """By classes of cond(M): accelerations where M is good, the torque that they need where it is worse."""
    condition = numpy.linalg.cond(M)
    ok = good_states(case, backend, condition)
    assert numpy.isnan(qdd[~ok]).all()
    needed = case.reference.forces(case.q[ok], v[ok], qdd[ok], {link: f[ok] for link, f in (wrenches or {}).items()})
    residual = numpy.abs(needed - tau[ok]).max(axis=1) / numpy.abs(tau[ok]).max(axis=1)
    errors.check(f"{operation}, residual", residual, FORWARD_LIMIT, case.where)
    good = condition < 1e8
    difference = numpy.abs(qdd - expected)[good].max(axis=1) / numpy.abs(expected[good]).max(axis=1)
    limit = ACCELERATION_LIMITS.get(case.robot, FORWARD_LIMIT)
    errors.check(f"{operation}, cond < 1e8", difference, limit, case.where)


def solve_where_possible(M, b):
    x = numpy.full_like(b, numpy.nan)
    possible = numpy.linalg.cond(M) < 1e14
    x[possible] = numpy.linalg.solve(M[possible], b[possible][..., None])[..., 0]
    return x


def test_forward_dynamics(case, errors):
    if case.model.nv == 0:
        assert case.backend.forward_dynamics(case.q).shape == (STATES, 0)
        return
    q, v, reference, rng = case.q, case.v, case.reference, case.rng("torques")
    zero = numpy.zeros_like(v)
    M = reference.mass_matrices(q)
    # Half of the torques ask for accelerations of order one, the others would give these to each joint alone.
    tau = reference.forces(q, v, case.a).copy()
    diagonal = numpy.diagonal(M, axis1=1, axis2=2)
    tau[::2] = (reference.forces(q, v, zero) + diagonal * rng.normal(size=tau.shape))[::2]
    wrenches = {link: rng.normal(size=(STATES, 6)) for link in case.links(2)}
    backend = case.lenient
    for f_ext, suffix in ((None, ""), (wrenches, ", wrenches")):
        push = tau - reference.forces(q, v, zero, f_ext)
        if case.mimic == "honour":  # Pinocchio's aba refuses mimic joints
            with pytest.raises(RuntimeError, match="mimic"):
                backend.forward_dynamics(q, v, tau, method="aba", f_ext=f_ext)
            expected = solve_where_possible(M, push)
            methods = ("crba", "auto")
        else:
            # aba takes no wrenches on links here; by the equation of motion they are torques.
            expected = reference.accelerations(q, v, push + reference.forces(q, v, zero))
            methods = ("aba", "crba")
        for method in methods:
            qdd = backend.forward_dynamics(q, v, tau, method=method, f_ext=f_ext)
            operation = f"forward dynamics, {method}{suffix}"
            check_forward(case, errors, operation, backend, qdd, expected, M, v, tau, f_ext)


def test_cholesky_and_inverse(case, errors):
    if case.model.nv == 0:
        return
    backend = case.lenient
    M = case.reference.mass_matrices(case.q)
    condition = numpy.linalg.cond(M)
    L = backend.mass_matrix_cholesky(case.q)
    ok = good_states(case, backend, condition)
    errors.matching("cholesky, L^T L = M", (L.transpose(0, 2, 1) @ L)[ok], M[ok], LIMIT, case.where)
    assert (numpy.triu(L[ok], 1) == 0).all()
    inverse = backend.mass_matrix_inverse(case.q)
    assert numpy.array_equal(backend.status == 0, ok)
    assert numpy.isnan(L[~ok]).all() and numpy.isnan(inverse[~ok]).all()
    good = condition < 1e8
    errors.matching("inverse of M, cond < 1e8", inverse[good], numpy.linalg.inv(M[good]), FORWARD_LIMIT, case.where)
    assert numpy.array_equal(inverse[ok], inverse[ok].transpose(0, 2, 1))


def test_kinematics(case, errors):
    links = case.links(4)
    poses, world, local = case.reference.kinematics(case.q, links)
    ours = case.backend.link_poses(case.q, links)
    errors.matching("link positions", ours[..., :3], poses[..., :3], LIMIT, case.where)
    # q and -q are the same orientation.
    turned = ours[..., 3:] * numpy.sign(numpy.sum(ours[..., 3:] * poses[..., 3:], axis=-1, keepdims=True))
    errors.matching("link orientations", turned, poses[..., 3:], LIMIT, case.where)
    errors.matching("jacobian, world axes", case.backend.jacobian(case.q, links), world, LIMIT, case.where)
    errors.matching("jacobian, link axes", case.backend.jacobian(case.q, links, "link"), local, LIMIT, case.where)


def test_link_motion(case, errors):
    links = case.links(4)
    for axes in ("world", "link"):
        twist, acceleration, product = case.backend.link_motion(case.q, links, case.v, case.a, axes=axes)
        expected = case.reference.link_motion(case.q, case.v, case.a, links, axes)
        errors.matching(f"link twists, {axes} axes", twist, expected[0], LIMIT, case.where)
        errors.matching(f"link accelerations, {axes} axes", acceleration, expected[1], LIMIT, case.where)
        _, coasting = case.reference.link_motion(case.q, case.v, 0 * case.a, links, axes)
        errors.matching(f"velocity products, {axes} axes", product, coasting, LIMIT, case.where)
        J = case.backend.jacobian(case.q, links, axes)
        moved = numpy.einsum("bkij,bj->bki", J, case.a) + product
        errors.matching(f"J a + velocity product, {axes} axes", acceleration, moved, LIMIT, case.where)


def test_energies(case, errors):
    kinetic, potential, com, scale = case.reference.energies(case.q, case.v)
    ours = case.backend.energies(case.q, case.v)
    if case.model.nv > 0:
        errors.matching("kinetic energy", ours[0], kinetic, LIMIT, case.where)
    # What hangs above the origin cancels what hangs below: relative to the sum of magnitudes.
    errors.matching("potential energy", ours[1], potential, LIMIT, case.where, scale)
    errors.matching("centre of mass", case.backend.center_of_mass(case.q), com, LIMIT, case.where)


@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("robot", FOLLOWING)
def test_mimic_joints_of_pinocchio(robot, base, errors):
    """Honoured mimic joints against Pinocchio's own, not against its independent joints projected."""
    if robot in FOLLOWERS_FIRST:
        with pytest.raises(Exception, match="parent joint of the mimic joint"):
            build(ROBOTS[robot], base, GRAVITY, mimic=True)
        return
    case = Case(robot, base, "honour")
    reference = Reference(build(ROBOTS[robot], base, GRAVITY, mimic=True), case.model)
    assert reference.pin.nv == case.model.nv
    assert numpy.array_equal(reference.G, numpy.eye(case.model.nv))
    tau = reference.forces(case.q, case.v, case.a)
    ours = case.backend.inverse_dynamics(case.q, case.v, case.a)
    errors.matching("inverse dynamics, mimic=True", ours, tau, LIMIT, case.where)
    M = reference.mass_matrices(case.q)
    errors.matching("mass matrix, mimic=True", case.backend.mass_matrix(case.q), M, LIMIT, case.where)


@pytest.mark.parametrize(
    "robot, base, mimic",
    [
        ("ur_description/urdf/ur5_robot.urdf", "fixed", "independent"),
        ("talos_data/robots/talos_reduced.urdf", "floating", "independent"),
        ("pr2_description/urdf/pr2.urdf", "fixed", "honour"),
    ],
)
def test_armature_and_payload(robot, base, mimic, errors):
    plain = load(robot, base, mimic)
    rng = numpy.random.default_rng(7)
    names = [joint.name for joint in plain.joints if joint.kind != "floating"]
    armature = {name: rng.uniform(0.1, 1) for name in names}
    link = plain.link_names[-1]
    mass, com, half = 2.5, numpy.array([0.1, -0.2, 0.3]), rng.normal(size=(3, 3))
    inertia = half @ half.T + numpy.eye(3)  # a sum of point masses: obeys the triangle inequality as well
    inertia = numpy.trace(inertia) * numpy.eye(3) - inertia
    model = load(robot, base, mimic, armature=armature).with_payload(link, mass, com, inertia)
    assert model.total_mass == pytest.approx(plain.total_mass + mass)

    pin = build(ROBOTS[robot], base, GRAVITY, mimic=False)
    for name in names:
        pin.armature[pin.joints[pin.getJointId(name)].idx_v] = armature[name]
    frame = pin.frames[pin.getFrameId(link, pinocchio.FrameType.BODY)]
    pin.inertias[frame.parentJoint] += frame.placement.act(pinocchio.Inertia(mass, com, inertia))

    reference, backend = Reference(pin, model), backend_for(model)
    where = f"{robot} {base} {mimic}"
    q, v, a = random_states(model, STATES, 8)
    tau = reference.forces(q, v, a)
    M = reference.mass_matrices(q)
    # Pinocchio's computeKineticEnergy leaves out the armature of joints about axes that are not x, y or z.
    kinetic = numpy.einsum("bi,bij,bj->b", v, M, v) / 2
    errors.matching("inverse dynamics, armature and payload", backend.inverse_dynamics(q, v, a), tau, LIMIT, where)
    errors.matching("mass matrix, armature and payload", backend.mass_matrix(q), M, LIMIT, where)
    errors.matching("kinetic energy, armature and payload", backend.energies(q, v)[0], kinetic, LIMIT, where)
    for method in ("crba",) if mimic == "honour" else ("aba", "crba"):
        qdd = backend.forward_dynamics(q, v, tau, method=method)
        errors.matching(f"forward dynamics, armature and payload, {method}", qdd, a, FORWARD_LIMIT, where)


def flip_gravity(case):
    model = rbd_parallel.load_urdf(ROBOTS[case.robot], base=case.base, gravity=[-g for g in GRAVITY])
    return backend_for(model).inverse_dynamics(case.q, case.v, case.a)


def transpose_rotation(case):
    q = case.q.copy()
    q[:, 3:6] *= -1
    return case.backend.inverse_dynamics(q, case.v, case.a)


def ignore_velocity_products(case):
    return case.backend.inverse_dynamics(case.q, None, case.a)


def ignore_mimic(case):
    """The torque of the joint that is followed, without that of its followers."""
    model = load(case.robot, case.base)
    reference = Reference(case.reference.pin, case.model)
    v, a = case.v @ reference.G.T, case.a @ reference.G.T
    q = numpy.zeros((STATES, model.nq))
    for joint in case.model.joints:
        index = next(other.q_index for other in model.joints if other.name == joint.name)
        follower = joint.mimic
        mine = case.q[:, joint.q_index : joint.q_index + joint.nq]
        q[:, index : index + joint.nq] = follower.multiplier * mine + follower.offset if follower else mine
    tau = backend_for(model).inverse_dynamics(q, v, a)
    return tau[:, [joint.v_index for joint in model.joints if joint.name in case.model.joint_names]]


@pytest.mark.filterwarnings("ignore::rbd_parallel.ModelWarning")
@pytest.mark.parametrize(
    "offend, robot, base, mimic",
    [
        (flip_gravity, "ur_description/urdf/ur5_robot.urdf", "fixed", "independent"),
        (transpose_rotation, "go2_description/urdf/go2.urdf", "floating", "independent"),
        (ignore_velocity_products, "ur_description/urdf/ur5_robot.urdf", "fixed", "independent"),
        (ignore_mimic, "baxter_description/urdf/baxter.urdf", "fixed", "honour"),
    ],
)
def test_offenders_are_caught(offend, robot, base, mimic):
    case = Case(robot, base, mimic)
    with pytest.raises(AssertionError, match="expected an error <= 1e-12, got"):
        Errors().matching("offence", offend(case), case.reference.forces(case.q, case.v, case.a), LIMIT, case.where)


def test_a_bad_state_is_not_passed_over():
    """The positive control of Strict."""
    case = Case("config/robots/pendulum2.urdf", "floating", "independent", "cpu")
    with pytest.raises(AssertionError, match="forward_dynamics: .*singular at joint 'floating_base'"):
        case.backend.forward_dynamics(case.q, case.v, case.a)


PLANAR = """<robot name="planar">
  <link name="root"><inertial><origin xyz="0.2 0 0.1"/><mass value="5"/>
    <inertia ixx="0.3" ixy="0" ixz="0.01" iyy="0.4" iyz="0" izz="0.5"/></inertial></link>
  <link name="table"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/><mass value="3"/>
    <inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="0.03" izz="0.5"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0.3 0 0.1"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial></link>
  <link name="body"><inertial><origin xyz="0 0.2 0.1"/><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0.01" iyy="0.2" iyz="0" izz="0.2"/></inertial></link>
  <joint name="slide" type="planar"><parent link="root"/><child link="table"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><axis xyz="0 0 1"/></joint>
  <joint name="swing" type="continuous"><parent link="table"/><child link="arm"/>
    <origin xyz="0.5 0 0.1" rpy="0.1 0.2 0.3"/><axis xyz="0.48 0.64 0.6"/></joint>
  <joint name="fly" type="floating"><parent link="arm"/><child link="body"/>
    <origin xyz="0.1 0.3 0.1" rpy="0.7 0.2 0.3"/></joint>
</robot>"""


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_planar_and_floating_joints(base, errors):
    """Joint types that no robot of the package has. Pinocchio knows planar joints about z only."""
    model = rbd_parallel.load_urdf(PLANAR, base=base, gravity=GRAVITY)
    root = [pinocchio.JointModelFreeFlyer()] if base == "floating" else []
    pin = pinocchio.buildModelFromXML(PLANAR, *root)
    pin.gravity.linear = numpy.array(GRAVITY)
    reference, backend = Reference(pin, model), backend_for(model)
    q, v, a = random_states(model, STATES, 9)
    tau, where = reference.forces(q, v, a), f"planar and floating joints, {base} base"
    errors.matching("inverse dynamics", backend.inverse_dynamics(q, v, a), tau, LIMIT, where)
    errors.matching("mass matrix", backend.mass_matrix(q), reference.mass_matrices(q), LIMIT, where)
    poses, world, _ = reference.kinematics(q, model.link_names)
    errors.matching("link positions", backend.link_poses(q, model.link_names)[..., :3], poses[..., :3], LIMIT, where)
    errors.matching("jacobian, world axes", backend.jacobian(q, model.link_names), world, LIMIT, where)
    for method in ("aba", "crba"):
        qdd = backend.forward_dynamics(q, v, tau, method=method)
        errors.matching(f"forward dynamics, {method}, cond < 1e8", qdd, a, FORWARD_LIMIT, where)


@pytest.mark.parametrize("scale", [1, 0.1, 1e-2, 1e-3, 1e-4, 0])
def test_the_torque_residual_grows_with_the_condition_number(scale):
    """iCub on its way to neutral, where M is singular to all digits: docs/algorithms.md shows these numbers."""
    robot = "icub_description/robots/icub.urdf"
    model = load(robot)
    reference = Reference(build(ROBOTS[robot], "fixed", GRAVITY, mimic=False), model)
    backend = backend_for(model, "cpu")
    rng = numpy.random.default_rng(1)
    q = (model.neutral() + scale * rng.uniform(-1, 1, model.nv))[None]
    v, tau = rng.normal(size=(2, 1, model.nv))
    condition = numpy.linalg.cond(backend.mass_matrix(q)[0])

    def residual(a):
        return numpy.abs(reference.forces(q, v, a) - tau).max() / numpy.abs(tau).max()

    ours = [residual(backend.forward_dynamics(q, v, tau, method=method)) for method in ("aba", "crba")]
    assert max(ours) <= numpy.finfo(float).eps * condition
    if scale == 0:
        assert condition > 1e16 and min(*ours, residual(reference.accelerations(q, v, tau))) > 1e-9
