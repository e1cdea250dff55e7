# SPDX-License-Identifier: Apache-2.0
"""The feature `dscp:N`: every forwarded packet leaves with the DSCP N (RFC 2474).

As routers mark traffic for the queues behind them (section 3; nft(8) "PAYLOAD
EXPRESSIONS"). A packet of IPv4 gets a new header checksum, too; one of IPv6 has none.
"""

from typing import Final

from gatemark.gateway import table
from gatemark.gateway.feature.asked import Asked

RULES: Final = "    ip dscp set {point}\n    ip6 dscp set {point}\n"


async def apply(asked: Asked) -> None:
    """Add the rules at the hooks of this path."""
    (point,) = asked.arguments
    chains = table.filter_chains(asked.path, RULES.format(point=point))
    await table.add(asked.changes, "gatemark_dscp", chains)
