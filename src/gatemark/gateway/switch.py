# SPDX-License-Identifier: Apache-2.0
"""The path `switch`: LAN port to LAN port on layer 2.

On a box this is the switch chip and costs its CPU nothing; on a namespace gateway it is the
kernel's bridge and does. Packets pass the bridge alone: that they pass the hooks of IP as well, as
br_netfilter has them do from its start, is the feature `bridge-netfilter`.
"""

from gatemark.gateway import sysctl
from gatemark.gateway.changes import Changes
from gatemark.node.reader import reader
from gatemark.station.wiring import Gateway

BRIDGE = "gmbr0"
PORTS = ("gw0", "gw2")  # by role
CALLS = tuple(
    f"/proc/sys/net/bridge/bridge-nf-call-{name}" for name in ("iptables", "ip6tables", "arptables")
)

# No spanning tree, no multicast snooping: the bridge itself sends nothing. Busybox's ip makes a
# bridge but knows none of its options, so they are written where the kernel shows them.
SCRIPT = """
ip link add {bridge} type bridge
cd /sys/class/net/{bridge}/bridge
echo 0 > stp_state; echo 0 > forward_delay
if [ -e multicast_snooping ]; then echo 0 > multicast_snooping; fi
for port in {ports}; do ip link set $port master {bridge}; done
ip link set {bridge} up
"""
MASTERS = "for p in {ports}; do m=$(readlink /sys/class/net/$p/master); echo $p ${{m##*/}}; done"
UNDO = "if [ -e /sys/class/net/{bridge} ]; then ip link delete {bridge}; fi"


async def apply(gateway: Gateway, changes: Changes) -> None:
    """Bridge the two LAN ports; to undo it frees them, and gives them back to their own bridge.

    Ports that share a bridge already are left as they are: that is the switch.
    """
    await sysctl.write(gateway, changes, dict.fromkeys(CALLS, "0"))
    ports = " ".join(gateway.devices[role] for role in PORTS)
    text = await gateway.run("sh", "-c", MASTERS.format(ports=ports))
    named = _masters(text)
    if len(named) == len(PORTS) and named[0][1] == named[1][1]:
        return
    back = [f"ip link set {port} master {above}" for port, above in named]
    undo = "\n".join((UNDO.format(bridge=BRIDGE), *back))
    await changes.make(SCRIPT.format(bridge=BRIDGE, ports=ports), undo=undo)


@reader("the bridges of its ports")
def _masters(text: str) -> list[tuple[str, str]]:
    """The ports that are in a bridge, each with it."""
    rows = [line.split() for line in text.splitlines()]
    return [(port, above[0]) for port, *above in rows if above]
