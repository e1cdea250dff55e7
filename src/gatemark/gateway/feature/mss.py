# SPDX-License-Identifier: Apache-2.0
"""The feature `mss`: the segment size that TCP opens with is clamped to the route's MTU.

As routers on PPPoE lines do (nft(8), "EXTENSION HEADER EXPRESSIONS"). Every packet is asked whether
it is TCP's first; only the first ones are changed.
"""

from gatemark.gateway import table
from gatemark.gateway.feature.asked import Asked

RULE = "    tcp flags syn tcp option maxseg size set rt mtu\n"


async def apply(asked: Asked) -> None:
    """Add the rule at the hooks of this path."""
    await table.add(asked.changes, "gatemark_mss", table.filter_chains(asked.path, RULE))
