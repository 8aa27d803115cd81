# SPDX-License-Identifier: Apache-2.0
"""Backends that fail on purpose, for tests only. `./dev test` installs them apart from what users see, in a prefix of its own
inside of the node's; importing this module lets the nodes that a test starts find them."""

import os
import pathlib

import pytest
from ament_index_python.packages import PackageNotFoundError, get_package_prefix

USERS_PREFIXES = os.environ.get("AMENT_PREFIX_PATH", "")
_apart = pathlib.Path(get_package_prefix("rbd_parallel_ros")) / "test_backends"
if _apart.is_dir():
    os.environ["AMENT_PREFIX_PATH"] = f"{_apart}:{USERS_PREFIXES}"

try:
    get_package_prefix("rbd_parallel_test_backends")
    HAVE_THIRD_PARTY = True
except PackageNotFoundError:
    HAVE_THIRD_PARTY = False
third_party = pytest.mark.skipif(not HAVE_THIRD_PARTY, reason="package rbd_parallel_test_backends is not installed")
