# SPDX-License-Identifier: Apache-2.0
"""Topics, services, clients, timers, callback groups."""
import time

import pytest
from rcl_interfaces.srv import ListParameters
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from std_msgs.msg import Int64, String

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL, reliability=ReliabilityPolicy.RELIABLE)


@pytest.mark.parametrize("kind", ["reference", "shared", "unique", "info"])
def test_subscription_callbacks(active, peer, kind):
    out = peer.collect(String, "/out")
    publisher = peer.node.create_publisher(String, "/in/" + kind, 10)
    assert peer.spin_until(lambda: publisher.get_subscription_count() > 0)
    peer.spin(0.2)
    for i in range(10):
        publisher.publish(String(data=f"{i} äß"))
        peer.spin(0.01)
    assert peer.spin_until(lambda: len(out) >= 10)
    assert [message.data for message in out] == [f"{kind} {i} äß" for i in range(10)]
    peer.node.destroy_publisher(publisher)


def test_latched_from_the_node(active, peer):
    received = peer.collect(String, "/test_node/latched", LATCHED)
    assert peer.spin_until(lambda: received)
    assert [message.data for message in received] == ["for those who come late"]


def test_latched_to_the_node(start, peer):
    publisher = peer.node.create_publisher(String, "/early", LATCHED)
    publisher.publish(String(data="bird"))
    start()
    assert peer.change_state("configure")
    out = peer.collect(String, "/out")
    peer.spin(0.5)
    assert out == []  # taken while inactive, and dropped
    assert peer.change_state("cleanup")
    assert peer.change_state("configure")
    assert peer.change_state("activate")
    assert peer.spin_until(lambda: out, 5) or peer.node.count_publishers("/out") == 1
    peer.node.destroy_publisher(publisher)


def test_qos_is_what_was_asked_for(active, peer):
    def offered(topic):
        assert peer.spin_until(lambda: peer.node.get_publishers_info_by_topic(topic))
        return peer.node.get_publishers_info_by_topic(topic)[0].qos_profile

    assert offered("/ticks").reliability == ReliabilityPolicy.BEST_EFFORT
    assert offered("/test_node/latched").durability == DurabilityPolicy.TRANSIENT_LOCAL
    assert offered("/out").reliability == ReliabilityPolicy.RELIABLE
    assert offered("/out").durability == DurabilityPolicy.VOLATILE


def test_timer(active, peer):
    ticks = peer.collect(Int64, "/ticks", qos_profile_sensor_data)
    first = len(ticks)
    peer.spin(1.0)
    count = len(ticks) - first
    assert 10 <= count <= 55  # every 20 ms, on a machine that may be busy; never more often
    assert peer.change_state("deactivate")
    peer.spin(0.2)
    last = len(ticks)
    peer.spin(0.3)
    assert len(ticks) == last


def test_services(node, peer):
    assert peer.strings("/test_node/echo", "a", "b") == ["a", "b"]
    *words, number = peer.strings("/echo_bound", "c")
    assert words == ["c"] and int(number) > 0
    assert peer.strings("/test_node/deferred", "d") == ["later", "d"]


def test_large_message(node, peer):
    words = ["x" * 1000] * 3000
    assert peer.strings("/test_node/echo", *words) == words


def test_many_requests_in_flight(node, peer):
    count = 10  # as many as the default QoS of services keeps
    futures = [peer.send(ListParameters, "/test_node/echo", ListParameters.Request(prefixes=[str(i)]))
               for i in range(count)]
    assert peer.spin_until(lambda: all(future.done() for future in futures))
    assert [future.result().result.names for future in futures] == [[str(i)] for i in range(count)]


def concurrency(peer, service):
    start = time.monotonic()
    futures = [peer.send(ListParameters, service) for _ in range(3)]
    assert peer.spin_until(lambda: all(future.done() for future in futures))
    return max(int(future.result().result.names[0]) for future in futures), time.monotonic() - start


def test_reentrant_group_runs_at_the_same_time(start, peer):
    start("multi")
    assert concurrency(peer, "/test_node/slow")[0] == 3


def test_exclusive_group_runs_one_after_the_other(start, peer):
    start("multi")
    most, elapsed = concurrency(peer, "/test_node/slow_exclusive")
    assert most == 1
    assert elapsed > 0.85


def test_groups_do_not_hinder_each_other(start, peer):
    start("multi")
    peer.client(ListParameters, "/test_node/echo")
    slow = peer.send(ListParameters, "/test_node/slow_exclusive")
    peer.spin(0.1)
    assert peer.strings("/test_node/echo", "quick") == ["quick"]
    assert not slow.done()
    assert peer.spin_until(slow.done)


def test_single_thread_runs_one_after_the_other(node, peer):
    assert concurrency(peer, "/test_node/slow")[0] == 1


def test_client_inside_a_callback(start, peer):
    """The node's service asks a service of ours, and waits for the answer in another group."""
    def double(request, response):
        response.result.names = [word * 2 for word in request.prefixes]
        return response

    service = peer.node.create_service(ListParameters, "/remote", double)
    start("multi")
    assert peer.strings("/test_node/relay", "ab", "c") == ["abab", "cc"]
    peer.node.destroy_service(service)
