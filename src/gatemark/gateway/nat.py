# SPDX-License-Identifier: Apache-2.0
"""The path `nat`: routing, and the source masqueraded behind the WAN port's address."""

from gatemark.gateway import table
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
    """Add our own table with one masquerade rule to a gateway that routes."""
    await table.add(changes, "gatemark", CHAIN.format(wan=gateway.devices[WAN]))
