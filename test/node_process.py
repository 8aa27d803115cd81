# SPDX-License-Identifier: Apache-2.0
"""The node in a process of its own."""

import os
import pathlib
import signal
import subprocess
import time

import yaml
from ament_index_python.packages import get_package_prefix

ROBOTS = pathlib.Path(__file__).resolve().parent.parent / "config" / "robots"


def urdf(name):
    """The text of one of the repository's robots."""
    return (ROBOTS / f"{name}.urdf").read_text()


def executable(name="dynamics_node"):
    return pathlib.Path(get_package_prefix("rbd_parallel_ros")) / "lib" / "rbd_parallel_ros" / name


class NodeProcess:
    """Runs a node with parameters from a file, and keeps what it logs."""

    def __init__(self, folder, parameters=None, namespace="", arguments=(), program="dynamics_node"):
        self.folder = pathlib.Path(folder)
        self.log_path = self.folder / f"node_{time.monotonic_ns()}.log"
        command = [str(executable(program)), "--ros-args", "-r", f"__ns:=/{namespace}"]
        if parameters:
            path = self.log_path.with_suffix(".yaml")
            path.write_text(yaml.safe_dump({"/**": {"ros__parameters": parameters}}))
            command += ["--params-file", str(path)]
        with open(self.log_path, "wb") as log:
            # A session of its own, so that a Ctrl-C meant for the tests does not reach it.
            self.process = subprocess.Popen(
                command + list(arguments), stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )

    @property
    def log(self):
        return self.log_path.read_text(errors="replace")

    def alive(self):
        return self.process.poll() is None

    def wait_for_log(self, text, timeout=20):
        """Waits until the node has logged `text`."""
        end = time.monotonic() + timeout
        while text not in self.log:
            assert time.monotonic() < end, f"no '{text}' within {timeout} s in:\n{self.log}"
            time.sleep(0.02)

    def resident_bytes(self):
        """Memory that the process holds now."""
        pages = int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def stop(self, with_signal=signal.SIGTERM, timeout=20):
        """Ends the process and returns its exit code."""
        if self.alive():
            self.process.send_signal(with_signal)
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the node did not end within {timeout} s; its log:\n{self.log}") from None
