# SPDX-License-Identifier: Apache-2.0
"""The six parameter services and /parameter_events."""
import pytest
from rcl_interfaces.msg import Parameter, ParameterEvent, ParameterType, ParameterValue
from rcl_interfaces.srv import (DescribeParameters, GetParameters, GetParameterTypes, ListParameters, SetParameters,
                                SetParametersAtomically)
from rclpy.parameter import parameter_value_to_python
from rclpy.qos import qos_profile_parameter_events

T = ParameterType
DEFAULTS = {
    "text": (T.PARAMETER_STRING, "default"), "flag": (T.PARAMETER_BOOL, False), "number": (T.PARAMETER_INTEGER, 1),
    "real": (T.PARAMETER_DOUBLE, 0.5), "bytes": (T.PARAMETER_BYTE_ARRAY, [b"\x01", b"\x02"]),
    "flags": (T.PARAMETER_BOOL_ARRAY, [True, False]), "numbers": (T.PARAMETER_INTEGER_ARRAY, [1, 2, 3]),
    "reals": (T.PARAMETER_DOUBLE_ARRAY, [1.5]), "texts": (T.PARAMETER_STRING_ARRAY, ["a", "b"])}


def value_of(value):
    if isinstance(value, bool):
        return ParameterValue(type=T.PARAMETER_BOOL, bool_value=value)
    if isinstance(value, int):
        return ParameterValue(type=T.PARAMETER_INTEGER, integer_value=value)
    if isinstance(value, float):
        return ParameterValue(type=T.PARAMETER_DOUBLE, double_value=value)
    if isinstance(value, str):
        return ParameterValue(type=T.PARAMETER_STRING, string_value=value)
    if value is None:
        return ParameterValue()
    if isinstance(value[0], bytes):
        return ParameterValue(type=T.PARAMETER_BYTE_ARRAY, byte_array_value=value)
    if isinstance(value[0], bool):
        return ParameterValue(type=T.PARAMETER_BOOL_ARRAY, bool_array_value=value)
    if isinstance(value[0], int):
        return ParameterValue(type=T.PARAMETER_INTEGER_ARRAY, integer_array_value=value)
    if isinstance(value[0], float):
        return ParameterValue(type=T.PARAMETER_DOUBLE_ARRAY, double_array_value=value)
    return ParameterValue(type=T.PARAMETER_STRING_ARRAY, string_array_value=value)


def messages(parameters):
    return [Parameter(name=name, value=value_of(value)) for name, value in parameters.items()]


def get(peer, *names):
    return peer.call(GetParameters, "/test_node/get_parameters", GetParameters.Request(names=list(names))).values


def value(peer, name):
    return plain(get(peer, name)[0])


def plain(message):
    python = parameter_value_to_python(message)
    return list(python) if hasattr(python, "__len__") and not isinstance(python, str) else python


def set_(peer, **parameters):
    request = SetParameters.Request(parameters=messages(parameters))
    return peer.call(SetParameters, "/test_node/set_parameters", request).results


def set_atomically(peer, **parameters):
    request = SetParametersAtomically.Request(parameters=messages(parameters))
    return peer.call(SetParametersAtomically, "/test_node/set_parameters_atomically", request).result


def test_get_all_types(node, peer):
    for (name, (kind, default)), message in zip(DEFAULTS.items(), get(peer, *DEFAULTS)):
        assert message.type == kind, name
        assert plain(message) == default, name


def test_set_all_types(node, peer):
    new = {"text": "new ä", "flag": True, "number": -2**62, "real": 1e-300, "bytes": [b"\xff"], "flags": [False],
           "numbers": [9], "reals": [-0.5, 1e9], "texts": ["", "x y"]}
    assert all(result.successful for result in set_(peer, **new))
    for (name, expected), message in zip(new.items(), get(peer, *new)):
        assert plain(message) == expected, name


def test_get_unknown(node, peer):
    assert list(get(peer, "text", "nonsense")) == []


def test_types(node, peer):
    names = list(DEFAULTS)
    request = GetParameterTypes.Request(names=names)
    types = peer.call(GetParameterTypes, "/test_node/get_parameter_types", request).types
    assert list(types) == [kind for kind, _ in DEFAULTS.values()]


