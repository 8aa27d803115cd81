# SPDX-License-Identifier: Apache-2.0
"""Laws on random trees whose mimic joints couple branches in every way: leaders before and after their followers,
above and below them on one path, mimics of mimics. Here the mass matrix has entries that no plain tree has."""

import random

import numpy as np
import pytest

import rbd_parallel


def vector(rng, low=-1.0, high=1.0):
    return " ".join(repr(rng.uniform(low, high)) for _ in range(3))


def link(rng, name):
    return (
        f'<link name="{name}"><inertial><origin xyz="{vector(rng)}"/><mass value="{rng.uniform(0.5, 2)}"/>'
        '<inertia ixx="0.2" iyy="0.3" izz="0.25" ixy="0.01" ixz="0.02" iyz="0"/></inertial></link>'
    )


def followed_joints(rng, count):
    """{follower: leader} without cycles."""
    followed = {}
    for i in range(count):
        leader = rng.randrange(count)
        end = leader
        while end in followed:
            end = followed[end]
        if rng.random() < 0.4 and end != i:
            followed[i] = leader
    return followed


def random_urdf(seed):
    rng = random.Random(seed)
    count = rng.randint(2, 14)
    followed = followed_joints(rng, count)
    names = [f"j{rng.randint(0, 9)}_{i}" for i in range(count)]  # so that the order of names is not that of links
    parts = ['<robot name="random">', link(rng, "base")]
    for i in range(count):
        parent = "base" if i == 0 or rng.random() < 0.1 else f"l{rng.randint(max(0, i - 3), i - 1)}"
        mimic = ""
        if i in followed:
            mimic = (
                f'<mimic joint="{names[followed[i]]}" multiplier="{rng.uniform(-2, 2)}" offset="{rng.uniform(-1, 1)}"/>'
            )
        parts.append(link(rng, f"l{i}"))
        parts.append(
            f'<joint name="{names[i]}" type="{rng.choice(["continuous", "prismatic", "revolute"])}">'
            f'<parent link="{parent}"/><child link="l{i}"/><origin xyz="{vector(rng)}" rpy="{vector(rng, -3, 3)}"/>'
            f'<axis xyz="{vector(rng)}"/><limit lower="-1" upper="1" effort="1" velocity="1"/>{mimic}</joint>'
        )
    return "".join(parts) + "</robot>"


@pytest.mark.filterwarnings("ignore::rbd_parallel.ModelWarning")
@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("name", rbd_parallel.backend_names())
def test_laws_on_random_trees_with_mimic_joints(name, base):
    states = 11
    for seed in range(60):
        model = rbd_parallel.load_urdf(random_urdf(seed), base=base, gravity=(1.0, -2.0, -9.0))
        backend = rbd_parallel.Backend(name, model, max_batch=states * model.nv)
        rng = np.random.default_rng(seed)
        q = np.asarray(model.neutral()) + rng.normal(size=(states, model.nq))
        v, tau = rng.normal(size=(2, states, model.nv))

        M, gravity = backend.mass_matrix(q), backend.gravity_forces(q)
        units = np.tile(np.eye(model.nv), (states, 1))
        columns = backend.inverse_dynamics(np.repeat(q, model.nv, axis=0), None, units)
        columns = columns.reshape(M.shape) - gravity[:, None]
        scale = np.abs(M).max()
        assert np.abs(columns - M).max() < 1e-12 * scale + 1e-13 * np.abs(gravity).max(), seed
        L = backend.mass_matrix_cholesky(q)
        assert np.abs(L.transpose(0, 2, 1) @ L - M).max() < 1e-13 * scale, seed
        assert np.all(np.triu(L, 1) == 0), seed
        qdd = backend.forward_dynamics(q, v, tau)
        back = backend.inverse_dynamics(q, v, qdd)
        assert np.abs(back - tau).max() < 1e-11 * (1 + np.abs(backend.bias_forces(q, v)).max()), seed
