# SPDX-License-Identifier: Apache-2.0
"""Command line, names, signals, time."""
import signal
import time

import pytest
from conftest import Process
from rcl_interfaces.msg import Log, Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.qos import qos_profile_rosout_default
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String


def values(peer, *names, node="/test_node"):
    response = peer.call(GetParameters, node + "/get_parameters", GetParameters.Request(names=list(names)))
    result = []
    for value in response.values:
        result.append({
            ParameterType.PARAMETER_BOOL: value.bool_value, ParameterType.PARAMETER_INTEGER: value.integer_value,
            ParameterType.PARAMETER_DOUBLE: value.double_value, ParameterType.PARAMETER_STRING: value.string_value,
            ParameterType.PARAMETER_INTEGER_ARRAY: list(value.integer_array_value),
            ParameterType.PARAMETER_DOUBLE_ARRAY: list(value.double_array_value),
            ParameterType.PARAMETER_BOOL_ARRAY: list(value.bool_array_value),
            ParameterType.PARAMETER_STRING_ARRAY: list(value.string_array_value)}[value.type])
    return result


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("kind", ["single", "multi"])
def test_signals(start, peer, number, kind):
    process = start(kind)
    assert peer.strings("/test_node/echo", "alive") == ["alive"]
    assert peer.change_state("configure") and peer.change_state("activate")
    assert process.stop(number) == 0
    assert f"got signal {int(number)}" in process.output()
    assert "on_shutdown" in process.output()


@pytest.mark.parametrize("delay", [0.02, 0.05, 0.1, 0.2])
def test_signal_right_after_the_start(request, tmp_path, delay):
    """Whether it comes before or after the handlers are installed, the process ends, and not by a crash."""
    process = Process(request.config.getoption("--test-node"), tmp_path)
    time.sleep(delay)
    assert process.stop() in (0, -signal.SIGTERM)


def test_parameters_of_the_command_line(start, peer):
    start("--ros-args", "-p", "text:=hello", "-p", "flag:=true", "-p", "number:=42", "-p", "real:=2.5",
          "-p", "numbers:=[4, 5]", "-p", "reals:=[0.25, 1.0]", "-p", "flags:=[true]", "-p", "texts:=[x, z]",
          "-p", "group.inner:=9", "-p", "unknown:=1", "-p", "test_node:even:=8", "-p", "other_node:number:=13")
    assert values(peer, "text", "flag", "number", "real", "numbers", "reals", "flags", "texts", "group.inner",
                  "even") == ["hello", True, 42, 2.5, [4, 5], [0.25, 1.0], [True], ["x", "z"], 9, 8]


def test_parameter_files(start, peer, tmp_path):
    first = tmp_path / "first.yaml"
    first.write_text("""
/**:
  ros__parameters:
    text: everybody
    number: 1
    real: 7.0
test_node:
  ros__parameters:
    number: 2
    group:
      inner: 5
      deep:
        er: 6
/other/test_node:
  ros__parameters:
    number: 3
/*/test_node:
  ros__parameters:
    flag: true
""")
    second = tmp_path / "second.yaml"
    second.write_text("/test_node:\n  ros__parameters:\n    number: 4\n")
    start("--ros-args", "--params-file", str(first))
    assert values(peer, "text", "number", "real", "group.inner", "group.deep.er", "flag") == [
        "everybody", 2, 7.0, 5, 6, False]
    start("--ros-args", "-r", "__ns:=/other", "-r", "__node:=test_node", "--params-file", str(first))
    assert values(peer, "text", "number", "flag", node="/other/test_node") == ["everybody", 3, True]
    start("--ros-args", "-r", "__node:=third", "--params-file", str(first), "--params-file", str(second))
    assert values(peer, "text", "number", node="/third") == ["everybody", 1]


@pytest.mark.parametrize("arguments, word", [
    (["-p", "number:=text"], "expected a value of type integer"),
    (["-p", "even:=3"], "integer range"),
    (["--params-file", "/no/such/file"], "/no/such/file"),
    (["-r", "nonsense"], "nonsense"),
    (["--no-such-option"], "--no-such-option"),
])
def test_wrong_arguments_end_the_process_with_a_reason(request, tmp_path, arguments, word):
    process = Process(request.config.getoption("--test-node"), tmp_path, "--ros-args", *arguments)
    assert process.process.wait(20) != 0
    assert word in process.output()


def test_names_and_remapping(start, peer):
    start("--ros-args", "-r", "__ns:=/left", "-r", "__node:=one", "-r", "out:=result", "-r", "~/echo:=~/parrot",
          "-r", "one:echo_bound:=/global/bound")
    assert peer.strings("/left/one/parrot", "a") == ["a"]
    assert peer.strings("/global/bound", "b")[0] == "b"
    assert peer.change_state("configure", "/left/one") and peer.change_state("activate", "/left/one")
    out = peer.collect(String, "/left/result")
    publisher = peer.node.create_publisher(String, "/left/in/reference", 10)
    peer.until(lambda: out, lambda: publisher.publish(String(data="x")))
    peer.node.destroy_publisher(publisher)


def test_two_nodes_in_two_namespaces(start, peer):
    start("--ros-args", "-r", "__ns:=/a", "-p", "number:=1")
    start("--ros-args", "-r", "__ns:=/b", "-p", "number:=2")
    assert values(peer, "number", node="/a/test_node") == [1]
    assert values(peer, "number", node="/b/test_node") == [2]
    assert peer.change_state("configure", "/a/test_node")
    assert peer.state("/a/test_node") == "inactive"
    assert peer.state("/b/test_node") == "unconfigured"


def test_rosout(node, peer):
    """The log is latched: whoever subscribes at any time gets it. A subscription that is not would race with the first
    message, all the more since our own node publishes to /rosout too: that there is a publisher tells nothing."""
    log = peer.collect(Log, "/rosout", qos_profile_rosout_default)
    assert peer.change_state("configure")
    assert peer.spin_until(lambda: any(entry.msg == "configure from unconfigured" for entry in log))
    assert {entry.name for entry in log if "configure from" in entry.msg} == {"test_node"}


def test_log_level(start, peer):
    process = start("--ros-args", "--log-level", "error")
    assert peer.change_state("configure")
    assert "configure from" not in process.output()


def set_sim_time(peer, use):
    value = ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=use)
    request = SetParameters.Request(parameters=[Parameter(name="use_sim_time", value=value)])
    return peer.call(SetParameters, "/test_node/set_parameters", request).results[0].successful


def test_sim_time(start, peer):
    start("--ros-args", "-p", "use_sim_time:=true")

    def clock():
        return tuple(int(word) for word in peer.strings("/test_node/clock"))

    publisher = peer.node.create_publisher(Clock, "/clock", 10)
    assert clock() == (0, 0)
    for second in range(100, 104):
        message = Clock()
        message.clock.sec = second
        peer.until(lambda: clock()[0] == second * 10**9, lambda: publisher.publish(message))
    assert peer.spin_until(lambda: clock()[1] >= 3)  # a timer of one second on this clock
    clock(), clock()  # each lets the node run what is due, timers first
    ticks = clock()[1]
    peer.spin(1.2)
    assert clock()[1] == ticks  # simulated time stands still
    assert set_sim_time(peer, False)
    assert clock()[0] > 10**18
    assert set_sim_time(peer, True)
    peer.node.destroy_publisher(publisher)
