# SPDX-License-Identifier: Apache-2.0
"""The path `switch`: LAN port to LAN port on layer 2.

On a box this is the switch chip and costs its CPU nothing; on a namespace gateway it is the
kernel's bridge and does.
"""

from collections.abc import Awaitable, Callable

from gatemark.station.wiring import Gateway

BRIDGE = "gmbr0"
PORTS = ("gw0", "gw2")  # by role

# No spanning tree, no multicast snooping: the bridge itself sends nothing.
SCRIPT = """
ip link add {bridge} type bridge stp_state 0 mcast_snooping 0 forward_delay 0
for port in {ports}; do ip link set $port master {bridge}; done
ip link set {bridge} up
"""


async def apply(gateway: Gateway) -> Callable[[], Awaitable[None]]:
    """Bridge the two LAN ports; the undo removes the bridge, which frees them."""
    ports = " ".join(gateway.devices[role] for role in PORTS)
    script = SCRIPT.format(bridge=BRIDGE, ports=ports)

    async def undo() -> None:
        await gateway.run("ip", "link", "delete", BRIDGE)

    try:
        await gateway.run("sh", "-ec", script)
    except BaseException:
        await gateway.run("sh", "-c", f"ip link delete {BRIDGE} 2>/dev/null || true")
        raise
    return undo
