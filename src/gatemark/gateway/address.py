# SPDX-License-Identifier: Apache-2.0
"""The addresses that a gateway's test ports need, where the station file leaves them to us."""

from gatemark.gateway.changes import Changes
from gatemark.node.checked import is_up
from gatemark.node.quoted import joined, literal, shell
from gatemark.station.wiring import Gateway

REMOVE = "case $(ip -o addr show dev {by}) in *{shown}*) ip addr del {own} dev {by};; esac"


async def apply(gateway: Gateway, changes: Changes) -> None:
    """Bring each test port up with its addresses; what it has besides stays."""
    for role, addresses in gateway.addresses.items():
        device = gateway.devices[role]
        shown = await gateway.run("ip", "-o", "addr", "show", "dev", device)
        missing = [address for address in addresses if f" {address} " not in shown]
        up = await gateway.run("cat", f"/sys/class/net/{device}/flags")
        runs = is_up(up)
        if runs and not missing:
            continue
        add = [shell("ip addr add {own} dev {by}", own=own, by=device) for own in missing]
        back = [shell(REMOVE, shown=f" {own} ", own=own, by=device) for own in missing]
        down = literal(":") if runs else shell("ip link set {by} down", by=device)
        await changes.make(
            joined((shell("ip link set {by} up", by=device), *add)), undo=joined((*back, down))
        )
