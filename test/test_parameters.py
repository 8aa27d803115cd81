# SPDX-License-Identifier: Apache-2.0
"""The parameters: what they do, what they refuse."""

import numpy as np
import pytest
from node_process import NodeProcess, urdf
from rbd_parallel_msgs.srv import BiasForces, GetModelInfo, InverseDynamics, MassMatrix
from rcl_interfaces.msg import ParameterType
from reference import backend, same, states
from robot_side import RobotSide

NAMES = """robot_description backend joints base gravity mimic inertia_policy max_batch threads spin_us autostart""".split()


def test_all_are_declared_and_described(arm):
    names = arm.client.parameter_names()
    for name in NAMES + ["armature.joint_1", "armature.joint_7"]:
        assert name in names
        assert arm.client.describe(name).description
    assert arm.client.describe("max_batch").integer_range[0].from_value == 1
    assert arm.client.describe("armature.joint_1").floating_point_range[0].from_value == 0
    assert arm.client.describe("autostart").read_only
    assert arm.client.describe("gravity").type == ParameterType.PARAMETER_DOUBLE_ARRAY
    assert "'floating'" in arm.client.describe("base").additional_constraints
    assert arm.client.get("max_batch") == 2000
    assert list(arm.client.get("gravity")) == [0, 0, -9.81]


@pytest.mark.parametrize(
    "change",
    [
        {"max_batch": 5},
        {"backend": "rbd_parallel/reference"},
        {"robot_description": urdf("pendulum2")},
        {"joints": ["joint_1"]},
        {"gravity": [0.0, 0.0, 0.0]},
        {"threads": 2},
        {"spin_us": 0},
        {"base": "floating"},
        {"mimic": "independent"},
        {"inertia_policy": "zero"},
        {"armature__joint_1": 0.5},
    ],
)
def test_refused_while_active(arm, change):
    result = arm.client.set(**change)[0]
    assert not result.successful
    assert "while the node is active" in result.reason
    arm.client.good(InverseDynamics, position=[0.0] * 7)


@pytest.mark.parametrize(
    "name, value, words",
    [
        ("max_batch", 1e6, ["'1000000.000000' of type double", "type integer from 1 to 1000000", "without decimal point"]),
        ("max_batch", 20000.0, ["'20000.000000' of type double", "type integer"]),
        ("max_batch", "abc", ["'abc' of type string", "type integer"]),
        ("autostart", "maybe", ["'maybe' of type string", "type bool"]),
        ("input_timeout", 1, ["'1' of type integer", "type double", "write the decimal point"]),
        ("gravity", [0, 0, -10], ["'[0, 0, -10]' of type integer_array", "double_array: 3 finite numbers", "decimal point"]),
        ("joints", "joint_1", ["'joint_1' of type string", "string_array", "brackets"]),
        ("armature.joint_1", 1, ["'1' of type integer", "type double"]),
        # YAML's off is a boolean.
        ("effort_mode", False, ["'false' of type bool", "one of 'off'", 'put it in quotes, "off"']),
        ("effort_limits", False, ["'false' of type bool", "one of 'off'", 'put it in quotes, "off"']),
    ],
)
def test_a_wrong_type_ends_the_start(tmp_path, name, value, words):
    """Law: the message names the parameter, what came, what was expected and what to write."""
    node = NodeProcess(tmp_path, {name: value})
    assert node.process.wait(20) == 1
    for word in [f"parameter {name} is ", *words]:
        assert word in node.log, node.log


def test_unknown_parameters_are_told(serve):
    node = serve(effort_mod="gravity", on_stael="zero", speed=3, armature__joint_1=0.1, use_sim_time=False).node
    node.wait_for_log("'speed'")
    warnings = [line for line in node.log.splitlines() if "there is no parameter" in line]
    assert len(warnings) == 3 and all("[WARN]" in line for line in warnings), node.log
    assert "there is no parameter 'effort_mod'; it has no effect. Did you mean 'effort_mode'?" in node.log
    assert "there is no parameter 'on_stael'; it has no effect. Did you mean 'on_stale'?" in node.log
    assert "there is no parameter 'speed'; it has no effect. Known are" in node.log and "'max_batch'" in warnings[2]


@pytest.mark.parametrize(
    "change, word",
    [
        ({"max_batch": 0}, ""),
        ({"max_batch": "many"}, ""),
        ({"threads": -1}, ""),
        ({"spin_us": -1}, ""),
        ({"spin_us": 1000001}, ""),
        ({"base": "flying"}, "'floating'"),
        ({"mimic": ""}, "'honour'"),
        ({"inertia_policy": "ignore"}, "'zero'"),
        ({"gravity": [0.0, 1.0]}, "3 finite"),
        ({"gravity": [0.0, float("nan"), 0.0]}, "finite"),
        ({"autostart": True}, ""),
        ({"armature__joint_1": -0.5}, ""),
        ({"armature__joint_1": float("nan")}, ""),
        ({"no_such_parameter": 1}, ""),
    ],
)
def test_impossible_values_are_refused(serve_configured, change, word):
    result = serve_configured.client.set(**change)[0]
    assert not result.successful
    assert result.reason
    assert word in result.reason


