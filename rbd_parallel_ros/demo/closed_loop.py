# SPDX-License-Identifier: Apache-2.0
"""The loop closed: a simulated 7-axis arm, limp, held by the node's gravity compensation, and moved by a computed-torque
controller; and a plot of it."""

import csv
import pathlib
import re
import subprocess

from ament_index_python.packages import get_package_prefix

START = [0.3, 0.6, -0.2, 1.0, 0.1, -0.6, 0.4]  # rad
LIMP, HELD, TRACKED = 2.0, 5.0, 6.0  # s
TIMEOUT = 60  # s
HELD_WITHIN = 0.1  # mm
SMALLEST = 1e-6  # mm, that is told apart from nothing
JOINTS = 7


class LoopError(Exception):
    pass


def program(name):
    return str(pathlib.Path(get_package_prefix("rbd_parallel_ros")) / "lib" / "rbd_parallel_ros" / name)


def read_table(path):
    """The columns of a CSV, by name."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


class Loop:
    """Runs the programs one after the other, in a folder for their files."""

    def __init__(self, folder, robot):
        self.folder, self.robot = folder, robot

    def _start(self, name, run, **parameters):
        parameters = {"robot_description": self.robot, "csv": self.folder / f"{run}.csv", **parameters}
        arguments = [word for key, value in parameters.items() for word in ("-p", f"{key}:={value}")]
        return subprocess.Popen(
            [program(name), "--ros-args", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def _finish(self, process):
        """What it printed."""
        try:
            said, _ = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
        if process.returncode != 0:
            raise LoopError(f"{process.args[0]} ended with {process.returncode}:\n{said}")
        return said

    def _simulate(self, run, duration, **parameters):
        # Commands that a busy machine delays are held for a while.
        parameters = {"start": START, "command_timeout": 2.0, "duration": duration, **parameters}
        return self._start("robot_simulator", run, **parameters)

    def displacement(self, run, duration, **parameters):
        """(s, mm from the start) of the tip."""
        self._finish(self._simulate(run, duration, **parameters))
        table = read_table(self.folder / f"{run}.csv")
        places = list(zip(table["tip.x"], table["tip.y"], table["tip.z"]))
        return table["time"], [1e3 * sum((a - b) ** 2 for a, b in zip(p, places[0])) ** 0.5 for p in places]

    def tracking(self, duration):
        """(table, rms, largest): what the controller wrote and said, rad."""
        controller = self._start("computed_torque", "tracking", duration=duration)
        simulator = self._simulate("tracked", 0.0, effort_topic="effort_commands")
        try:
            said = self._finish(controller)
        finally:
            simulator.terminate()
            self._finish(simulator)
        rms, largest = re.search(r"rms (\S+) rad, largest (\S+) rad", said).groups()
        return read_table(self.folder / "tracking.csv"), float(rms), float(largest)


def plot(limp, held, tracking, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (sag, track, error) = plt.subplots(1, 3, figsize=(15, 4.6), layout="constrained")
    for (time, distance), label in ((limp, "no commands"), (held, "effort_mode: gravity")):
        sag.semilogy(time, [max(d, SMALLEST) for d in distance], label=label)
    sag.axhline(HELD_WITHIN, color="grey", linestyle="--", linewidth=1, label=f"{HELD_WITHIN} mm")
    sag.set(title="Sag: the arm limp, and held by the node", xlabel="time since the brakes opened / s",
            ylabel=f"displacement of the tip / mm (at least {SMALLEST:g})", ylim=(SMALLEST / 3, 1e4))  # fmt: skip
    sag.legend(loc="lower right", bbox_to_anchor=(1, 0.15))
    for i in range(1, JOINTS + 1):
        colour = f"C{i - 1}"
        track.plot(tracking["time"], tracking[f"reference.joint_{i}"], color=colour, linestyle="--", linewidth=1)
        track.plot(tracking["time"], tracking[f"position.joint_{i}"], color=colour, linewidth=1)
        error.plot(tracking["time"], [1e3 * e for e in tracking[f"error.joint_{i}"]], color=colour, linewidth=1,
                   label=f"joint_{i}")  # fmt: skip
    track.set(title="Computed torque: references (dashed), positions", xlabel="time / s", ylabel="position / rad")
    error.set(title="Computed torque: tracking error", xlabel="time / s", ylabel="reference - position / mrad")
    error.legend(fontsize="small", ncols=2)
    for axes in (sag, track, error):
        axes.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def show(folder, robot, path):
    """Needs a node that is active with effort_mode gravity. Raises LoopError where something went wrong."""
    loop = Loop(folder, robot)
    print("\nThe loop closed with a simulated arm (1 kHz, no damping, no friction), in a process of its own")
    limp = loop.displacement("limp", LIMP, hold_time=0.3, effort_topic="nobody")
    print(f"  without commands          the tip falls {max(limp[1]):.0f} mm within {LIMP:g} s", flush=True)
    held = loop.displacement("held", HELD)
    print(f"  effort_mode gravity       the tip stays within {max(SMALLEST, *held[1]):.1g} mm for {HELD:g} s", flush=True)
    if max(held[1]) > HELD_WITHIN:
        raise LoopError(f"the tip moved by {max(held[1])} mm")
    tracking, rms, largest = loop.tracking(TRACKED)
    print(f"  computed torque (C++)     tracking error rms {1e3 * rms:.2f} mrad, largest {1e3 * largest:.2f} mrad in {TRACKED:g} s")
    plot(limp, held, tracking, path)
    print(f"  plot: {path}")
