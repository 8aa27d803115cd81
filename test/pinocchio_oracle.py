# SPDX-License-Identifier: Apache-2.0
"""Pinocchio's numbers, to compare with. It runs in a process of its own: ROS 2 and Pinocchio bring libraries of the same
names."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from node_process import ROBOTS

SCRIPT = """
import json, sys
import numpy as np
try:
    import pinocchio
except ImportError:
    sys.exit(77)
request = json.load(sys.stdin)
model = pinocchio.buildModelFromUrdf(request["urdf"])
data = model.createData()
tau = [pinocchio.rnea(model, data, *map(np.array, state)).tolist() for state in zip(*request["states"])]
json.dump({"joint_names": list(model.names)[1:], "effort": tau}, sys.stdout)
"""


def inverse_dynamics(robot, q, v, a):
    """Joint names and efforts, (batch, n), of one of the repository's robots; for joints of one coordinate that are
    not continuous, since Pinocchio counts those as two. Skips the test where there is no Pinocchio."""
    environment = {name: os.environ[name] for name in os.environ if name not in ("LD_LIBRARY_PATH", "PYTHONPATH")}
    request = {"urdf": str(ROBOTS / f"{robot}.urdf"), "states": [np.asarray(x).tolist() for x in (q, v, a)]}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=json.dumps(request), env=environment, capture_output=True, text=True
    )
    if done.returncode == 77:
        pytest.skip("Pinocchio is needed for numbers to compare with")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    return answer["joint_names"], np.array(answer["effort"])
