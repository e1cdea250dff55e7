# SPDX-License-Identifier: Apache-2.0
"""The path `nat`: routing, with the source masqueraded behind the WAN port's address."""

from collections.abc import Awaitable, Callable

from gatemark.gateway import route, table
from gatemark.station.wiring import Gateway

WAN = "gw1"  # its role
CHAIN = """
  chain postrouting {{
    type nat hook postrouting priority srcnat
    oifname "{wan}" masquerade
  }}
"""


async def apply(gateway: Gateway) -> Callable[[], Awaitable[None]]:
    """Route, and add our own table with one masquerade rule; the undo removes that table alone."""
    stop_routing = await route.apply(gateway)
    try:
        remove = await table.add(gateway, "gatemark", CHAIN.format(wan=gateway.devices[WAN]))
    except BaseException:
        await stop_routing()
        raise

    async def undo() -> None:
        await remove()
        await stop_routing()

    return undo
