# SPDX-License-Identifier: Apache-2.0
"""The soak of `./dev test --soak`, as long as that is by default."""

import pytest
import soak


def test_node_outlives_the_robot_and_itself(tmp_path):
    """Law: that of soak.py."""
    calls, commands, lives = soak.soak(soak.SECONDS, tmp_path, say=lambda _: None)
    assert calls > 0 and commands > 0 and len(lives) == soak.LIVES


def test_would_see_memory_grow():
    """The positive control."""
    soak.check_memory([1 << 20, 9 << 20, 9 << 20])
    with pytest.raises(AssertionError, match="has grown"):
        soak.check_memory([1 << 20, 9 << 20, (9 << 20) + soak.GROWTH + 1])
