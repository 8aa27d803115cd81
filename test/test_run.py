# SPDX-License-Identifier: Apache-2.0
"""./dev run and ./dev exec: a node for newcomers, and the way to call it without a ROS 2 installation."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest
from node_process import ROBOTS

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUN = ROOT / "rbd_parallel_ros" / "demo" / "run.py"
built_by_dev = pytest.mark.skipif(
    not (ROOT / "install" / "share" / "rbd_parallel_msgs").is_dir(), reason="the node was not built by ./dev"
)

# ./dev exec without its set-up, since the ./dev that runs these tests has the lock.
EXEC = f"""#!/usr/bin/env bash
source <(sed -e '/^case \\${{1:-}} in/,$d' -e 's|^ROOT=.*|ROOT={ROOT}|' {ROOT}/dev)
setup() {{ use_environment; }}
cmd_exec "${{@:2}}"
"""


def bare_environment():
    """As in a new terminal: nothing of ROS 2, apart from the domain of this test."""
    dropped = ("AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in dropped}


@pytest.fixture
def dev(tmp_path):
    path = tmp_path / "dev"
    path.write_text(EXEC)
    path.chmod(0o755)
    return path


def ended(*arguments):
    """What run.py does with arguments that it should not go on with."""
    return subprocess.run([sys.executable, RUN, *arguments], capture_output=True, text=True, timeout=60)


@contextlib.contextmanager
def running(tmp_path, *arguments):
    """run.py with a node; what it printed once the node is active."""
    log = tmp_path / "run.log"
    with open(log, "wb") as out:
        process = subprocess.Popen([sys.executable, RUN, *arguments], stdout=out, stderr=subprocess.STDOUT)
    try:
        for _ in range(400):
            if "up to" in log.read_text() or process.poll() is not None:
                break
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        yield log
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0, log.read_text()


def client_in(text):
    """The client that run.py shows, from the line with ./dev to the END of its text."""
    (client,) = re.findall(r"^/\S+/dev exec python - <<'END'\n.*?^END$", text, re.MULTILINE | re.DOTALL)
    return client


@built_by_dev
@pytest.mark.parametrize("robot, given, joints", [
    ("arm7", [], 7), ("quadruped", ["base:=floating"], 12), ("gripper", ["joints:=[wrist_pitch]"], 1),
])  # fmt: skip
def test_the_client_that_is_shown_works_as_it_is(tmp_path, dev, robot, given, joints):
    with running(tmp_path, ROBOTS / f"{robot}.urdf", *given) as log:
        client = client_in(log.read_text()).replace(str(ROOT / "dev"), str(dev), 1)
        done = subprocess.run(["bash", "-c", client], env=bare_environment(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answer = eval(done.stdout)  # {'joint_1': 0.0, ...}
    assert len(answer) == joints and any(effort != 0 for effort in answer.values()), done.stdout


@built_by_dev
def test_exec_has_ros_and_the_oracles(dev):
    """Law: one Python has the messages, the core's module and what the core's tests compare with."""
    code = "import rclpy, rbd_parallel_msgs.srv, rbd_parallel, pinocchio, mujoco; print(rbd_parallel.__file__)"
    done = subprocess.run([dev, "exec", "python", "-c", code], env=bare_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(ROOT / "build")), "the module that was built, not an older one that is installed"


@pytest.mark.parametrize("given, words", [
    (["max_batch:=1e6"], ["parameter max_batch is", "type double", "expected a value of type integer"]),
    (["max_batch:=20000.0"], ["parameter max_batch is", "type double"]),
    (["max_batch:=abc"], ["parameter max_batch is 'abc'", "type integer"]),
    (["autostart:=maybe"], ["parameter autostart is 'maybe'", "type bool"]),
    (["max_batch:=5", "max_batch:=6"], ["max_batch is given twice: '5' and '6'"]),
    (["max_batch=5"], ["'max_batch=5' is no parameter, expected PARAMETER:=VALUE"]),
    (["max_batch:="], ["max_batch has no value"]),
    (["robot_description:=x"], ["robot_description"]),
])  # fmt: skip
def test_parameters_that_cannot_be_are_not_ignored(given, words):
    done = ended(ROBOTS / "arm7.urdf", *given)
    assert done.returncode != 0
    for word in words:
        assert word in done.stderr + done.stdout, done.stderr


def test_parameters_that_are_given_count(tmp_path):
    with running(tmp_path, ROBOTS / "arm7.urdf", "max_batch:=123", "effort_mod:=gravity") as log:
        assert "up to 123 states" in log.read_text()
        assert "there is no parameter 'effort_mod'; it has no effect. Did you mean 'effort_mode'?" in log.read_text()
