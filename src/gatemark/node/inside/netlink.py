# SPDX-License-Identifier: Apache-2.0
"""rtnetlink in a namespace, by pyroute2: a child of ours goes in and hands its socket out.

Other work may take the CPU from that child for seconds, and a child of a process with threads may
hang for good on a lock that another thread held (os.fork, its note). So it has time, and it is
tried again before the station is given up.
"""

from typing import Final

from pyroute2 import IPRoute, config

from gatemark.error import StationError

PATIENCE_S: Final = 10
TRIES: Final = 2

config.default_communicate_timeout = PATIENCE_S  # of all its sockets in namespaces


def inside(space: str) -> IPRoute:
    """The links, addresses and routes of a namespace. Raises StationError."""
    for _ in range(TRIES):
        try:
            return IPRoute(netns=space)
        except TimeoutError:
            continue
    raise StationError(
        f"{space}: no answer from within in {TRIES * PATIENCE_S} s: end what else this machine does"
    )
