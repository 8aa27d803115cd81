# SPDX-License-Identifier: Apache-2.0
"""What the core computes in this process, to compare with what the node sends."""

import numpy as np
import pytest
from node_process import ROBOTS

rbd = pytest.importorskip("rbd_parallel", reason="the core's Python module is needed for numbers to compare with")


def backend(name, max_batch=2000, **options):
    """The backend that the node takes by default, for one of the repository's robots."""
    model = rbd.load_urdf(str(ROBOTS / f"{name}.urdf"), **options)
    return rbd.Backend(model, max_batch=max_batch)


def states(columns, batch, seed=0):
    """(batch, columns) numbers in [-1, 1]."""
    return np.random.default_rng(seed).uniform(-1, 1, (batch, columns))


def same(actual, expected):
    """Law: the node computes with the core, so that the numbers agree to the last bits."""
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected).ravel(), rtol=1e-12, atol=1e-12)
