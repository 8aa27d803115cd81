# SPDX-License-Identifier: Apache-2.0
"""Rigid-body dynamics of one robot in many states: numpy arrays in, numpy arrays out.

    import rbd_parallel as rbd

    model = rbd.load_urdf("robot.urdf")
    backend = rbd.Backend(model, max_batch=1000)
    tau = backend.inverse_dynamics(q, v, a)   # q: (batch, nq); v, a, tau: (batch, nv)

SI units. Twists and wrenches are linear first. Quaternions are x y z w. help(rbd_parallel.Backend) says more.
"""

from ._core import (
    Backend,
    Joint,
    JointLimits,
    Mimic,
    Model,
    ModelError,
    ModelWarning,
    StateError,
    auto_tree,
    backend_names,
    instruction_sets,
    load_urdf,
)
from .lanes import from_lanes, to_lanes

__all__ = [
    "Backend",
    "Joint",
    "JointLimits",
    "Mimic",
    "Model",
    "ModelError",
    "ModelWarning",
    "StateError",
    "auto_tree",
    "backend_names",
    "from_lanes",
    "instruction_sets",
    "load_urdf",
    "to_lanes",
]
