# SPDX-License-Identifier: Apache-2.0
"""Several clients at once."""

import pathlib
import subprocess
import sys

from rbd_parallel_msgs.srv import InverseDynamics

CLIENT = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np, rclpy
from dynamics_client import DynamicsClient
from rbd_parallel_msgs.srv import InverseDynamics
namespace, seed = sys.argv[2], int(sys.argv[3])
rclpy.init()
client = DynamicsClient(namespace)
random = np.random.default_rng(seed)
for round in range(100):
    q = random.uniform(-1, 1, (1 + round % 20, 7))
    batch = client.good(InverseDynamics, position=q.ravel().tolist())
    assert batch.batch_size == len(q)
    single = client.good(InverseDynamics, position=q[-1].tolist())
    np.testing.assert_allclose(single.effort, batch.effort[-7:], rtol=0, atol=1e-12)
print("served")
client.close()
rclpy.shutdown()
"""


def test_four_clients_at_once(arm):
    """Law: each client gets its own answers: a state alone has the effort that it has in a batch."""
    namespace = arm.client.node.get_namespace()
    here = str(pathlib.Path(__file__).resolve().parent)
    clients = [
        subprocess.Popen(
            [sys.executable, "-c", CLIENT, here, namespace, str(seed)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for seed in range(4)
    ]
    for client in clients:
        out, error = client.communicate(timeout=120)
        assert client.returncode == 0 and "served" in out, error


def test_many_requests_in_flight(arm):
    """Law: requests that come while the node computes wait for their turn; none is lost."""
    client = arm.client.client(InverseDynamics)
    large = InverseDynamics.Request(position=[0.1] * 7 * 2000)
    small = InverseDynamics.Request(position=[0.1] * 7)
    futures = [client.call_async(request) for request in [large] + [small] * 60]
    for future in futures:
        arm.client.executor.spin_until_future_complete(future, 30)
        assert future.done()
        assert future.result().error_code == 0
