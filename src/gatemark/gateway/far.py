# SPDX-License-Identifier: Apache-2.0
"""A far end for a tunnel, in the gateway's own kernel: a namespace that has the WAN port.

    LAN host ---- gw0  gateway  gm-near ==== gm-far  far end  gw1 ---- WAN host
                                          in the same kernel

The tester's kernel may lack the tunnel, and in user space its own end would be the limit. So one
processor does the work of both ends and forwards twice, and **all of it is in the figure**: half of
it is the most that can be said of the gateway's own part.

Only in a virtual gateway, which is ours: a device's WAN port is not moved into a namespace.
"""

from collections.abc import Iterable
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address, ip_interface
from typing import Final, NamedTuple

from gatemark.error import UnavailableError
from gatemark.gateway import table
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.nat import CHAIN, WAN
from gatemark.gateway.wan import ADDRESS, Wan, neighbour, wan
from gatemark.node.reader import reader
from gatemark.node.ssh import Ssh
from gatemark.plan.feature import is_tunnel
from gatemark.plan.model import Arm
from gatemark.station.space import QUIET, ROUTER
from gatemark.station.wiring import Gateway

SPACE: Final = "gatemark-far"
NEAR, FAR = "gm-near", "gm-far"  # the link between the two
ENDS: Final = ("203.0.113.1", "203.0.113.2")  # RFC 5737: the gateway's address there, the far end's
IN_FAR: Final = f'in_far() {{ ip netns exec {SPACE} "$@"; }}'  # for the shell
LAN: Final = "gw0"


class Put(NamedTuple):
    """A far end that is there."""

    near_ip: str  # the gateway's own address in the tunnel
    routes: str  # the shell's words that bring the packets into it


def require(gateway: Gateway) -> None:
    """UnavailableError unless a far end may be made of it."""
    if gateway.journal or not isinstance(gateway.node, Ssh):
        raise UnavailableError("a tunnel's far end is made in virtual gateways alone (kind qemu)")


def linked(gateway: Gateway, arm: Arm) -> Gateway:
    """The gateway as its other features see it: the link to the far end is its WAN port."""
    if not any(is_tunnel(feature) for feature in arm.features):
        return gateway
    return replace(gateway, devices={**gateway.devices, WAN: NEAR})


async def put(asked: Asked, mtu: int, tunnel: str) -> Put:
    """Put a far end before the WAN port, with a link of `mtu` bytes to it.

    The shell's words that it returns route by the device `tunnel`, which both ends then have. Their
    routes go with that device. On the path `nat` the gateway keeps its addresses, at that device,
    as a line gives a home its own: by them the WAN host knows it, and behind them it masquerades
    what leaves by that device. The IPv4 one is for the tunnel to give it.
    """
    gateway, keeps = asked.gateway, asked.path == "nat"
    line = await wan(gateway)
    lan = await gateway.run("ip", "-o", "addr", "show", "dev", gateway.devices[LAN])
    await asked.changes.make(_put(line, mtu, keeps=keeps), undo=_back(line))
    routes = [f"ip route add {_network(address)} dev {tunnel}" for address in line.addresses]
    routes += [
        f"in_far ip route add {_network(address)} dev {tunnel}" for address in ADDRESS.findall(lan)
    ]
    kept = [_host(address) for address in line.addresses] if keeps else []
    routes += [f"in_far ip route replace {address} dev {tunnel}" for address in kept]
    routes += [
        f"ip addr replace {address} dev {tunnel} nodad" for address in kept if address.version == 6
    ]
    own = next((str(address) for address in kept if address.version == 4), ENDS[0])
    if keeps:
        await table.add(asked.changes, "gatemark_tunnel", CHAIN.format(wan=tunnel))
    return Put(own, "\n".join(routes))


def _put(line: Wan, mtu: int, *, keeps: bool) -> str:
    """The far end as a router with the WAN port, and the link."""
    words = f"""ip netns add {SPACE}
ip netns exec {SPACE} sh -ec '{QUIET}'
ip netns exec {SPACE} sh -ec '{ROUTER}'
ip link add {NEAR} type veth peer name {FAR} netns {SPACE}
ip link set {NEAR} mtu {mtu} up
ip -n {SPACE} link set {FAR} mtu {mtu} up
ip link set {line.device} netns {SPACE}"""
    return "\n".join((words, *_addressed(line, f"ip -n {SPACE}", bare=keeps)))


def _back(line: Wan) -> str:
    """The port is fetched first: a namespace goes only after the command that removes it."""
    words = f"""[ ! -e /sys/class/net/{NEAR} ] || ip link del {NEAR}
if [ -e /run/netns/{SPACE} ]; then
  [ -e /sys/class/net/{line.device} ] || ip -n {SPACE} link set {line.device} netns 1
  ip netns del {SPACE}
fi"""
    return "\n".join((words, *_addressed(line, "ip")))


def _addressed(line: Wan, ip: str, *, bare: bool = False) -> Iterable[str]:
    """The port up, with what it had; `bare`: with routes to its networks and no address."""
    yield f"{ip} link set {line.device} up"
    for text in line.addresses:
        at_once = " nodad" if ":" in text else ""  # as the station gave it (station/qemu/lab.py)
        address = f"addr replace {text} dev {line.device}{at_once}"
        yield f"{ip} route add {_network(text)} dev {line.device}" if bare else f"{ip} {address}"
    for host, mac in line.hosts.items():
        yield f"{ip} {neighbour(host, mac, line.device)}"


@reader("an address of the gateway")
def _host(address: str) -> IPv4Address | IPv6Address:
    return ip_interface(address).ip


@reader("an address of the gateway")
def _network(address: str) -> str:
    return str(ip_interface(address).network)
