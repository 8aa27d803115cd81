# SPDX-License-Identifier: Apache-2.0
"""From rows of numbers to messages of geometry_msgs: linear before angular, force before torque."""

from geometry_msgs.msg import Accel, Point, Pose, Quaternion, Twist, Vector3, Wrench


def vector(numbers):
    return Vector3(x=float(numbers[0]), y=float(numbers[1]), z=float(numbers[2]))


def poses(rows):
    """x y z, quaternion x y z w; what else is in a row is not looked at."""
    return [
        Pose(
            position=Point(x=float(x[0]), y=float(x[1]), z=float(x[2])),
            orientation=Quaternion(x=float(x[3]), y=float(x[4]), z=float(x[5]), w=float(x[6])),
        )
        for x in rows
    ]


def twists(rows):
    return [Twist(linear=vector(x[:3]), angular=vector(x[3:6])) for x in rows]


def accelerations(rows):
    return [Accel(linear=vector(x[:3]), angular=vector(x[3:6])) for x in rows]


def wrenches(rows):
    return [Wrench(force=vector(x[:3]), torque=vector(x[3:6])) for x in rows]
