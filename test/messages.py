# SPDX-License-Identifier: Apache-2.0
"""From rows of numbers to messages: linear before angular, force before torque."""

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Accel, Point, Pose, Quaternion, Twist, Vector3, Wrench
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint


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


def trajectory(names, q, v, a=None, times=None):
    """One point for each row; 10 ms apart unless said otherwise."""
    times = 0.01 * np.arange(len(q)) if times is None else times
    points = []
    for i, t in enumerate(times):
        nanoseconds = round(1e9 * float(t))
        point = JointTrajectoryPoint(positions=q[i].tolist(), velocities=v[i].tolist())
        point.time_from_start = Duration(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)
        if a is not None:
            point.accelerations = a[i].tolist()
        points.append(point)
    header = Header(stamp=Time(sec=12, nanosec=34), frame_id="somewhere")
    return JointTrajectory(header=header, joint_names=names, points=points)
