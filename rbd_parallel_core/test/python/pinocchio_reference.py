# SPDX-License-Identifier: Apache-2.0
"""Pinocchio as a reference that speaks our conventions: batches of our q, v, a, tau in, our results out.

Its coordinates differ from ours in two ways: a continuous joint is (cos, sin) and a planar one (x, y, cos, sin); and
where a mimic joint has coordinates of its own there, v_pinocchio = G v with a constant G, so that tau = G^T
tau_pinocchio and M = G^T M_pinocchio G. With Pinocchio's own mimic joints, or without any, G is the identity.
"""

import functools
import pickle

import numpy
import pinocchio


def random_states(model, count, seed):
    """Random q (angles all around, any orientation), v and a of order one."""
    rng = numpy.random.default_rng(seed)
    q = numpy.tile(model.neutral(), (count, 1))
    for joint in model.joints:
        if joint.mimic:
            continue
        part = slice(joint.q_index, joint.q_index + joint.nq)
        if joint.kind in ("revolute", "continuous", "helical"):
            q[:, part] = rng.uniform(-numpy.pi, numpy.pi, (count, joint.nq))
        elif joint.kind in ("prismatic", "planar"):
            q[:, part] = rng.uniform(-1, 1, (count, joint.nq))
        else:
            q[:, part] = rng.normal(size=(count, joint.nq))
            quaternion = q[:, part][:, -4:]
            quaternion /= numpy.linalg.norm(quaternion, axis=1, keepdims=True)
    return q, rng.normal(size=(count, model.nv)), rng.normal(size=(count, model.nv))


def build(path, base, gravity, mimic):
    arguments = [str(path)] + ([pinocchio.JointModelFreeFlyer()] if base == "floating" else [])
    model = pinocchio.buildModelFromUrdf(*arguments, mimic=mimic)
    model.gravity.linear = numpy.asarray(gravity)
    return model


def remembered(compute):
    """For methods of Reference: the same arguments are computed once. Backends are compared one after the other with the same
    numbers, and Pinocchio is called from Python state by state. What is returned cannot be written to."""

    @functools.wraps(compute)
    def recall(self, *arguments):
        key = pickle.dumps((compute.__name__, arguments))
        if key not in self.known:
            self.known[key] = compute(self, *arguments)
            for array in self.known[key] if isinstance(self.known[key], tuple) else [self.known[key]]:
                array.flags.writeable = False
        return self.known[key]

    return recall


