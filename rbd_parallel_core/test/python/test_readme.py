# SPDX-License-Identifier: Apache-2.0
"""What README.md and docs/ show is true: their code runs, their outputs come out, their links and paths exist."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

import rbd_parallel


def repository():
    for folder in pathlib.Path(__file__).resolve().parents:
        if (folder / "README.md").is_file() and (folder / "dev").is_file():
            return folder
    raise FileNotFoundError("README.md and dev, in a folder above this file")


ROOT = repository()
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "rbd_parallel_ros/examples/README.md"]
PAGES += sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language):
    """The fenced code blocks of README.md in that language; at least one, or there is nothing to test."""
    found = [text for name, text in FENCE.findall(README) if name == language]
    assert found, f"README.md has no block of {language}"
    return found


def prose(page):
    """A page without its fenced and indented code blocks."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.sub(r"^    .*$", "", FENCE.sub("", text), flags=re.MULTILINE)


@pytest.mark.parametrize("code", blocks("python"))
def test_python_block_runs(code):
    # As a newcomer would: a fresh interpreter in the root of the repository.
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "arm7: 7 moving joints" in done.stdout


def test_plain_cmake_lines_configure(tmp_path):
    """On the machine that ./dev sets up. What they build and install is what every other test uses."""
    (lines,) = [block.splitlines() for block in blocks("sh") if "cmake -S" in block]
    assert lines[1] == "cmake --build build/mine && cmake --install build/mine"
    (tmp_path / "rbd_parallel_core").symlink_to(ROOT / "rbd_parallel_core")
    done = subprocess.run(
        lines[0], shell=True, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "HOME": str(tmp_path)}
    )
    assert done.returncode == 0, done.stderr
    cache = (tmp_path / "build/mine/CMakeCache.txt").read_text(encoding="utf-8")
    assert "CMAKE_GENERATOR:INTERNAL=Ninja\n" in cache  # packages.txt has no make
    assert f"CMAKE_INSTALL_PREFIX:PATH={tmp_path}/rbd\n" in cache


# Whole files, and files that excerpts are from. The tests build, load or install all of them.
PROGRAMS = ["rbd_parallel_core/test/install/main.cpp", "rbd_parallel_ros/examples/gravity_compensation.cpp"]
EXCERPTED = [
    "rbd_parallel_core/test/backend/test_conformance.cpp",
    "rbd_parallel_core/test/install/CMakeLists.txt",
    "rbd_parallel_ros/package.xml",
    "test/third_party_backend/CMakeLists.txt",
    "test/third_party_backend/plugins.xml",
    "test/third_party_backend/src/test_backends.cpp",
]
BROKEN_ROBOT = '<robot name="broken">\n'


def is_excerpt(block, path):
    """The block's lines are lines of the file, in its order; some may be left out."""
    lines = iter((ROOT / path).read_text(encoding="utf-8").splitlines())
    return all(line in lines for line in block.splitlines() if line)


def test_programs_are_the_tested_ones():
    for path in PROGRAMS:
        assert (ROOT / path).read_text(encoding="utf-8") in blocks("cpp"), path


@pytest.mark.parametrize("code", blocks("cpp") + blocks("cmake") + blocks("xml"))
def test_code_block_is_from_a_tested_file(code):
    assert code.startswith(BROKEN_ROBOT) or any(is_excerpt(code, path) for path in PROGRAMS + EXCERPTED)


def test_error_block_is_what_the_loader_says():
    (broken,) = [block for block in blocks("xml") if block.startswith(BROKEN_ROBOT)]
    with pytest.raises(rbd_parallel.ModelError) as caught:
        rbd_parallel.load_urdf(broken)
    assert str(caught.value) + "\n" in blocks("text")


def test_demo_block_is_what_the_demo_prints():
    demo = pathlib.Path(rbd_parallel.__file__).parents[2] / "rbd_demo"  # in the build folder, as the module
    done = subprocess.run([demo, ROOT / "config/robots/arm7.urdf"], capture_output=True, text=True, check=True)
    exact, check = done.stdout.rsplit("\n\n", 1)
    (shown,) = [block for block in blocks("text") if exact in block]
    # The last line ends with a rounding error, which differs between machines.
    words = re.compile(r"(Check .* largest difference) \S+ (N m  ok)")
    assert words.fullmatch(check.strip()).groups() == words.search(shown).groups()


def test_table_of_operations_names_what_exists():
    header = (ROOT / "rbd_parallel_core/include/rbd_parallel_core/backend.hpp").read_text(encoding="utf-8")
    table = README.split("## What it computes\n")[1].strip().split("\n\n")[0].splitlines()[2:]
    assert len(table) > 5
    mentioned = set()
    for row in table:
        _, cpp, python, _ = row.strip("| ").split(" | ")
        for name in re.findall(r"`(\w+)`", cpp):
            assert re.search(rf"^  Result {name}\(", header, re.MULTILINE), f"no Backend::{name} in backend.hpp"
        for name in re.findall(r"`(\w+)`", python):
            assert callable(getattr(rbd_parallel.Backend, name)), name
            mentioned.add(name)
    # Everything that computes is in the table; these report on a call.
    public = {name for name in dir(rbd_parallel.Backend) if not name.startswith("_")}
    others = {"name", "model", "max_batch", "threads", "spin_us", "friction", "status", "bad_states", "explain"}
    others |= {"dtype", "instruction_set", "layout", "lane_width"}
    assert public - others == mentioned


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), f"{page}: {target} does not exist"
        if anchor:
            titles = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]
            assert anchor in anchors, f"{page}: {target} names no section, there is {anchors}"


@pytest.mark.parametrize("page", PAGES)
def test_paths_exist(page):
    """Words in `quotes` that look like paths: with a slash, or a file name with an ending that we use."""
    for word in re.findall(r"`([^`\s]+)`", prose(page)):
        is_path = re.fullmatch(r"\.?[\w-]+(/[\w.*-]+)*/?", word) and "/" in word
        is_file = re.fullmatch(r"[\w-]+\.(md|txt|hpp|cpp|py|urdf|cmake)", word)
        is_ros_name = re.fullmatch(r"rbd_parallel/\w+|[a-z_]+_msgs/[A-Z]\w+", word)  # of a plugin, of a type
        if is_ros_name or word.startswith("build/") or not (is_path or is_file):  # build/ is made by ./dev
            continue
        places = [ROOT, ROOT / "rbd_parallel_core", ROOT / "rbd_parallel_core/include", ROOT / "docs"]
        for package in ("rbd_parallel_core", "rbd_parallel_ros"):  # a file may be called by its name alone
            places += [folder for part in ("include", "src", "test") for folder in (ROOT / package / part).rglob("*/")]
            places += [ROOT / package / "src"]
        assert any(any(place.glob(word.rstrip("/"))) for place in places), f"{page}: {word} does not exist"


@pytest.mark.parametrize("page", PAGES)
def test_commands_exist(page):
    usage = subprocess.run([ROOT / "dev", "--help"], capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r"^  (\w+)", usage, re.MULTILINE))
    assert {"demo", "test"} <= known
    text = (ROOT / page).read_text(encoding="utf-8")
    for command in re.findall(r"\./dev +([\w-]+)", text):
        assert command in known | {"--help"}, f"{page}: ./dev {command}, but ./dev --help lists {sorted(known)}"


@pytest.mark.parametrize("page", PAGES)
def test_no_placeholder_is_left(page):
    assert not re.findall(r"<<[A-Z_]+>>", (ROOT / page).read_text(encoding="utf-8"))
