# SPDX-License-Identifier: Apache-2.0
"""What T. Lynghus, "Data Parallel Rigid Body Dynamics", published: times on other machines than ours."""

CPU, GPU = "EPYC 7413", "A100"

# Bodies of a chain: microseconds of inverse dynamics by scans, on CPU and GPU.
RNEA_US = {
    10: (3, 657),
    100: (19, 668),
    1_000: (165, 751),
    10_000: (1654, 1289),
    100_000: (17026, 1551),
    1_000_000: (184429, 11318),
}

# Bodies of a chain: milliseconds of the mass matrix.
CRBA_MS = {1_000: (19.9, 1.25), 5_000: (511, 3.95), 10_000: (2008, 13.2)}

# One scan, of the velocity recurrence along a tree of branching 2, on the GPU: microseconds.
SCAN_BODIES = (100, 1_000, 10_000, 100_000, 1_000_000)
SCANS_US = {
    "native": (503, 540, 825, 3601, 28978),
    "blocked 64": (609, 698, 1128, 1599, 11046),
    "Blelloch": (833, 1179, 2009, 4383, 27491),
    "transforms, then mapped sums": (478, 600, 887, 1403, 10040),
}
