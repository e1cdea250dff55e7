# SPDX-License-Identifier: Apache-2.0
"""The path `route`: the gateway forwards IPv4 and IPv6, nothing else."""

from gatemark.gateway import sysctl
from gatemark.gateway.changes import Changes
from gatemark.station.wiring import Gateway

FORWARDING = ("/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding")


async def apply(gateway: Gateway, changes: Changes) -> None:
    """Switch forwarding on where it is off; a gateway without IPv6 has one switch less."""
    await sysctl.write(gateway, changes, dict.fromkeys(FORWARDING, "1"))
