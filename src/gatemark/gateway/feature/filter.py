# SPDX-License-Identifier: Apache-2.0
"""The feature `filter:N`: N rules, one after the other, of which none matches a test packet.

Each rule compares the destination port, with one load and one comparison for IPv4, IPv6, UDP and
TCP alike. The ports begin where no flow of ours has one (station/wiring.py).
"""

from gatemark.gateway import table
from gatemark.gateway.feature.asked import Asked

FIRST_PORT = 40_000


async def apply(asked: Asked) -> None:
    """Add N rules at the hooks of this path."""
    rules = "".join(f"    th dport {FIRST_PORT + at} drop\n" for at in range(int(asked.said[0])))
    await table.add(asked.changes, "gatemark_filter", table.filter_chains(asked.path, rules))
