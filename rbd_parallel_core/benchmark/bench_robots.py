# SPDX-License-Identifier: Apache-2.0
"""The robots of the benchmark, as arguments of rbd_bench."""

import importlib.metadata
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

from front_end import BenchError

BATCHES = (1, 64, 1024, 16384)
PAPER_BATCH = 1000  # "1000 groups" of links
QUICK_BATCHES = (1, 64, 1024, PAPER_BATCH)

# Name in the tables, file among example-robot-data's robots, base, joints that are fixed in place.
ROBOTS = [
    ("UR5", "ur_description/urdf/ur5_robot.urdf", "fixed", ()),
    ("Panda", "panda_description/urdf/panda.urdf", "fixed", ("panda_finger_joint1", "panda_finger_joint2")),
    ("ANYmal floating", "anymal_b_simple_description/robots/anymal.urdf", "floating", ()),
    ("Talos", "talos_data/robots/talos_reduced.urdf", "fixed", ()),
    ("Talos floating", "talos_data/robots/talos_reduced.urdf", "floating", ()),
]
# Bodies, and the batches of each.
CHAINS = {10: (*BATCHES, PAPER_BATCH), 30: BATCHES, 100: (*BATCHES, PAPER_BATCH), 200: (*BATCHES, PAPER_BATCH)}


def robots_directory():
    """The folder of example-robot-data's robots in this Python's site-packages."""
    try:
        distribution = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        raise BenchError(f"{sys.executable} lacks the robots: pip install example-robot-data") from None
    return pathlib.Path(distribution.locate_file("cmeel.prefix/share/example-robot-data/robots"))


def prepared(urdf, fixed_joints):
    """The text that every contestant reads: without shapes, whose files MuJoCo would want, and with joints fixed."""
    root = ElementTree.fromstring(urdf)
    missing = set(fixed_joints) - {joint.get("name") for joint in root.iter("joint")}
    if missing:
        raise BenchError(f"no joint named {', '.join(sorted(missing))}")
    for link in root.findall("link"):
        for shape in link.findall("visual") + link.findall("collision"):
            link.remove(shape)
    for joint in root.iter("joint"):
        if joint.get("name") in fixed_joints:
            joint.set("type", "fixed")
            for mimic in joint.findall("mimic"):
                joint.remove(mimic)
    return ElementTree.tostring(root, encoding="unicode")


def _batches(batches, wanted):
    return ",".join(str(batch) for batch in batches if not wanted or batch in wanted)


def arguments_for(directory, names=(), batches=()):
    """Writes the robots to `directory`; `names` and `batches` leave out all others."""
    source = robots_directory()
    arguments = []
    for name, path, base, fixed_joints in ROBOTS:
        if names and name not in names:
            continue
        copy = pathlib.Path(directory) / f"{name.replace(' ', '_')}.urdf"
        text = (source / path).read_text(encoding="utf-8")
        copy.write_text(prepared(text, fixed_joints), encoding="utf-8")
        arguments += ["--robot", name, str(copy), base, _batches(BATCHES, batches)]
    for bodies, own_batches in CHAINS.items():
        if not names or f"chain {bodies}" in names:
            arguments += ["--chain", str(bodies), _batches(own_batches, batches)]
    if not arguments:
        known = [robot[0] for robot in ROBOTS] + [f"chain {bodies}" for bodies in CHAINS]
        raise BenchError(f"no robot named {', '.join(names)}: expected some of {', '.join(known)}")
    return arguments
