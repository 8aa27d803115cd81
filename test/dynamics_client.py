# SPDX-License-Identifier: Apache-2.0
"""A client of the dynamics node, for tests: every call has a time limit."""

import rclpy
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rbd_parallel_msgs.srv import (
    BiasForces,
    Derivatives,
    FillTrajectoryEffort,
    ForwardDynamics,
    GetModelInfo,
    InverseDynamics,
    LinearizeTrajectory,
    MassMatrix,
    SetPayload,
)
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

TIMEOUT = 30  # s; generous, since a loaded machine is no fault of the node

# A response goes to all clients of a service, and each picks its own. With the usual depth of 10 a client that is slow
# for a moment loses its response when other clients get theirs.
SERVICES_QOS = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)

SERVICES = {
    InverseDynamics: "inverse_dynamics",
    BiasForces: "bias_forces",
    MassMatrix: "mass_matrix",
    ForwardDynamics: "forward_dynamics",
    Derivatives: "derivatives",
    FillTrajectoryEffort: "fill_trajectory_effort",
    LinearizeTrajectory: "linearize_trajectory",
    SetPayload: "set_payload",
    GetModelInfo: "get_model_info",
    ChangeState: "change_state",
    SetParameters: "set_parameters",
    GetParameters: "get_parameters",
    DescribeParameters: "describe_parameters",
    ListParameters: "list_parameters",
    GetState: "get_state",  # the last one: see _connect
}

_count = 0


class DynamicsClient:
    """Speaks to /<namespace>/dynamics."""

    def __init__(self, namespace=""):
        global _count
        _count += 1
        self.node = rclpy.create_node(f"client_{_count}", namespace=namespace)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self._clients = {}

    def close(self):
        self.executor.remove_node(self.node)
        self.executor.shutdown()
        self.node.destroy_node()

    # Calls

    def client(self, service):
        if not self._clients:
            self._connect()
        return self._clients[service]

    def _connect(self):
        """Waits until node and client know each other. A service that a client sees may not see the client yet, and
        would lose its response. Clients are made known in the order of their creation, so once the last one has got a
        response, all are known."""
        for service, name in SERVICES.items():
            self._clients[service] = self.node.create_client(service, f"dynamics/{name}", qos_profile=SERVICES_QOS)
        for service, client in self._clients.items():
            assert client.wait_for_service(TIMEOUT), f"{SERVICES[service]} did not appear within {TIMEOUT} s"
        self.call_again(list(SERVICES)[-1])

    def call(self, service, request=None, timeout=TIMEOUT, **fields):
        """The response to a request, given as such or by its fields."""
        request = service.Request(**fields) if request is None else request
        future = self.client(service).call_async(request)
        self.executor.spin_until_future_complete(future, timeout)
        assert future.done(), f"{SERVICES[service]} did not answer within {timeout} s"
        return future.result()

    def call_again(self, service, **fields):
        """Calls until there is an answer: for requests that may go to a node which has just died, since DDS believes in
        it for a while."""
        for _ in range(TIMEOUT // 2):
            future = self.client(service).call_async(service.Request(**fields))
            self.executor.spin_until_future_complete(future, 2)
            if future.done():
                return future.result()
        raise AssertionError(f"{SERVICES[service]} did not answer within {TIMEOUT} s")

    def good(self, service, **fields):
        """The response, which must not be an error."""
        response = self.call(service, **fields)
        assert response.error_code == 0, response.error_msg
        assert response.error_msg == ""
        return response

    def refused(self, service, code, *words, **fields):
        """The error message of a request that must be refused with `code`, naming `words`."""
        response = self.call(service, **fields)
        assert response.error_code == code, f"got {response.error_code}: {response.error_msg}"
        for word in words:
            assert word in response.error_msg, response.error_msg
        return response.error_msg

    # Lifecycle

    def state(self):
        return self.call(GetState).current_state.label

    def transition(self, name):
        """True if the transition succeeded."""
        transition = Transition(id=getattr(Transition, "TRANSITION_" + name.upper()))
        return self.call(ChangeState, transition=transition, timeout=60).success

    def activate(self):
        """From unconfigured to active."""
        assert self.transition("configure")
        assert self.transition("activate")
        assert self.state() == "active"

    def wait_for_state(self, label):
        for _ in range(TIMEOUT * 50):
            if self.call_again(GetState).current_state.label == label:
                return
            self.executor.spin_once(timeout_sec=0.02)
        raise AssertionError(f"the node did not become {label} within {TIMEOUT} s")

    def shut_down(self):
        name = {"unconfigured": "unconfigured_shutdown", "inactive": "inactive_shutdown"}
        return self.transition(name.get(self.state(), "active_shutdown"))

    # Parameters

    def set(self, **values):
        """Sets one parameter after the other; the results. Dots in names are written as two underscores."""
        parameters = [
            Parameter(name.replace("__", "."), value=value).to_parameter_msg() for name, value in values.items()
        ]
        return self.call(SetParameters, parameters=parameters).results

    def get(self, name):
        return parameter_value_to_python(self.call(GetParameters, names=[name]).values[0])

    def describe(self, name):
        return self.call(DescribeParameters, names=[name]).descriptors[0]

    def parameter_names(self):
        return self.call(ListParameters).result.names

    # Robot description

    def description_publisher(self):
        qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        publisher = self.node.create_publisher(String, "robot_description", qos)
        return lambda text: publisher.publish(String(data=text))
