# SPDX-License-Identifier: Apache-2.0
"""The addresses that a gateway's test ports need, where the station file leaves them to us."""

from gatemark.gateway.changes import Changes
from gatemark.node.interface import is_up
from gatemark.station.wiring import Gateway


async def apply(gateway: Gateway, changes: Changes) -> None:
    """Bring each test port up with its addresses; what it has besides stays."""
    for role, addresses in gateway.addresses.items():
        device = gateway.devices[role]
        shown = await gateway.run("ip", "-o", "addr", "show", "dev", device)
        missing = [address for address in addresses if f" {address} " not in shown]
        up = await gateway.run("cat", f"/sys/class/net/{device}/flags")
        down = "" if is_up(up) else f"ip link set {device} down"
        if not missing and not down:
            continue
        add = [f"ip addr add {address} dev {device}" for address in missing]
        back = [
            f"case $(ip -o addr show dev {device}) in *' {address} '*) "
            f"ip addr del {address} dev {device};; esac"
            for address in missing
        ]
        await changes.make("\n".join((f"ip link set {device} up", *add)), "\n".join((*back, down)))
