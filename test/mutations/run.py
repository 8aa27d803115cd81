# SPDX-License-Identifier: Apache-2.0
"""Whether the tests catch wrong edits of the sources: `./dev test --mutations [ID...]`, see docs/mutations.md.

Everything happens in build/mutations, on a copy of the sources. What is not mutated is built once; for a mutation only the
objects that it needs are compiled, by the commands that CMake wrote down, and put back afterwards.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = pathlib.Path(__file__).with_name("mutations.toml")
WORK = ROOT / "build" / "mutations"
SOURCE, INSTALL, LOG = WORK / "source", WORK / "install", WORK / "log.txt"
STANDIN = SOURCE / "rbd_parallel_ros" / "rclcpp_standin"
JOBS = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
TEST_SECONDS = 300  # a mutation may make a loop endless
CORE_TESTS = """test_spatial test_sincos test_model test_load_urdf test_corpus test_backend test_bounds test_vtree
test_scan_dynamics test_forward_methods test_auto_backend test_methods test_two_port_accuracy test_gpu_backend
test_derivative_backend test_trajectory test_gpu_walls test_gpu_races_sanitized test_float_mode test_tree_backend test_tree_mass_matrix
test_graph test_trace test_machine_code test_neon_code test_compiled_backend""".split()


class Stop(Exception):
    """The list, the build or the unchanged tests are broken: there is nothing to measure."""


def read_list(path=LIST):
    with open(path, "rb") as file:
        data = tomllib.load(file)
    return data["suite"], data["mutation"]


def misplaced(mutations, root=ROOT):
    """The mutations whose old text does not occur exactly once in their file, each with the reason."""
    reasons = []
    for mutation in mutations:
        path = root / mutation["file"]
        count = path.read_text(encoding="utf-8").count(mutation["old"]) if path.is_file() else 0
        if count != 1:
            reasons.append(f"{mutation['id']}: its old text occurs {count} times in {mutation['file']}, expected once")
    return reasons


# ---- commands


def run(command, **options):
    """Runs it with its output in the log; returns exit code and output."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **options}
    try:
        done = subprocess.run(command, text=True, errors="replace", **options)
        code, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        code, output = -1, (late.stdout or b"").decode(errors="replace") + f"\nended after {late.timeout} s\n"
    with open(LOG, "a", encoding="utf-8") as log:
        log.write(f"$ {command if isinstance(command, str) else shlex.join(map(str, command))}\n{output}\n")
    return code, output


def must(what, command, **options):
    start = time.monotonic()
    print(f"{what} ...", end="", flush=True)
    code, output = run(command, **options)
    print(f" {time.monotonic() - start:.0f} s", flush=True)
    if code != 0:
        raise Stop(f"{what} failed; see {LOG.relative_to(ROOT)}\n{output[-3000:]}")


def prepend(name, *entries):
    os.environ[name] = ":".join([*map(str, entries), *filter(None, [os.environ.get(name)])])


# ---- the build without mutations


def copy_sources():
    """Brings the copy up to date. Files that did not change keep their time, so that they are not compiled again."""
    listed = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\0")
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    for name in wanted:
        source, copy = ROOT / name, SOURCE / name
        if not copy.is_file() or copy.read_bytes() != source.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)
    for link in (name for name in listed if name and (ROOT / name).is_symlink()):  # to folders of the repository
        (SOURCE / link).unlink(missing_ok=True)
        (SOURCE / link).symlink_to(os.readlink(ROOT / link))
    for path in SOURCE.rglob("*"):
        if path.is_file() and str(path.relative_to(SOURCE)) not in wanted:
            path.unlink()


def configure(name, source, *arguments):
    python = f"{ROOT}/.venv/bin/python"
    must(f"configuring {name}", [
        "cmake", "-S", source, "-B", WORK / name, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=ON",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", f"-DPython_EXECUTABLE={python}",
        f"-DPython3_EXECUTABLE={python}", f"-DCMAKE_INSTALL_PREFIX={INSTALL}", *arguments,
    ])  # fmt: skip


def build(name, *targets):
    target = ["--target", *targets] if targets else []
    must(f"building {name}", ["cmake", "--build", WORK / name, "-j", JOBS, *target])


def install(name):
    return ["cmake", "--install", WORK / name]


