# SPDX-License-Identifier: Apache-2.0
"""The machine that figures come from, and what else it had to do."""

import os
import pathlib
import platform
import re
import resource
import time


def cpu_model():
    """The processor's name as the kernel gives it."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown CPU"
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown CPU"


def is_virtual():
    """Whether the processor says that it belongs to a virtual machine."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
    return bool(re.search(r"^flags.*\bhypervisor\b", text, re.MULTILINE))


def kernel():
    """Its version, and how it lets go of a processor: "Linux 6.1, PREEMPT_DYNAMIC, not PREEMPT_RT"."""
    version = ".".join(platform.release().split(".")[:2])
    words = re.findall(r"\bPREEMPT\w*", platform.version()) or ["no PREEMPT"]
    if "PREEMPT_RT" not in words:
        words.append("not PREEMPT_RT")
    return ", ".join([f"{platform.system()} {version}", *words])


def governors():
    """What decides on the frequencies of the cores."""
    files = pathlib.Path("/sys/devices/system/cpu").glob("cpu*/cpufreq/scaling_governor")
    return ", ".join(sorted({file.read_text(encoding="utf-8").strip() for file in files})) or "not to be seen"


class OtherPrograms:
    """How much of the machine others use while we measure, as the kernel counts it."""

    def __init__(self):
        self._start, self._start_busy = time.monotonic(), self._busy_seconds()

    @staticmethod
    def _busy_seconds():
        """Of all processors and programs, less what the programs that we ran have used."""
        with open("/proc/stat", encoding="utf-8") as file:
            user, nice, system, _, _, irq, softirq = (int(word) for word in file.readline().split()[1:8])
        ours = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK") - ours.ru_utime - ours.ru_stime

    def busy_cores(self):
        return max(0.0, (self._busy_seconds() - self._start_busy) / (time.monotonic() - self._start))
