# SPDX-License-Identifier: Apache-2.0
"""To be imported: keeps a test, with the processes it starts, on this machine and in a domain of its own."""

import os
import random
import socket


def _own_domain():
    """A ROS domain, and what keeps it ours until this process ends: tests run side by side."""
    for domain in random.sample(range(1, 101), 100):  # 0 to 101 are the domains whose ports Linux leaves alone
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(f"\0rbd_parallel_domain_{domain}")  # a name that ends with its process
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as discovery:
                discovery.bind(("", 7400 + 250 * domain))  # taken where a program that is no test of ours is in it
            return domain, claim
        except OSError:
            claim.close()
    raise RuntimeError("no ROS domain is free")


DOMAIN, _claim = _own_domain()
os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
