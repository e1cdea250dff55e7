# SPDX-License-Identifier: Apache-2.0
"""The path `nat`: routing, with the source masqueraded behind the WAN port's address."""

from collections.abc import Awaitable, Callable

from gatemark.gateway import route, table
from gatemark.node.shell import Node

WAN_DEVICE = "gw1"
CHAIN = f"""
  chain postrouting {{
    type nat hook postrouting priority srcnat
    oifname "{WAN_DEVICE}" masquerade
  }}
"""


async def apply(gateway: Node) -> Callable[[], Awaitable[None]]:
    """Route, and add our own table with one masquerade rule; the undo removes that table alone."""
    stop_routing = await route.apply(gateway)
    try:
        remove = await table.add(gateway, "gatemark", CHAIN)
    except BaseException:
        await stop_routing()
        raise

    async def undo() -> None:
        await remove()
        await stop_routing()

    return undo
