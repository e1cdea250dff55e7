# SPDX-License-Identifier: Apache-2.0
"""The path `nat`: routing, and the source masqueraded behind the WAN port's address.

The path `hairpin` is that, and LAN host to LAN host by the gateway's address outside (NAT
reflection):

    LAN host ---> gw0  to WAN address: the second LAN host's, from the WAN address  gw2 ---> lan2

What the WAN port has as addresses is published: what comes from inside for it goes to the second
LAN host, and has an address outside as its source there (RFC 4787, REQ-9), so that the answer comes
back by the gateway.
"""

from ipaddress import ip_interface
from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway import table
from gatemark.gateway.changes import Changes
from gatemark.gateway.wan import WAN, addresses
from gatemark.station.wiring import ADDRESS, Gateway

CHAIN = """
  chain postrouting {{
    type nat hook postrouting priority srcnat
    oifname "{wan}" masquerade
  }}
"""
SECOND: Final = "lan2"  # the role of who is reached
RULE: Final = (
    '    iifname "{lan}" {ip} daddr {outside} meta l4proto {{ tcp, udp }} dnat {ip} to {inside}\n'
)
SOURCE: Final = (
    "    ct status dnat ct original {ip} daddr {outside} {ip} daddr {inside} "
    "snat {ip} to {outside}\n"
)
CHAINS: Final = """
  chain prerouting {{
    type nat hook prerouting priority dstnat - 1
{rules}  }}
  chain postrouting {{
    type nat hook postrouting priority srcnat - 1
{sources}  }}
"""
FAMILY: Final = {4: ("ip", "ipv4"), 6: ("ip6", "ipv6")}


async def hairpin(gateway: Gateway, changes: Changes) -> None:
    """Add the rules to a gateway that translates. Raises UnavailableError on a box.

    Where the second LAN host of a box is, nobody has said.
    """
    if gateway.journal:
        raise UnavailableError("hairpins are set on the lab and virtual gateways alone")
    rules, sources = "", ""
    for each in await addresses(gateway, gateway.devices[WAN]):
        outside = ip_interface(each).ip
        ip, family = FAMILY[outside.version]
        words = {
            "lan": gateway.devices["gw0"],
            "ip": ip,
            "outside": outside,
            "inside": ip_interface(ADDRESS[SECOND][family]).ip,
        }
        rules += RULE.format(**words)
        sources += SOURCE.format(**words)
    text = CHAINS.format(rules=rules, sources=sources)
    await table.add(changes, "gatemark_hairpin", text)


async def apply(gateway: Gateway, changes: Changes) -> None:
    """Add our own table with one masquerade rule to a gateway that routes."""
    await table.add(changes, "gatemark", CHAIN.format(wan=gateway.devices[WAN]))
