# SPDX-License-Identifier: Apache-2.0
"""The path `switch`: LAN port to LAN port on layer 2.

On a box this is the switch chip and costs its CPU nothing; on a namespace gateway it is the
kernel's bridge and does. Packets pass the bridge alone: that they pass the hooks of IP as well, as
br_netfilter has them do from its start, is the feature `bridge-netfilter`.
"""

from collections.abc import Sequence

from gatemark.gateway import sysctl
from gatemark.gateway.changes import Changes
from gatemark.node import checked
from gatemark.node.quoted import joined, sh, shell
from gatemark.station.wiring import Gateway

BRIDGE = "gmbr0"
PORTS = ("gw0", "gw2")  # by role
CALLS = tuple(
    f"/proc/sys/net/bridge/bridge-nf-call-{name}" for name in ("iptables", "ip6tables", "arptables")
)

# No spanning tree, no multicast snooping, no IPv6 of its own, which reports groups a while after it
# is up: the bridge itself sends nothing. Busybox's ip makes a bridge but knows none of its options,
# so they are written where the kernel shows them.
SCRIPT = """
ip link add {bridge} type bridge
cd /sys/class/net/{bridge}/bridge
echo 0 > stp_state; echo 0 > forward_delay
if [ -e multicast_snooping ]; then echo 0 > multicast_snooping; fi
for port in {ports}; do ip link set $port master {bridge}; done
ipv6=/proc/sys/net/ipv6/conf/{bridge}/disable_ipv6; if [ -e $ipv6 ]; then echo 1 > $ipv6; fi
ip link set {bridge} up
"""
# A port that is a bridge itself, as OpenWrt's br-lan, has its members' packets switched by it.
MASTERS = """
for p in {ports}; do
  if [ -e /sys/class/net/$p/bridge ]; then m=$p; else m=$(readlink /sys/class/net/$p/master); fi
  echo ${{m##*/}}
done
"""
UNDO = "if [ -e /sys/class/net/{bridge} ]; then ip link delete {bridge}; fi"


async def apply(gateway: Gateway, changes: Changes) -> None:
    """Bridge the two LAN ports; to undo it frees them, and gives them back to their own bridge.

    Ports that share a bridge already are left as they are: that is the switch.
    """
    await sysctl.write(gateway, changes, dict.fromkeys(CALLS, "0"))
    ports = [gateway.devices[role] for role in PORTS]
    masters = await _masters(gateway, ports)
    if len(masters) == len(PORTS) and len({*masters.values()}) == 1:
        return
    back = [
        shell("ip link set {port} master {above}", port=port, above=above)
        for port, above in masters.items()
    ]
    undo = joined((shell(UNDO, bridge=BRIDGE), *back))
    await changes.make(shell(SCRIPT, bridge=BRIDGE, ports=ports), undo=undo)


async def _masters(gateway: Gateway, ports: Sequence[str]) -> dict[str, str]:
    """The bridge of each port that is in one. Raises NodeError."""
    text = await gateway.run(*sh(shell(MASTERS, ports=ports)))
    rows = dict(zip(ports, text.splitlines(), strict=False))
    return {
        port: checked.by(gateway.name, checked.device, above)
        for port, above in rows.items()
        if above
    }
