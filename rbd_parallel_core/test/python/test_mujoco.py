# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics and mass matrix against MuJoCo, a reference that shares no code with Pinocchio.

What MuJoCo makes of a URDF differs from what is written there, so the text is prepared: no shapes (meshes need files,
and their masses would count), static bodies kept apart, inertias not balanced. Its mimic joints are constraints, which
are switched off with all others: joints are independent here.
"""

import pathlib
import xml.etree.ElementTree

import mujoco
import numpy
import pytest

import rbd_parallel
from pinocchio_reference import random_states
from robots import example_robots, own_robots

EXAMPLES = (
    "ur_description/urdf/ur5_robot.urdf",
    "go2_description/urdf/go2.urdf",
    "baxter_description/urdf/baxter.urdf",
)
ROBOTS = {**own_robots(), **{name: example_robots()[name] for name in EXAMPLES}}
GRAVITY = (3.1, -4.7, -7.9)
STATES = 21  # a multiple of no register
LIMIT = 1e-12

# Robots that MuJoCo does not take, with the reason.
REFUSED = {
    ("config/robots/pendulum2.urdf", "floating"): "its root link has no inertia, and MuJoCo wants one of moving bodies",
}


def mujoco_text(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    for link in root.findall("link"):
        for shape in link.findall("visual") + link.findall("collision"):
            link.remove(shape)
    for old in root.findall("mujoco"):
        root.remove(old)
    extension = xml.etree.ElementTree.SubElement(root, "mujoco")
    xml.etree.ElementTree.SubElement(extension, "compiler", fusestatic="false", balanceinertia="false")
    return xml.etree.ElementTree.tostring(root, encoding="unicode")


class Reference:
    """MuJoCo in our conventions. The velocity of its free joint is linear in world axes, angular in body axes."""

    def __init__(self, path, base, model):
        spec = mujoco.MjSpec.from_string(mujoco_text(path))
        if base == "floating":
            spec.worldbody.first_body().add_freejoint(name="floating_base")
        self.mj, self.model = spec.compile(), model
        self.mj.opt.gravity = GRAVITY
        self.mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data = mujoco.MjData(self.mj)
        self.floating = base == "floating"
        # Where each of our coordinates is in theirs.
        self.to_v, self.to_q = [], []
        for joint in model.joints:
            theirs = self.mj.joint(joint.name)
            q, v = int(theirs.qposadr[0]), int(theirs.dofadr[0])
            quaternion = [q + 4, q + 5, q + 6, q + 3]  # theirs is w x y z
            self.to_q += [q, q + 1, q + 2, *quaternion] if joint.kind == "floating" else [q]
            self.to_v += range(v, v + joint.nv)

    def turn(self, q):
        """T with v_theirs = T v_ours, and the rotation of the base."""
        T = numpy.eye(self.model.nv)
        if self.floating:
            R = numpy.zeros(9)
            mujoco.mju_quat2Mat(R, q[[6, 3, 4, 5]])
            T[:3, :3] = R.reshape(3, 3)
        return T

    def dynamics(self, q, v, a):
        """Torques and mass matrix of each state, damping and friction included in the torques."""
        tau, matrices = [], []
        for qi, vi, ai in zip(q, v, a):
            T = self.turn(qi)
            acceleration = ai.copy()
            if self.floating:  # of the origin, not of the twist's components in turning axes
                acceleration[:3] += numpy.cross(vi[3:6], vi[:3])
            self.data.qpos[self.to_q] = qi
            self.data.qvel[self.to_v] = T @ vi
            self.data.qacc[self.to_v] = T @ acceleration
            mujoco.mj_inverse(self.mj, self.data)
            M = numpy.zeros((self.mj.nv, self.mj.nv))
            mujoco.mj_fullM(self.mj, self.data, M)
            # Its damping is a force of its own already, its dry friction a constraint, which is off.
            friction = self.mj.dof_frictionloss[self.to_v] * numpy.sign(vi)
            tau.append(T.T @ self.data.qfrc_inverse[self.to_v] + friction)
            matrices.append(T.T @ M[numpy.ix_(self.to_v, self.to_v)] @ T)
        return numpy.array(tau), numpy.array(matrices)


@pytest.mark.filterwarnings("ignore::rbd_parallel.ModelWarning")
@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("robot", ROBOTS)
def test_robot(robot, base, errors):
    path = pathlib.Path(ROBOTS[robot])
    model = rbd_parallel.load_urdf(path, base=base, gravity=GRAVITY, mimic="independent")
    if (robot, base) in REFUSED:
        with pytest.raises(ValueError, match="mass and inertia of moving bodies must be larger"):
            Reference(path, base, model)
        return
    reference = Reference(path, base, model)
    assert reference.mj.nv == model.nv
    q, v, a = random_states(model, STATES, seed=3)
    tau, M = reference.dynamics(q, v, a)
    for name in rbd_parallel.backend_names():
        backend = rbd_parallel.Backend(name, model, max_batch=STATES, friction=True)
        where = f"{robot} {base}, {name}"
        errors.matching("MuJoCo: inverse dynamics", backend.inverse_dynamics(q, v, a), tau, LIMIT, where)
        errors.matching("MuJoCo: mass matrix", backend.mass_matrix(q), M, LIMIT, where)
