# SPDX-License-Identifier: Apache-2.0
"""To be imported: keeps a test, with the processes it starts, on this machine and in a domain of its own."""

import os

os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)  # 0 to 101 are the domains whose ports Linux leaves alone
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
