# SPDX-License-Identifier: Apache-2.0
"""The feature `vlan`: the line is a VLAN, so what leaves by the WAN port is tagged (IEEE 802.1Q).

    LAN host ---- gw0  gateway  gm-vlan on gw1 ==== WAN host    64 bytes to here, 68 from here

The hosts of the WAN side are routed by a VLAN device on the WAN port; the port itself keeps its
addresses, so nothing but that device has to go. The tester's WAN port counts tagged frames as they
are, but sends none with a tag: traffic goes up (plan/feature.py).
"""

from typing import Final

from gatemark.error import NodeError, UnavailableError
from gatemark.gateway import nat, table
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.wan import Wan, neighbour, wan
from gatemark.node.quoted import Script, joined, literal, sh, shell

ID: Final = 7  # as the lines of some telephone companies have it
TAGGED: Final = "gm-vlan"  # our device; 15 characters at most
ABSENT: Final = f"[ ! -e /sys/class/net/{TAGGED} ]"
FREE: Final = literal(f"{ABSENT} || {{ echo '{TAGGED} is there already' >&2; exit 1; }}")
ADD: Final = f"ip link add link {{device}} name {TAGGED} type vlan id {ID}"
REMOVE: Final = literal(f"{ABSENT} || ip link del {TAGGED}")


async def apply(asked: Asked) -> None:
    """Tag what goes to the WAN side's hosts."""
    gateway, changes = asked.gateway, asked.changes
    await gateway.run(*sh(FREE))
    line = await wan(gateway)
    try:
        await changes.make(shell(ADD, device=line.device), undo=REMOVE)
    except NodeError as error:
        reason = f"no VLAN on {line.device}: has its kernel 8021q? ({error.output or error})"
        raise UnavailableError(reason) from None
    await changes.make(routed(line, TAGGED), undo=literal(":"))  # all of it goes with the device
    if asked.path == "nat":
        await table.add(changes, "gatemark_vlan", nat.CHAIN.format(wan=TAGGED))


def routed(line: Wan, tagged: str) -> Script:
    """The hosts by the tagged device. It has the port's addresses, alone, to masquerade behind."""
    lines = [shell("ip link set {by} up", by=tagged)]
    own = [address.partition("/")[0] for address in line.addresses]
    lines += [shell("ip addr add {own} dev {by}", own=address, by=tagged) for address in own]
    for host, mac in line.hosts.items():
        lines.append(shell("ip route add {host} dev {by}", host=host, by=tagged))
        lines.append(shell("ip {known}", known=neighbour(host, mac, tagged)))
    return joined(lines)
