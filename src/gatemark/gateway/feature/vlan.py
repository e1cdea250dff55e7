# SPDX-License-Identifier: Apache-2.0
"""The feature `vlan`: the line is a VLAN, so what leaves by the WAN port is tagged (IEEE 802.1Q).

    LAN host ---- gw0  gateway  gw1.7 = gw1 ==== WAN host      64 bytes up to here, 68 from here

The hosts of the WAN side are routed by a VLAN device on the WAN port; the port itself keeps its
addresses, so nothing but that device has to go. The tester's WAN port counts tagged frames as they
are, but sends none with a tag: traffic goes up (plan/feature.py).
"""

import re
from typing import Final

from gatemark.error import NodeError, UnavailableError
from gatemark.gateway import nat, table
from gatemark.gateway.feature.asked import Asked

ID: Final = 7  # as the lines of some telephone companies have it
TAGGED: Final = "gm-vlan"  # our device; 15 characters at most
NEIGHBOUR = re.compile(r"^(\S+) (?:dev \S+ )?lladdr (\S+) .*PERMANENT", re.MULTILINE)
ADDRESS = re.compile(r" inet6? (\S+)/\d+ .*scope global")


async def apply(asked: Asked) -> None:
    """Tag what goes to the WAN side's hosts."""
    gateway, changes = asked.gateway, asked.changes
    wan = gateway.devices[nat.WAN]
    here = f"[ ! -e /sys/class/net/{TAGGED} ]"
    await gateway.run("sh", "-c", f"{here} || {{ echo '{TAGGED} is there already' >&2; exit 1; }}")
    try:
        await changes.make(
            f"ip link add link {wan} name {TAGGED} type vlan id {ID}",
            undo=f"{here} || ip link del {TAGGED}",
        )
    except NodeError as error:
        raise UnavailableError(f"no VLAN on {wan}: has the kernel 8021q? ({error})") from None
    addresses = ADDRESS.findall(await gateway.run("ip", "-o", "addr", "show", "dev", wan))
    known = NEIGHBOUR.findall(await gateway.run("ip", "neigh", "show", "dev", wan))
    lines = [f"ip link set {TAGGED} up"]
    lines += [f"ip addr add {address} dev {TAGGED}" for address in addresses]
    for host, mac in known:
        lines.append(f"ip route add {host} dev {TAGGED}")
        lines.append(f"ip neigh replace {host} lladdr {mac} dev {TAGGED} nud permanent")
    await changes.make("\n".join(lines), undo=":")  # all of it goes with the device
    if asked.path == "nat":
        await table.add(changes, "gatemark_vlan", nat.CHAIN.format(wan=TAGGED))