@pytest.mark.parametrize("name, wrong, reason", [
    ("number", 1.5, "type"), ("text", 1, "type"), ("even", 3, "integer range"), ("even", 12, "integer range"),
    ("fraction", 1.5, "floating point range"), ("fraction", float("nan"), "floating point range"),
    ("fixed", "other", "read-only"), ("nonsense", 1, "not declared"), ("real", -1.0, "must not be negative"),
    ("number", None, "type"), ("use_sim_time", "yes", "type")])
def test_refused(node, peer, name, wrong, reason):
    before = list(get(peer, name))
    result, = set_(peer, **{name: wrong})
    assert not result.successful
    assert reason in result.reason
    assert list(get(peer, name)) == before
    result = set_atomically(peer, text="changed", **{name: wrong}) if name != "text" else result
    assert not result.successful
    assert value(peer, "text") == "default"


def test_set_is_one_by_one_and_atomically_is_all_or_none(node, peer):
    assert [result.successful for result in set_(peer, text="x", even=3, number=5)] == [True, False, True]
    assert [value(peer, name) for name in ("text", "even", "number")] == ["x", 4, 5]
    assert not set_atomically(peer, text="y", even=3, number=6).successful
    assert [value(peer, name) for name in ("text", "even", "number")] == ["x", 4, 5]
    assert set_atomically(peer, text="y", even=6, number=6).successful
    assert [value(peer, name) for name in ("text", "even", "number")] == ["y", 6, 6]


def test_callback_knows_the_state(active, peer):
    result, = set_(peer, number=5)
    assert not result.successful and "while active" in result.reason
    assert peer.change_state("deactivate")
    assert set_(peer, number=5)[0].successful


def test_dynamic_type(node, peer):
    assert set_(peer, any="text")[0].successful
    assert value(peer, "any") == "text"
    assert set_(peer, any=None)[0].successful  # which undeclares it
    assert list(get(peer, "any")) == []


def test_list(node, peer):
    def names(prefixes=(), depth=0):
        request = ListParameters.Request(prefixes=list(prefixes), depth=depth)
        return set(peer.call(ListParameters, "/test_node/list_parameters", request).result.names)

    assert set(DEFAULTS) | {"group.inner", "group.deep.er", "use_sim_time", "even"} <= names()
    assert names(["group"]) == {"group.inner", "group.deep.er"}
    assert names(["group"], 1) == {"group.inner"}
    assert "group.inner" not in names(depth=1) and "text" in names(depth=1)
    assert names(["nothing"]) == set()


def test_describe(node, peer):
    request = DescribeParameters.Request(names=["even", "fraction", "fixed", "any"])
    even, fraction, fixed, any_ = peer.call(
        DescribeParameters, "/test_node/describe_parameters", request).descriptors
    assert (even.name, even.type, even.description) == ("even", T.PARAMETER_INTEGER, "an even number")
    limits = even.integer_range[0]
    assert (limits.from_value, limits.to_value, limits.step) == (0, 10, 2)
    assert fraction.floating_point_range[0].to_value == 1.0
    assert fixed.read_only and not even.read_only
    assert any_.dynamic_typing and not even.dynamic_typing
    request = DescribeParameters.Request(names=["nonsense"])
    assert peer.call(DescribeParameters, "/test_node/describe_parameters", request).descriptors == []


def test_events(node, peer):
    events = peer.collect(ParameterEvent, "/parameter_events", qos_profile_parameter_events)

    def of_node(flag=False):
        return [event for event in events if event.node == "/test_node" and flag == any(
            parameter.name == "flag" for parameter in event.changed_parameters)]

    # until the node knows of us; from then on no event is lost
    peer.until(lambda: of_node(flag=True), lambda: set_(peer, flag=True))
    assert peer.change_state("configure")  # which declares one
    set_(peer, text="event", even=3)  # the second is refused: nothing to tell of it
    set_(peer, any=None)
    assert peer.spin_until(lambda: len(of_node()) >= 3)
    told = [[[(parameter.name, plain(parameter.value)) for parameter in parameters] for parameters in (
        event.new_parameters, event.changed_parameters, event.deleted_parameters)] for event in of_node()]
    assert told == [[[("while_configured", 1)], [], []], [[], [("text", "event")], []], [[], [], [("any", 7)]]]
    assert all(event.stamp.sec > 0 for event in of_node())