@pytest.fixture(scope="module")
def serve_configured(tmp_path_factory):
    from conftest import Serving

    serving = Serving(tmp_path_factory.mktemp("configured"), {"robot_description": urdf("arm7")}, "configured")
    assert serving.client.transition("configure")
    yield serving
    serving.close()


def test_changes_take_effect_at_the_next_configure(serve):
    serving = serve(robot_description=urdf("arm7"))
    node, client = serving.node, serving.client
    assert client.transition("configure")
    changes = {"max_batch": 3, "gravity": [1.0, 0.0, -5.0], "armature__joint_2": 0.25}
    for result in client.set(**changes):
        assert result.successful, result.reason
    for name in changes:
        assert f"not applied yet: '{name.replace('__', '.')}'; activate does not apply it, clean up and" in node.log
    assert client.transition("activate")
    waiting = "not applied yet: 'armature.joint_2', 'gravity', 'max_batch'; activate does not apply it, deactivate, clean up"
    assert waiting in node.log, node.log
    robot = RobotSide(client)
    robot.wait_until(lambda: "not applied yet" in robot.told(), "a word in diagnostics")
    assert client.good(GetModelInfo).model_info.gravity.z == -9.81
    assert client.transition("deactivate")
    assert client.transition("cleanup")
    warned = node.log.count("not applied yet")
    client.activate()
    assert node.log.count("not applied yet") == warned
    info = client.good(GetModelInfo).model_info
    assert (info.max_batch, info.gravity.x, info.gravity.z, info.armature[1]) == (3, 1.0, -5.0, 0.25)
    core = backend("arm7", gravity=(1.0, 0.0, -5.0), armature={"joint_2": 0.25})
    q = states(7, 3)
    same(client.good(BiasForces, position=q.ravel().tolist()).effort, core.bias_forces(q))
    same(client.good(MassMatrix, position=q.ravel().tolist()).mass_matrix, core.mass_matrix(q))
    client.refused(InverseDynamics, InverseDynamics.Response.BATCH_TOO_LARGE, "at most 3", position=[0.0] * 28)


def test_threads_reach_the_backend(serve):
    client = serve(robot_description=urdf("arm7"), threads=2).client
    client.activate()
    assert client.good(GetModelInfo).model_info.threads == 2


def test_armature_from_the_start(serve):
    client = serve(robot_description=urdf("arm7"), armature__joint_1=0.5).client
    client.activate()
    assert client.good(GetModelInfo).model_info.armature[0] == 0.5


def test_armature_of_a_joint_that_is_not_there(serve):
    serving = serve(robot_description=urdf("arm7"), armature__joint_9=0.5)
    assert not serving.client.transition("configure")
    assert "joint_9" in serving.node.log


def test_joints_choose_order_and_hold_the_others(serve):
    """Law: joints that are not in `joints` stand still at 0, and so does what mimics them."""
    client = serve(robot_description=urdf("gripper"), joints=["wrist_roll", "wrist_pitch"]).client
    client.activate()
    info = client.good(GetModelInfo).model_info
    assert list(info.joint_names) == ["wrist_roll", "wrist_pitch"]
    assert info.nv == 2
    q = states(2, 4)
    whole = np.zeros((4, 3))
    whole[:, [1, 0]] = q
    core = backend("gripper")
    same(client.good(InverseDynamics, position=q.ravel().tolist()).effort, core.inverse_dynamics(whole)[:, [1, 0]])


@pytest.mark.parametrize("joints", [["nothing"], ["joint_1", "joint_1"], ["base_mount"]])
def test_impossible_joints_fail_configure(serve, joints):
    serving = serve(robot_description=urdf("arm7"), joints=joints)
    assert not serving.client.transition("configure")
    assert f"'{joints[-1]}'" in serving.node.log


def test_mimic_independent(serve):
    client = serve(robot_description=urdf("gripper"), mimic="independent").client
    client.activate()
    info = client.good(GetModelInfo).model_info
    assert info.nv == 5 and not info.mimic_joints
    core = backend("gripper", mimic="independent")
    q = states(5, 2)
    same(client.good(InverseDynamics, position=q.ravel().tolist()).effort, core.inverse_dynamics(q))


def test_inertia_policy_error_refuses_a_bad_inertia(serve):
    bad = urdf("pendulum2").replace("<mass value=\"", "<mass value=\"-", 1)
    serving = serve(robot_description=bad, inertia_policy="error")
    assert not serving.client.transition("configure")
    assert "mass" in serving.node.log