def build_core(with_python):
    configure("core", SOURCE / "rbd_parallel_core", "-DRBD_INSTRUCTION_SETS=baseline", "-DRBD_AMENT=OFF",
              "-DRBD_BUILD_PYTHON=ON")  # fmt: skip
    build("core", "rbd_parallel_core", *CORE_TESTS)
    if with_python:
        build("core", "rbd_parallel_python", "rbd_parallel_python_stub", "rbd_demo")


def build_ros():
    prepend("AMENT_PREFIX_PATH", INSTALL)
    prepend("CMAKE_PREFIX_PATH", INSTALL)
    prepend("LD_LIBRARY_PATH", INSTALL / "lib")
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    prepend("PYTHONPATH", WORK / "core" / "python", INSTALL / "lib" / python / "site-packages")
    must("installing core", install("core"))
    wheels = []
    if not os.environ.get("ROS_DISTRO"):
        wheels = [f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={STANDIN}/wheels_repair.cmake"]
        prefix = f"-DCMAKE_INSTALL_PREFIX={os.environ['RBD_STANDIN_PREFIX']}"
        configure("standin", STANDIN, *wheels, "-DBUILD_TESTING=OFF", prefix)
        build("standin")
        must("installing standin", install("standin"))
    for name, folder in (("msgs", "rbd_parallel_msgs"), ("ros", "rbd_parallel_ros")):
        configure(name, SOURCE / folder, *wheels)
        build(name)
        must(f"installing {name}", install(name))


# ---- one mutation


class Suite:
    """Tests, and what must be compiled and linked for them to see a mutation.

    folder   of the build: core or ros
    objects  sources to compile where a header is mutated (a mutated source is compiled itself); of one that is compiled
             several times the time with that option: "FILE -DRBD_REAL=double"
    links    what to link then, in this order
    runner   ctest or pytest
    """

    def __init__(self, name, folder, links, objects=(), runner="ctest"):
        self.name, self.links, self.objects, self.runner = name, links, objects, runner
        self.build = WORK / folder

    def sources(self, mutation):
        return [mutation["file"]] if mutation["file"].endswith(".cpp") else mutation.get("objects", self.objects)

    def commands(self, mutation):
        """(output, command) of every step."""
        database = json.loads((self.build / "compile_commands.json").read_text())
        links = []
        for link in self.links:
            code, output = run(["ninja", "-C", self.build, "-t", "commands", "-s", link])
            if code != 0:
                raise Stop(f"suite {self.name}: no command makes {link}")
            links.append((self.build / link, [line for line in output.splitlines() if line][-1]))
        linked = " ".join(command for _, command in links).split()
        steps = []
        for source in self.sources(mutation):
            file, *flags = source.split()
            compiled = [entry["command"] for entry in database if entry["file"] == str(SOURCE / file)
                        and set(flags) <= set(entry["command"].split())]  # fmt: skip
            objects = [(re.search(r" -o (\S+)", command).group(1), command) for command in compiled]
            found = [(self.build / name, command) for name, command in objects if name in linked]  # other targets compile it too
            if not found:
                raise Stop(f"{mutation['id']}: suite {self.name} does not compile {source}")
            steps += found
        return steps + links

    def test(self, wanted):
        """Name of the first test that failed, None if all passed."""
        if self.runner == "ctest":
            command = ["ctest", "--test-dir", self.build, "-R", wanted, "--no-tests=error", "--stop-on-failure",
                       "--timeout", str(TEST_SECONDS)]  # fmt: skip
            code, output = run(command)
            failed = re.findall(r"Test +#\d+: ([^\s<]+).*\*\*\*(?!Skipped)", output)
        else:
            run(install("ros"))
            command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-k", wanted, SOURCE / "test"]
            code, output = run(command, timeout=TEST_SECONDS)
            failed = re.findall(r"^(?:FAILED|ERROR) \S*?(\w+\.py::\S+)", output, re.MULTILINE)
            if code == 5:
                raise Stop(f"no test matches {wanted}")
        if code == 0:
            return None
        if not failed and self.runner == "ctest" and "No tests were found" in output:
            raise Stop(f"no test matches {wanted}")
        return failed[0] if failed else "(no test named; see the log)"


def put_back():
    """Undoes the mutation of a run that was interrupted."""
    for kept in WORK.rglob("*.kept"):
        os.replace(kept, kept.with_suffix(""))


class Mutated:
    """A mutation in the copy of the sources, for as long as a `with` lasts; then all is as it was."""

    def __init__(self, mutation, outputs):
        self.mutation, self.path = mutation, SOURCE / mutation["file"]
        self.kept = {path: path.with_name(path.name + ".kept") for path in [self.path, *outputs]}

    def __enter__(self):
        for path, kept in self.kept.items():
            shutil.copy2(path, kept)
        text = self.path.read_text(encoding="utf-8")
        self.path.write_text(text.replace(self.mutation["old"], self.mutation["new"]), encoding="utf-8")

    def __exit__(self, *_):
        for path, kept in self.kept.items():
            os.replace(kept, path)


def judge(suite, mutation):
    """("caught", test), ("survived", "") or ("not built", "")."""
    steps = suite.commands(mutation)
    with Mutated(mutation, [output for output, _ in steps]):
        for _, command in steps:
            if run(command, shell=True, cwd=suite.build)[0] != 0:
                return "not built", ""
        failed = suite.test(mutation["tests"])
    return ("survived", "") if failed is None else ("caught", failed)


def table(rows):
    lines = ["| Mutation | File | What is wrong | Caught by |", "| --- | --- | --- | --- |"]
    for mutation, verdict, test in rows:
        file = re.sub(r"^rbd_parallel_core/(include/rbd_parallel_core/)?", "", mutation["file"])
        caught_by = test if verdict == "caught" else f"**{verdict}**"
        lines.append(f"| {mutation['id']} | `{file}` | {mutation['meaning']} | {caught_by} |")
    return "\n".join(lines)


def remember(mutations, rows):
    """Keeps the verdicts of this run with those of earlier ones; the table of all that are known goes to results.md."""
    path = WORK / "results.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known |= {mutation["id"]: (verdict, test) for mutation, verdict, test in rows}
    path.write_text(json.dumps(known, indent=1))
    all_rows = [(mutation, *known[mutation["id"]]) for mutation in mutations if mutation["id"] in known]
    (WORK / "results.md").write_text(table(all_rows) + "\n")


def measure(suites, mutations):
    """Yields (mutation, verdict, test) one after the other."""
    used = {mutation["suite"] for mutation in mutations}
    with_ros = any(suites[name].build.name == "ros" for name in used)
    put_back()
    copy_sources()
    build_core(with_ros)
    if with_ros:
        build_ros()
    prepend("LD_LIBRARY_PATH", WORK / "core")  # the mutated library comes before every installed one
    for name, wanted in dict.fromkeys((mutation["suite"], mutation["tests"]) for mutation in mutations):
        failed = suites[name].test(wanted)
        if failed:
            raise Stop(f"without a mutation {failed} fails")
    print("without a mutation all tests pass", flush=True)
    for number, mutation in enumerate(mutations, 1):
        start = time.monotonic()
        print(f"[{number}/{len(mutations)}] {mutation['id']} ...", end="", flush=True)
        verdict, test = judge(suites[mutation["suite"]], mutation)
        print(f" {verdict} {test} ({time.monotonic() - start:.0f} s)", flush=True)
        yield mutation, verdict, test


def main():
    parser = argparse.ArgumentParser(description="Applies wrong edits to a copy of the sources and runs the tests.")
    parser.add_argument("ids", nargs="*", metavar="ID", help="mutations or suites of mutations.toml; none: all")
    ids = parser.parse_args().ids
    settings, mutations = read_list()
    suites = {name: Suite(name, **fields) for name, fields in settings.items()}
    unknown = set(ids) - {mutation["id"] for mutation in mutations} - set(suites)
    if unknown:
        raise Stop(f"no mutation or suite is named {', '.join(sorted(unknown))}")
    chosen = [mutation for mutation in mutations if not ids or mutation["id"] in ids or mutation["suite"] in ids]
    if misplaced(chosen):
        raise Stop("\n".join(misplaced(chosen)))
    WORK.mkdir(parents=True, exist_ok=True)
    LOG.write_text("")
    rows = []
    for row in measure(suites, chosen):
        rows.append(row)
        remember(mutations, rows)
    caught = sum(verdict == "caught" for _, verdict, _ in rows)
    print(f"\n{table(rows)}\n\n{caught} of {len(rows)} mutations are caught")
    return caught != len(rows)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Stop as problem:
        sys.exit(f"mutations: {problem}")
