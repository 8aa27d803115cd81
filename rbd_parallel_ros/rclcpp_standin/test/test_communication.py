# SPDX-License-Identifier: Apache-2.0
"""Topics, services, clients, timers, callback groups."""
import pytest
from rcl_interfaces.srv import ListParameters
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from std_msgs.msg import Int64, String

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL, reliability=ReliabilityPolicy.RELIABLE)


@pytest.mark.parametrize("kind", ["reference", "shared", "unique", "info"])
def test_subscription_callbacks(active, peer, kind):
    out = peer.collect(String, "/out")
    publisher = peer.node.create_publisher(String, "/in/" + kind, 10)
    for i in range(10):
        peer.until(lambda: f"{kind} {i} äß" in [message.data for message in out],
                   lambda: publisher.publish(String(data=f"{i} äß")))
    peer.node.destroy_publisher(publisher)


def test_latched_from_the_node(active, peer):
    received = peer.collect(String, "/test_node/latched", LATCHED)
    assert peer.spin_until(lambda: received)
    assert [message.data for message in received] == ["for those who come late"]


def test_latched_to_the_node(start, peer):
    """A message from before the node was there reaches each subscription that it makes later."""
    publisher = peer.node.create_publisher(String, "/early", LATCHED)
    publisher.publish(String(data="bird"))
    start()

    def heard():
        return peer.strings("/test_node/memory")[0]

    assert heard() == ""  # it subscribes when it is configured
    assert peer.change_state("configure")
    peer.until(lambda: heard() == "bird", lambda: None)
    assert peer.change_state("cleanup")
    publisher.publish(String(data="worm"))
    assert heard() == "bird"
    assert peer.change_state("configure")
    peer.until(lambda: heard() == "worm", lambda: None)
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
    def ticks():
        return int(peer.strings("/test_node/memory")[1])

    received = peer.collect(Int64, "/ticks", qos_profile_sensor_data)
    assert peer.spin_until(lambda: len(received) >= 10)
    numbers = [message.data for message in received]
    assert numbers == sorted(set(numbers))
    assert peer.change_state("deactivate")  # which destroys the timer
    last = ticks()
    peer.spin(0.3)
    assert ticks() == last
    assert peer.change_state("activate")
    assert peer.spin_until(lambda: ticks() > last)


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


def inside(peer):
    """How many callbacks wait at the node's gate."""
    return int(peer.strings("/test_node/open_gate", "0")[0])


def let_through(peer, count):
    peer.strings("/test_node/open_gate", str(count))


def most(futures):
    return max(int(future.result().result.names[0]) for future in futures)


def test_reentrant_group_runs_at_the_same_time(start, peer):
    start("multi")
    futures = [peer.send(ListParameters, "/test_node/gated") for _ in range(3)]
    peer.until(lambda: inside(peer) == 3, lambda: None)
    let_through(peer, 3)
    assert peer.spin_until(lambda: all(future.done() for future in futures))
    assert most(futures) == 3


def test_exclusive_group_runs_one_after_the_other(start, peer):
    start("multi")
    futures = [peer.send(ListParameters, "/test_node/gated_exclusive") for _ in range(3)]
    for answered in range(1, 4):
        peer.until(lambda: inside(peer) == 1, lambda: None)
        peer.spin(0.1)
        assert inside(peer) == 1
        let_through(peer, 1)
        assert peer.spin_until(lambda: sum(future.done() for future in futures) == answered)
    assert most(futures) == 1


def test_groups_do_not_hinder_each_other(start, peer):
    start("multi")
    gated = peer.send(ListParameters, "/test_node/gated_exclusive")
    peer.until(lambda: inside(peer) == 1, lambda: None)
    assert peer.strings("/test_node/echo", "quick") == ["quick"]
    assert not gated.done()
    let_through(peer, 1)
    assert peer.spin_until(gated.done)


def test_single_thread_runs_one_after_the_other(node, peer):
    futures = [peer.send(ListParameters, "/test_node/nap") for _ in range(3)]
    assert peer.spin_until(lambda: all(future.done() for future in futures))
    assert most(futures) == 1


def test_client_inside_a_callback(start, peer):
    """The node's service asks a service of ours, and waits for the answer in another group."""
    def double(request, response):
        response.result.names = [word * 2 for word in request.prefixes]
        return response

    service = peer.node.create_service(ListParameters, "/remote", double)
    start("multi")
    assert peer.strings("/test_node/relay", "ab", "c") == ["abab", "cc"]
    peer.node.destroy_service(service)
