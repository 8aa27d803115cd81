# SPDX-License-Identifier: Apache-2.0
"""What the counted flops and bytes of the kernels would allow on a device: a roofline, no measurement."""

from typing import NamedTuple


class Device(NamedTuple):
    """Peaks as the vendor states them."""

    name: str
    bandwidth: float  # bytes/s
    flops: dict  # per second, by the bytes of a number
    host_link: float  # bytes/s, PCI Express in one direction


A100 = Device("A100 SXM4 40 GB", 1555e9, {8: 9.7e12, 4: 19.5e12}, 32e9)
RTX_4090 = Device("RTX 4090", 1008e9, {8: 1.29e12, 4: 82.6e12}, 32e9)
DEVICES = (A100, RTX_4090)

# A row of numbers is read and written once by the transposition to lanes or from them.
TRANSPOSITION = 2


def bytes_of_state(count, size):
    """Traffic of the device's memory for one state, if its caches helped with nothing."""
    return (count["numbers"] + TRANSPOSITION * count["rows"]) * size


def seconds_of_state(device, count, size):
    """At the peak of whichever is slower: memory or arithmetic."""
    return max(bytes_of_state(count, size) / device.bandwidth, count["flops"] / device.flops[size])


def states_per_second(device, count, size, from_host=False):
    """For arrays on the device, or for arrays of the host, whose copies are not hidden behind the kernels."""
    seconds = seconds_of_state(device, count, size)
    if from_host:
        seconds += count["rows"] * size / device.host_link
    return 1 / seconds


def counts_table(counts):
    """Flops and bytes of one state. counts: by robot, what rbd_gpu_counts prints."""
    lines = ["| robot | algorithm | flops | numbers loaded and stored | numbers in and out | flops / byte, double |"]
    lines.append("|---|---|--:|--:|--:|--:|")
    for robot, count in counts.items():
        for algorithm in ("RNEA", "CRBA", "ABA"):
            own = count[algorithm]
            intensity = own["flops"] / bytes_of_state(own, 8)
            lines.append(
                f"| {robot} | {algorithm} | {own['flops']} | {own['numbers']} | {own['rows']} | {intensity:.2f} |"
            )
    return "\n".join(lines)


def projection_table(counts):
    """Million states a second."""
    head = [f"{device.name}, {real}" for device in DEVICES for real in ("double", "float")]
    lines = ["| robot | algorithm | " + " | ".join(f"{each} | from the host" for each in head) + " |"]
    lines.append("|---|---" + "|--:" * (2 * len(head)) + "|")
    for robot, count in counts.items():
        for algorithm in ("RNEA", "CRBA", "ABA"):
            cells = []
            for device in DEVICES:
                for size in (8, 4):
                    for from_host in (False, True):
                        cells.append(f"{states_per_second(device, count[algorithm], size, from_host) / 1e6:.3g}")
            lines.append(f"| {robot} | {algorithm} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
