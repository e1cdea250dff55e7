# SPDX-License-Identifier: Apache-2.0
"""The feature `filter:N`: N rules, one after the other, of which none matches a test packet.

Each rule compares the destination port, with one load and one comparison for IPv4, IPv6, UDP and
TCP alike. The ports begin where no flow of ours has one (station/wiring.py).
"""

from collections.abc import Awaitable, Callable

from gatemark.gateway import table
from gatemark.station.wiring import Gateway

FIRST_PORT = 40_000


async def apply(gateway: Gateway, path: str, number: int) -> Callable[[], Awaitable[None]]:
    """Add N rules at the hooks of this path; the undo takes them away."""
    rules = "".join(f"    th dport {FIRST_PORT + at} drop\n" for at in range(number))
    return await table.add(gateway, "gatemark_filter", table.filter_chains(path, rules))
