# SPDX-License-Identifier: Apache-2.0
"""The soak of `./dev test --soak`, as long as that is by default."""

import pytest
import soak


@pytest.fixture(scope="module")
def soaked(ros, tmp_path_factory):
    return soak.soak(soak.SECONDS, tmp_path_factory.mktemp("soak"), say=lambda _: None)


def test_node_outlives_the_robot_and_itself(soaked):
    """Law: that of soak.py."""
    calls, commands, lives = soaked
    assert calls > 0 and commands > 0 and len(lives) == soak.LIVES


def test_memory_stays(soaked):
    """Law: once everything has happened, the node takes no more memory."""
    for resident in soaked[2]:
        soak.check_memory(resident)


def test_would_see_memory_grow():
    """The positive control."""
    soak.check_memory([1 << 20, 9 << 20, 9 << 20])
    with pytest.raises(AssertionError, match="has grown"):
        soak.check_memory([1 << 20, 9 << 20, (9 << 20) + soak.GROWTH + 1])
