# SPDX-License-Identifier: Apache-2.0
"""The feature `masquerade:HOW`: how the path `nat` chooses a port.

`random`: by chance, seeded by the packet; `fully-random`: by chance; `persistent`: a client keeps
its address (nft(8), "NAT STATEMENTS"); `few`: of 1024 ports, as where a provider shares an address
among homes. Full cone, one mapping whoever is asked or asks, is no word of the kernel's: modules
outside its tree make it. A chain before the path's own decides: the first rule that
translates a connection does so for good.
"""

from gatemark.gateway import table
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.wan import WAN

CHAIN = """
  chain postrouting {{
    type nat hook postrouting priority srcnat - 1
    oifname "{wan}" {how}
  }}
"""
FEW = "meta l4proto { tcp, udp } masquerade to :40000-41023"


async def apply(asked: Asked) -> None:
    """Add the chain. Raises UnavailableError with the kernel's word."""
    word = asked.arguments[0]
    how = FEW if word == "few" else f"masquerade {word}"
    wan = asked.gateway.devices[WAN]
    await table.add(asked.changes, "gatemark_masquerade", CHAIN.format(wan=wan, how=how))
