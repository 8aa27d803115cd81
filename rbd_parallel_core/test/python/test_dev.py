# SPDX-License-Identifier: Apache-2.0
"""Functions of ./dev, run by themselves."""

import re
import shutil
import subprocess

import pytest
from test_readme import ROOT

BASH, CMAKE = shutil.which("bash"), shutil.which("cmake")
NAMES = ("CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER")


def function(name):
    """Its text."""
    found = re.search(rf"^{name}\(\) {{\n.*?^}}$", (ROOT / "dev").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found, f"./dev has no function {name}"
    return found.group()


def launcher_options(folder, **environment):
    """With a PATH of nothing but this folder."""
    done = subprocess.run(
        [BASH, "-euo", "pipefail", "-c", function("launcher_options") + "\nlauncher_options"],
        env={"PATH": str(folder), **environment}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


@pytest.fixture
def with_ccache(tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "ccache").write_text("#!/bin/sh\n")
    (folder / "ccache").chmod(0o755)
    return folder


def test_a_launcher_of_the_environment_comes_before_ccache(with_ccache):
    assert launcher_options(with_ccache) == [f"-D{name}=ccache" for name in NAMES]
    named = launcher_options(with_ccache, CMAKE_CXX_COMPILER_LAUNCHER="distcc")
    assert named == [f"-D{NAMES[0]}=", f"-D{NAMES[1]}=distcc"]


def test_a_launcher_that_was_uninstalled_does_not_stay(with_ccache, tmp_path):
    """Law: a build folder that was configured with ccache is configured without it once ccache is no longer found."""
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.24)\nproject(nothing LANGUAGES NONE)\n")
    build, nowhere = tmp_path / "build", tmp_path / "empty"
    nowhere.mkdir()

    def launchers(path):
        subprocess.run(
            [CMAKE, "-G", "Ninja", "-S", tmp_path, "-B", build, *launcher_options(path)], capture_output=True, text=True, check=True
        )
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
        return [re.search(rf"^{name}:\w+=(.*)$", cache, re.MULTILINE).group(1) for name in NAMES]

    assert launchers(with_ccache) == ["ccache", "ccache"]
    assert launchers(nowhere) == ["", ""]
