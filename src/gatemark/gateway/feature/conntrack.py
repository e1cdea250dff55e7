# SPDX-License-Identifier: Apache-2.0
"""The feature `conntrack`: every packet's connection is tracked, as stateful firewalls do.

The kernel tracks as soon as a rule asks for a packet's state; this is the rule that home routers
have first: what belongs to a known connection is accepted.
"""

from gatemark.gateway import table
from gatemark.gateway.feature.asked import Asked

RULE = "    ct state established,related accept\n"


async def apply(asked: Asked) -> None:
    """Track connections at the hooks of this path."""
    await table.add(asked.changes, "gatemark_conntrack", table.filter_chains(asked.path, RULE))
