# SPDX-License-Identifier: Apache-2.0
"""What the core computes in this process, to compare with what the node sends."""

import numpy as np
import pytest
from node_process import ROBOTS

try:
    import rbd_parallel as rbd
except ImportError:
    rbd = None  # no skip here: launch_testing's pytest plugin imports modules, and a skip would then skip all of them


def backend(name, max_batch=2000, **options):
    """The backend that the node takes by default, for one of the repository's robots; skips the test where the
    core's Python module is missing (-DRBD_BUILD_PYTHON=ON makes it)."""
    if rbd is None:
        pytest.skip("the core's Python module rbd_parallel is needed for numbers to compare with")
    model = rbd.load_urdf(str(ROBOTS / f"{name}.urdf"), **options)
    return rbd.Backend(model, max_batch=max_batch)


def states(columns, batch, seed=0):
    """(batch, columns) numbers in [-1, 1]."""
    return np.random.default_rng(seed).uniform(-1, 1, (batch, columns))


def same(actual, expected):
    """Law: the node computes with the core, so that the numbers agree to the last bits."""
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected).ravel(), rtol=1e-12, atol=1e-12)
