# SPDX-License-Identifier: Apache-2.0
"""The path `nat`: routing, with the source masqueraded behind the WAN port's address."""

from gatemark.gateway import route, table
from gatemark.gateway.changes import Changes
from gatemark.station.wiring import Gateway

WAN = "gw1"  # its role
CHAIN = """
  chain postrouting {{
    type nat hook postrouting priority srcnat
    oifname "{wan}" masquerade
  }}
"""


async def apply(gateway: Gateway, changes: Changes) -> None:
    """Route, and add our own table with one masquerade rule."""
    await route.apply(gateway, changes)
    await table.add(changes, "gatemark", CHAIN.format(wan=gateway.devices[WAN]))
