# SPDX-License-Identifier: Apache-2.0
"""The feature `vlan` by netifd: the line is a VLAN, as `eth2.7` in the device of a network.

The network is ours, staged, and in the zone of the WAN port, whose rules and masquerade it has. The
hosts of the WAN side are routed by it; the port itself keeps its addresses, as on any Linux.
"""

from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway import fw4, openwrt
from gatemark.gateway.feature import vlan
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.wan import wan
from gatemark.node.quoted import joined, shell

NETWORK: Final = f"{openwrt.OWN}_vlan"
WAIT_S: Final = 30  # for netifd, emulated on a busy machine
ADD: Final = f"""
uci set network.{NETWORK}=interface
uci set network.{NETWORK}.proto=none
uci set network.{NETWORK}.device={{tagged}}
uci add_list firewall.{{zone}}.network={NETWORK}
/etc/init.d/network reload
within={WAIT_S}
until grep -qs up /sys/class/net/{{tagged}}/operstate; do
  within=$((within - 1))
  [ "$within" != 0 ] || {{{{ echo netifd made no VLAN, has its kernel 8021q >&2; exit 1; }}}}
  sleep 1
done
/etc/init.d/firewall reload
"""
REMOVE: Final = f"""
uci -q revert network.{NETWORK} || true
uci -q revert firewall.{{zone}}.network || true
/etc/init.d/network reload
within={WAIT_S}
while [ -e /sys/class/net/{{tagged}} ] && [ "$within" != 0 ]; do
  within=$((within - 1)); sleep 1
done
/etc/init.d/firewall reload
{{sweep}}
"""


async def apply(asked: Asked) -> None:
    """Tag what goes to the WAN side's hosts."""
    gateway = asked.gateway
    await openwrt.require_unstaged(gateway, "network", ("-v", openwrt.STEERING))
    line = await wan(gateway)
    tagged = f"{line.device}.{vlan.ID}"
    if (await gateway.run("ls", "/sys/class/net")).split().count(tagged):
        raise UnavailableError(f"{tagged} is there already: its owner's")
    (_, zone), *_ = await openwrt.sections(gateway, line.device, line.device)
    before = await fw4.read(gateway)
    await asked.changes.attempt(
        shell(ADD, tagged=tagged, zone=zone),
        undo=shell(REMOVE, tagged=tagged, zone=zone, sweep=fw4.swept(before)),
    )
    await asked.changes.make(vlan.routed(line, tagged), undo=joined(()))