class Reference:
    """`pin`: a Pinocchio model of the robot of `model`, which is ours."""

    def __init__(self, pin, model):
        self.pin, self.data, self.model, self.known = pin, pin.createData(), model, {}
        # Only the joint of a floating base has a name of its own in either library; it comes first in both.
        self.ids = [
            pin.getJointId(joint.name) if pin.existJointName(joint.name) else 1 for joint in model.joints
        ]
        self.G = numpy.zeros((pin.nv, model.nv))
        for joint, index in zip(model.joints, self.ids):
            theirs = pin.joints[index]
            factor = joint.mimic.multiplier if joint.mimic else 1.0
            for k in range(theirs.nv):
                self.G[theirs.idx_v + k, joint.v_index + k] = factor

    @property
    def joint_names(self):
        return list(self.pin.names)[1:]

    def configurations(self, q):
        result = numpy.zeros((len(q), self.pin.nq))
        for joint, index in zip(self.model.joints, self.ids):
            theirs = self.pin.joints[index]
            if theirs.nq == 0:  # a mimic joint of Pinocchio's own
                continue
            mine = q[:, joint.q_index : joint.q_index + joint.nq]
            if joint.mimic:
                mine = joint.mimic.multiplier * mine + joint.mimic.offset
            if theirs.nq == joint.nq + 1:  # the last coordinate is an angle
                mine = numpy.hstack([mine[:, :-1], numpy.cos(mine[:, -1:]), numpy.sin(mine[:, -1:])])
            result[:, theirs.idx_q : theirs.idx_q + theirs.nq] = mine
        return result

    def frame(self, link):
        return self.pin.getFrameId(link, pinocchio.FrameType.BODY)

    @remembered
    def forces(self, q, v, a, wrenches=None, axes="link"):
        """tau = M a + C v + g - J^T f. wrenches: {link: (batch, 6)}"""
        result = []
        for i, (qi, vi, ai) in enumerate(zip(self.configurations(q), v @ self.G.T, a @ self.G.T)):
            if wrenches:
                external = self.external(qi, {link: f[i] for link, f in wrenches.items()}, axes)
                result.append(pinocchio.rnea(self.pin, self.data, qi, vi, ai, external))
            else:
                result.append(pinocchio.rnea(self.pin, self.data, qi, vi, ai))
        return numpy.reshape(result, (len(q), self.pin.nv)) @ self.G

    def external(self, q, wrenches, axes):
        forces = pinocchio.StdVec_Force()
        for _ in range(self.pin.njoints):
            forces.append(pinocchio.Force.Zero())
        pinocchio.framesForwardKinematics(self.pin, self.data, q)
        for link, wrench in wrenches.items():
            index = self.frame(link)
            frame = self.pin.frames[index]
            if axes == "world":
                turn = self.data.oMf[index].rotation.T
                wrench = numpy.concatenate([turn @ wrench[:3], turn @ wrench[3:]])
            forces[frame.parentJoint] += frame.placement.act(pinocchio.Force(wrench))
        return forces

    @remembered
    def mass_matrices(self, q):
        result = []
        for qi in self.configurations(q):
            upper = numpy.triu(pinocchio.crba(self.pin, self.data, qi))
            result.append(self.G.T @ (upper + numpy.triu(upper, 1).T) @ self.G)
        return numpy.reshape(result, (len(q), self.model.nv, self.model.nv))

    @remembered
    def accelerations(self, q, v, tau):
        """By articulated bodies; only where G is the identity."""
        result = [pinocchio.aba(self.pin, self.data, *state) for state in zip(self.configurations(q), v, tau)]
        return numpy.reshape(result, (len(q), self.pin.nv))

    @remembered
    def kinematics(self, q, links):
        """Poses (batch, k, 7), Jacobians along world and link axes (batch, k, 6, nv)."""
        poses, world, local = [], [], []
        for qi in self.configurations(q):
            pinocchio.computeJointJacobians(self.pin, self.data, qi)
            pinocchio.updateFramePlacements(self.pin, self.data)
            for link in links:
                index = self.frame(link)
                poses.append(pinocchio.SE3ToXYZQUAT(self.data.oMf[index]))
                if self.pin.nv == 0:  # Pinocchio crashes on a Jacobian without columns
                    continue
                for into, axes in ((world, pinocchio.LOCAL_WORLD_ALIGNED), (local, pinocchio.LOCAL)):
                    into.append(pinocchio.getFrameJacobian(self.pin, self.data, index, axes) @ self.G)
        shape = (len(q), len(links))
        nv = self.model.nv
        return (
            numpy.reshape(poses, (*shape, 7)),
            numpy.reshape(world, (*shape, 6, nv)),
            numpy.reshape(local, (*shape, 6, nv)),
        )

    @remembered
    def link_motion(self, q, v, a, links, axes):
        """Twists and classical accelerations of links, without gravity: two arrays (batch, k, 6)."""
        frame = pinocchio.LOCAL_WORLD_ALIGNED if axes == "world" else pinocchio.LOCAL
        twists, accelerations = [], []
        for state in zip(self.configurations(q), v @ self.G.T, a @ self.G.T):
            pinocchio.forwardKinematics(self.pin, self.data, *state)
            pinocchio.updateFramePlacements(self.pin, self.data)
            for link in links:
                arguments = (self.pin, self.data, self.frame(link), frame)
                twists.append(pinocchio.getFrameVelocity(*arguments).vector)
                accelerations.append(pinocchio.getFrameClassicalAcceleration(*arguments).vector)
        shape = (len(q), len(links), 6)
        return numpy.reshape(twists, shape), numpy.reshape(accelerations, shape)

    @remembered
    def energies(self, q, v):
        """Kinetic and potential energy (batch,), centre of mass (batch, 3), and the scale of the potential (batch,).

        Pinocchio leaves what is fixed to the world out of its potential energy and centre of mass; we count it in.
        """
        gravity = self.pin.gravity.linear
        kinetic, potential, com, scale = [], [], [], []
        for qi, vi in zip(self.configurations(q), v @ self.G.T):
            kinetic.append(pinocchio.computeKineticEnergy(self.pin, self.data, qi, vi))
            base = self.pin.inertias[0]
            moving = pinocchio.computePotentialEnergy(self.pin, self.data, qi)
            potential.append(moving - base.mass * gravity @ base.lever)
            moments = [i.mass * place.act(i.lever) for i, place in zip(self.pin.inertias, self.data.oMi)]
            com.append(sum(moments) / sum(i.mass for i in self.pin.inertias))
            scale.append(sum(abs(gravity @ moment) for moment in moments))
        return tuple(map(numpy.array, (kinetic, potential, com, scale)))

    def project(self, matrix):
        """A matrix of nv x nv in our coordinates."""
        return self.G.T @ matrix @ self.G

    @remembered
    def inverse_derivatives(self, q, v, a, wrenches=None):
        """d tau / d q and d tau / d v (batch, nv, nv). wrenches: {link: (batch, 6)}, along the axes of the link."""
        by_q, by_v = [], []
        for i, state in enumerate(zip(self.configurations(q), v @ self.G.T, a @ self.G.T)):
            arguments = [self.pin, self.data, *state]
            if wrenches:
                arguments.append(self.external(state[0], {link: f[i] for link, f in wrenches.items()}, "link"))
            dq, dv, _ = pinocchio.computeRNEADerivatives(*arguments)
            by_q.append(self.project(dq))
            by_v.append(self.project(dv))
        shape = (len(q), self.model.nv, self.model.nv)
        return numpy.reshape(by_q, shape), numpy.reshape(by_v, shape)

    @remembered
    def coriolis_matrices(self, q, v):
        result = [
            self.project(pinocchio.computeCoriolisMatrix(self.pin, self.data, *state))
            for state in zip(self.configurations(q), v @ self.G.T)
        ]
        return numpy.reshape(result, (len(q), self.model.nv, self.model.nv))

    @remembered
    def centroidal(self, q, v):
        """Centroidal momentum matrices and their rates (batch, 6, nv).

        Pinocchio leaves what is fixed to the world out of its centre of mass. Momentum has no other part there, so that the
        matrices about the centre of all are its own about another point: from it Pinocchio's centre is seen at `arm`.
        """
        fixed = self.pin.inertias[0]
        moving = sum(inertia.mass for inertia in self.pin.inertias.tolist()[1:])
        share = fixed.mass / (fixed.mass + moving)
        A, rate = [], []
        for state in zip(self.configurations(q), v @ self.G.T):
            pinocchio.dccrba(self.pin, self.data, *state)
            Ag, dAg = self.data.Ag.copy(), self.data.dAg.copy()
            center = pinocchio.centerOfMass(self.pin, self.data, state[0]).copy()
            arm = share * (center - fixed.lever)
            arm_rate = share * (Ag[:3] @ state[1]) / moving
            dAg[3:] += numpy.cross(arm, dAg[:3], axisb=0, axisc=0) + numpy.cross(arm_rate, Ag[:3], axisb=0, axisc=0)
            Ag[3:] += numpy.cross(arm, Ag[:3], axisb=0, axisc=0)
            A.append(Ag @ self.G)
            rate.append(dAg @ self.G)
        shape = (len(q), 6, self.model.nv)
        return numpy.reshape(A, shape), numpy.reshape(rate, shape)

    @remembered
    def regressors(self, q, v, a):
        """(batch, nv, 10 bodies)"""
        result = [
            self.G.T @ pinocchio.computeJointTorqueRegressor(self.pin, self.data, *state)
            for state in zip(self.configurations(q), v @ self.G.T, a @ self.G.T)
        ]
        return numpy.reshape(result, (len(q), self.model.nv, -1))

    @remembered
    def jacobian_rates(self, q, v, links):
        """dJ/dt along the axes of the world (batch, k, 6, nv)."""
        result = []
        for state in zip(self.configurations(q), v @ self.G.T):
            pinocchio.computeJointJacobiansTimeVariation(self.pin, self.data, *state)
            pinocchio.updateFramePlacements(self.pin, self.data)
            for link in links:
                rate = pinocchio.getFrameJacobianTimeVariation(
                    self.pin, self.data, self.frame(link), pinocchio.LOCAL_WORLD_ALIGNED
                )
                result.append(rate @ self.G)
        return numpy.reshape(result, (len(q), len(links), 6, self.model.nv))
