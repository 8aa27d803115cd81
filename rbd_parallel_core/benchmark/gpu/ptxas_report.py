# SPDX-License-Identifier: Apache-2.0
"""What ptxas says about the kernels: registers, stack and spills, and whether they keep their budget."""

import argparse
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

MOST_REGISTERS = 255  # a thread has no more
MOST_SPILLED_BY_CUB = 48  # bytes: how many registers its kernels take is its choice; most on sm_86 and sm_89
# The outward pass of derivatives keeps the motion of a body and of its parent at once.
SPILLED_BY = {"DerivativesOutward<double>": 32}


class Kernel(NamedTuple):
    name: str
    architecture: str
    registers: int
    stack: int
    spilled: int

    def over_budget(self):
        """Why it is, or None."""
        allowed = MOST_SPILLED_BY_CUB if self.name.startswith("cub::") else SPILLED_BY.get(self.name, 0)
        if self.spilled > allowed:
            return f"{self.name} for {self.architecture} spills {self.spilled} bytes, {allowed} are allowed"
        if self.registers > MOST_REGISTERS:
            return f"{self.name} for {self.architecture} takes {self.registers} registers, allowed are {MOST_REGISTERS}"
        return None


def demangled(names):
    """What c++filt makes of them."""
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return dict(zip(names, text.splitlines()))


def short(name):
    """The body of a kernel: cuda_kernel<ns::Body<double, true> >(...) is Body<double, true>. Those of CUB are short too:
    cub::...::DeviceScanKernel<..., ns::Force<double>*, ...>(...) is cub::DeviceScan<Force>."""
    library = re.match(r"void cub::.*?(\w+)Kernel<(?:.*?rbd_parallel_core::(\w+)<)?", name)
    if library:
        return f"cub::{library.group(1)}" + (f"<{library.group(2)}>" if library.group(2) else "")
    body = re.search(r"cuda_kernel<(.*?) ?>\(", name)
    text = body.group(1) if body else name
    text = text.replace("rbd_parallel_core::", "").replace("(Rates)0", "at rest").replace("(Rates)1", "velocities")
    text = text.replace("(Rates)2", "all rates").replace("Body<", "<").replace("> >", ">>")
    lambdas = re.match(r"(Map|Totals|ScanPieces)<(\w+)", text)  # of a text: its name is all that can be read
    return f"{lambdas.group(1)}<{lambdas.group(2)}>" if lambdas else text


def parse(text):
    """The kernels that a report of ptxas -v is about."""
    kernels = []
    symbol = architecture = stack = spilled = None
    for line in text.splitlines():
        entry = re.search(r"Compiling entry function '(\S+)' for '(\S+)'", line)
        properties = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)
        used = re.search(r"Used (\d+) registers", line)
        if entry:
            symbol, architecture = entry.groups()
        elif properties:
            stack, stores, loads = map(int, properties.groups())
            spilled = stores + loads
        elif used and symbol:
            kernels.append(Kernel(symbol, architecture, int(used.group(1)), stack, spilled))
            symbol = None
    names = demangled([kernel.name for kernel in kernels])
    return [kernel._replace(name=short(names[kernel.name])) for kernel in kernels]


def read(folder):
    """The kernels of all reports below a folder, by name and architecture."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(folder).rglob("*.ptxas"))]
    kernels = [kernel for text in texts for kernel in parse(text)]
    return sorted(kernels, key=lambda kernel: (kernel.name, int(kernel.architecture.strip("sm_af"))))


def table(kernels):
    """As Markdown: a line for each kernel, the most of all architectures."""
    architectures = sorted({kernel.architecture for kernel in kernels}, key=lambda name: int(name.strip("sm_af")))
    lines = [f"| kernel, for {', '.join(architectures)} | registers | stack, bytes | spilled, bytes |", "|---|--:|--:|--:|"]
    for name in sorted({kernel.name for kernel in kernels}):  # several lambdas of one text count as one kernel
        own = [kernel for kernel in kernels if kernel.name == name]
        registers, stack, spilled = (max(numbers) for numbers in zip(*(kernel[2:] for kernel in own)))
        lines.append(f"| `{name}` | {registers} | {stack} | {spilled} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="the build folder, below which the reports lie")
    arguments = parser.parse_args()
    kernels = read(arguments.folder)
    print(table(kernels))
    faults = [fault for kernel in kernels if (fault := kernel.over_budget())]
    if not kernels:
        faults = [f"there is no report of ptxas below {arguments.folder}"]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
