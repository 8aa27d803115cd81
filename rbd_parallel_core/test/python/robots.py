# SPDX-License-Identifier: Apache-2.0
"""The robots that tests walk over: {name: path}, sorted by name."""

import importlib.metadata
import pathlib


def example_robots():
    """The URDF files of PyPI's example-robot-data, by their path below its folder of robots."""
    found = {}
    for file in importlib.metadata.files("example-robot-data"):
        if file.suffix == ".urdf":
            found[str(file).split("/robots/", 1)[1]] = pathlib.Path(file.locate()).resolve()
    return dict(sorted(found.items()))


def own_robots():
    """Those of this repository."""
    for folder in pathlib.Path(__file__).resolve().parents:
        robots = folder / "config" / "robots"
        if robots.is_dir():
            return {f"config/robots/{path.name}": path for path in sorted(robots.glob("*.urdf"))}
    raise FileNotFoundError("config/robots, in a folder above this file")
