# SPDX-License-Identifier: Apache-2.0
"""What the papers published: findings on other machines than ours. Curves that are only drawn there are not read off."""

# Yang, Wu, Pan, "Parallel Dynamics Computation using Prefix Sum Operations".
PREFIX_SUMS_MACHINE = "i7-6700 and Tesla K40c"
HYBRID_BEATS_JSIIA = 100  # links, about, both on the GPU
ABA_BEATS_JSIIA = 190  # links, about: one CPU thread against the GPU
GROUPS = 1000
MOST_INVERSE, MOST_FORWARD = 500, 100  # times as fast as one CPU thread for each group, at most

# Critchley, Anderson, Binani, DETC2007-35128.
DCAE_MACHINE = "Xeon at 3.2 GHz, four processors"
SOLVES = 200
BEST_SHARE = 0.75  # of the bodies in the last block, on two processors
DCA_BY_ABA = 4.0  # time of DCA by that of the O(n) method on one processor, slightly more
INNER_BODY = 2.12  # multiplications for a body of a block that is not the last, by those for one of the last: 637 / 300
