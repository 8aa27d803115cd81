# SPDX-License-Identifier: Apache-2.0
"""The lifecycle as rcl_lifecycle defines it, through its five services and its topic."""
import pytest
from lifecycle_msgs.msg import State, Transition, TransitionEvent
from lifecycle_msgs.srv import GetAvailableStates, GetAvailableTransitions
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from std_msgs.msg import String


def set_fail(peer, word):
    value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=word)
    request = SetParameters.Request(parameters=[Parameter(name="fail", value=value)])
    assert peer.call(SetParameters, "/test_node/set_parameters", request).results[0].successful


def test_whole_life(node, peer):
    events = peer.collect(TransitionEvent, "/test_node/transition_event")
    # until the node knows of us; from then on no event is lost
    peer.until(lambda: events, lambda: peer.change_state("configure") and peer.change_state("cleanup"))
    assert peer.spin_until(lambda: events[-1].goal_state.label == "unconfigured")
    events.clear()
    assert peer.change_state(Transition.TRANSITION_CONFIGURE)
    assert peer.state() == "inactive"
    assert peer.change_state(Transition.TRANSITION_ACTIVATE)
    assert peer.state() == "active"
    assert peer.change_state(Transition.TRANSITION_DEACTIVATE)
    assert peer.state() == "inactive"
    assert peer.change_state(Transition.TRANSITION_CLEANUP)
    assert peer.state() == "unconfigured"
    assert peer.change_state("shutdown")
    assert peer.state() == "finalized"
    assert peer.spin_until(lambda: len(events) >= 10)
    assert [event.goal_state.label for event in events] == [
        "configuring", "inactive", "activating", "active", "deactivating", "inactive", "cleaningup", "unconfigured",
        "shuttingdown", "finalized"]
    assert "shutdown from unconfigured" in node.output()


def test_impossible_transitions_are_refused(node, peer):
    assert not peer.change_state(Transition.TRANSITION_ACTIVATE)
    assert not peer.change_state("no such transition")
    assert not peer.change_state(200)
    assert peer.state() == "unconfigured"
    assert peer.change_state("configure")
    assert not peer.change_state("configure")
    assert peer.state() == "inactive"


@pytest.mark.parametrize("fail, state", [
    ("configure", "unconfigured"), ("error", "unconfigured"), ("throw", "unconfigured"), ("fatal", "finalized")])
def test_failures(node, peer, fail, state):
    set_fail(peer, fail)
    assert not peer.change_state(Transition.TRANSITION_CONFIGURE)
    assert peer.state() == state
    assert ("as asked for" in node.output()) == (fail == "throw")
    if state == "unconfigured":  # it lives, and can be configured
        set_fail(peer, "")
        assert peer.change_state(Transition.TRANSITION_CONFIGURE)


def test_what_is_available(node, peer):
    states = peer.call(GetAvailableStates, "/test_node/get_available_states").available_states
    assert {state.id for state in states} == {0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 15}
    service = "/test_node/get_available_transitions"
    transitions = peer.call(GetAvailableTransitions, service).available_transitions
    assert {t.transition.label for t in transitions} == {"configure", "shutdown"}
    assert {t.start_state.label for t in transitions} == {"unconfigured"}
    assert {t.goal_state.id for t in transitions} == {
        State.TRANSITION_STATE_CONFIGURING, State.TRANSITION_STATE_SHUTTINGDOWN}
    graph = peer.call(GetAvailableTransitions, "/test_node/get_transition_graph").available_transitions
    assert len(graph) > 20
    assert {"transition_success", "transition_failure", "transition_error"} <= {t.transition.label for t in graph}


def test_publishers_are_silent_unless_active(node, peer):
    assert peer.change_state(Transition.TRANSITION_CONFIGURE)
    out = peer.collect(String, "/out")
    publisher = peer.node.create_publisher(String, "/in/reference", 10)
    peer.until(lambda: "its publisher is not active" in node.output(), lambda: publisher.publish(String(data="lost")))
    assert peer.change_state(Transition.TRANSITION_ACTIVATE)
    peer.until(lambda: out, lambda: publisher.publish(String(data="found")))
    assert out[0].data == "reference found"
    peer.node.destroy_publisher(publisher)


def test_many_lives(node, peer):
    for _ in range(20):
        for transition in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE,
                           Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_CLEANUP):
            assert peer.change_state(transition)
