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
    BaseParameters,
    Identification,
    Joint,
    JointLimits,
    Link,
    Mimic,
    Model,
    StateError,
    auto_tree,
    backend_names,
    base_parameters,
    build_model,
    identify,
    instruction_sets,
    load_urdf,
)
from ._core import version as __version__
from .description import JointDescription, LinkDescription, RobotDescription
from .errors import ModelError, ModelWarning
from .lanes import from_lanes, to_lanes

__all__ = [
    "Backend",
    "BaseParameters",
    "Identification",
    "Joint",
    "JointDescription",
    "JointLimits",
    "Link",
    "LinkDescription",
    "Mimic",
    "Model",
    "ModelError",
    "ModelWarning",
    "RobotDescription",
    "StateError",
    "__version__",
    "auto_tree",
    "backend_names",
    "base_parameters",
    "build_model",
    "from_lanes",
    "identify",
    "instruction_sets",
    "load_urdf",
    "to_lanes",
]
