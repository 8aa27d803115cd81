# SPDX-License-Identifier: Apache-2.0
"""Bad requests: always an answer that names the problem, and a node that goes on."""

import math
import re

import bodies
import numpy as np
import pytest
from geometry_msgs.msg import Pose, Twist, Wrench
from rbd_parallel_msgs.srv import BiasForces, ForwardDynamics, InverseDynamics, MassMatrix

Error = InverseDynamics.Response
ZERO = [0.0] * 7


@pytest.fixture(autouse=True)
def goes_on(arm):
    yield
    assert arm.node.alive()
    bodies.every_service_answers(arm.client)


@pytest.mark.parametrize(
    "code, words, fields",
    [
        (Error.WRONG_SIZE, ["position is empty"], {}),
        (Error.WRONG_SIZE, ["position has 6", "multiple of 7"], {"position": ZERO[1:]}),
        (Error.WRONG_SIZE, ["position has 7", "expected 14"], {"position": ZERO, "batch_size": 2}),
        (Error.WRONG_SIZE, ["velocity has 1"], {"position": ZERO, "velocity": [0.0]}),
        (Error.WRONG_SIZE, ["acceleration has 8"], {"position": ZERO, "acceleration": ZERO + [0.0]}),
        (Error.WRONG_SIZE, ["base_pose", "fixed"], {"position": ZERO, "base_pose": [Pose()]}),
        (Error.WRONG_SIZE, ["base_twist", "fixed"], {"position": ZERO, "base_twist": [Twist()]}),
        (Error.WRONG_SIZE, ["external_wrenches has 1"], {"position": ZERO, "external_wrenches": [Wrench()]}),
        (Error.WRONG_SIZE, ["external_wrenches has 0"], {"position": ZERO, "external_wrench_links": ["tool"]}),
        (Error.UNKNOWN_LINK, ["'arm'"], {"position": ZERO, "external_wrench_links": ["arm"]}),
        (Error.INVALID_ARGUMENT, ["external_wrench_axes is 7"], {"position": ZERO, "external_wrench_axes": 7}),
        (Error.UNKNOWN_JOINT, ["'elbow'", "'joint_1'"], {"position": [0.0], "joint_names": ["elbow"]}),
        (Error.UNKNOWN_JOINT, ["''"], {"position": [0.0], "joint_names": [""]}),
        (Error.UNKNOWN_JOINT, ["xxx..."], {"position": [0.0], "joint_names": ["x" * 100000]}),
        (Error.DUPLICATE_JOINT, ["'joint_1'"], {"position": [0.0] * 2, "joint_names": ["joint_1"] * 2}),
        (Error.BATCH_TOO_LARGE, ["2001", "at most 2000"], {"position": ZERO * 2001}),
        (Error.BATCH_TOO_LARGE, ["4294967295"], {"batch_size": 2**32 - 1}),
    ],
)
def test_refused(arm, code, words, fields):
    arm.client.refused(InverseDynamics, code, *words, **fields)


def test_other_services_refuse_as_well(arm):
    arm.client.refused(BiasForces, Error.INVALID_ARGUMENT, "terms is 9", position=ZERO, terms=9)
    arm.client.refused(ForwardDynamics, Error.INVALID_ARGUMENT, "method is 9", position=ZERO, method=9)
    two_port = ForwardDynamics.Request.METHOD_TWO_PORT
    arm.client.refused(ForwardDynamics, Error.UNSUPPORTED, "METHOD_TWO_PORT", "use METHOD_AUTOMATIC, METHOD_ABA", position=ZERO, method=two_port)
    arm.client.refused(ForwardDynamics, Error.WRONG_SIZE, "effort has 1", position=ZERO, effort=[1.0])
    for service in (BiasForces, ForwardDynamics, MassMatrix):
        arm.client.refused(service, Error.WRONG_SIZE, "position is empty")
        arm.client.refused(service, Error.BATCH_TOO_LARGE, "2000", position=ZERO * 3000)


def test_floating_base_wants_poses(quadruped):
    quadruped.client.refused(InverseDynamics, Error.WRONG_SIZE, "base_pose has 0", position=[0.0] * 12)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_bad_numbers_spoil_only_their_state(arm, bad):
    position = np.zeros((3, 7))
    good = arm.client.good(InverseDynamics, position=position.ravel().tolist())
    position[1, 3] = bad
    response = arm.client.call(InverseDynamics, position=position.ravel().tolist())
    assert response.error_code == Error.STATES_FAILED
    word = "NaN" if math.isnan(bad) else "infinite"
    assert re.search(f"state 1: position of joint 'joint_4' is .*{word}", response.error_msg), response.error_msg
    assert list(response.status) == [Error.STATUS_OK, Error.STATUS_NOT_FINITE, Error.STATUS_OK]
    effort = np.reshape(response.effort, (3, 7))
    assert np.isnan(effort[1]).all()
    np.testing.assert_array_equal(effort[[0, 2]].ravel(), np.reshape(good.effort, (3, 7))[[0, 2]].ravel())


def test_zero_quaternion(quadruped):
    pose = Pose()
    pose.orientation.w = 0.0
    response = quadruped.client.call(InverseDynamics, position=[0.0] * 12, base_pose=[pose])
    assert response.error_code == Error.STATES_FAILED
    assert list(response.status) == [Error.STATUS_NOT_FINITE]
    assert "base_pose has a quaternion of zeros" in response.error_msg


def test_singular_state_names_the_joint(serve):
    robot = """<robot name="r"><link name="base"/><link name="arm"/><joint name="loose" type="continuous">
      <parent link="base"/><child link="arm"/></joint></robot>"""
    client = serve(robot_description=robot).client
    client.activate()
    response = client.call(ForwardDynamics, position=[0.0, 1.0])
    assert response.error_code == Error.STATES_FAILED
    assert "'loose'" in response.error_msg
    assert list(response.status) == [Error.STATUS_SINGULAR] * 2
    assert list(response.status_joint) == ["loose"] * 2
