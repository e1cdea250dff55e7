# SPDX-License-Identifier: Apache-2.0
"""The feature `conntrack`: every packet's connection is tracked, as stateful firewalls do.

The kernel tracks as soon as a rule asks for a packet's state; this is the rule that home routers
have first: what belongs to a known connection is accepted.
"""

from collections.abc import Awaitable, Callable

from gatemark.gateway import table
from gatemark.station.wiring import Gateway

RULE = "    ct state established,related accept\n"


async def apply(gateway: Gateway, path: str, _number: int) -> Callable[[], Awaitable[None]]:
    """Track connections at the hooks of this path; the undo stops it."""
    return await table.add(gateway, "gatemark_conntrack", table.filter_chains(path, RULE))
