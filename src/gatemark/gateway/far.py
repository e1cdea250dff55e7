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
from gatemark.gateway.nat import CHAIN
from gatemark.gateway.wan import WAN, Wan, addresses, neighbour, wan
from gatemark.node.quoted import Script, joined, literal, shell, word
from gatemark.node.reader import reader
from gatemark.node.remote.ssh import Ssh
from gatemark.plan.feature import is_tunnel
from gatemark.plan.model import Arm
from gatemark.station.space import QUIET, ROUTER
from gatemark.station.wiring import Gateway

SPACE: Final = "gatemark-far"
NEAR, FAR = "gm-near", "gm-far"  # the link between the two
ENDS: Final = ("203.0.113.1", "203.0.113.2")  # RFC 5737: the gateway's address there, the far end's
IN_FAR: Final = literal(f'in_far() {{ ip netns exec {SPACE} "$@"; }}')  # for the shell
LAN: Final = "gw0"
IP_FAR: Final = literal(f"ip -n {SPACE}")
ROUTE: Final = "ip route add {to} dev {by}"
FAR_ROUTE: Final = "in_far ip route {verb} {to} dev {by}"
PUT: Final = f"""ip netns add {SPACE}
ip netns exec {SPACE} sh -ec {{quiet}}
ip netns exec {SPACE} sh -ec {{router}}
ip link add {NEAR} type veth peer name {FAR} netns {SPACE}
ip link set {NEAR} mtu {{mtu}} up
ip -n {SPACE} link set {FAR} mtu {{mtu}} up
ip link set {{device}} netns {SPACE}"""
BACK: Final = f"""[ ! -e /sys/class/net/{NEAR} ] || ip link del {NEAR}
if [ -e /run/netns/{SPACE} ]; then
  [ -e /sys/class/net/{{device}} ] || ip -n {SPACE} link set {{device}} netns 1
  ip netns del {SPACE}
fi"""


class Put(NamedTuple):
    """A far end that is there."""

    near_ip: str  # the gateway's own address in the tunnel
    routes: Script  # what brings the packets into it


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
    lan = await addresses(gateway, gateway.devices[LAN])
    await asked.changes.make(_put(line, mtu, keeps=keeps), undo=_back(line))
    routes = [shell(ROUTE, to=_network(address), by=tunnel) for address in line.addresses]
    routes += [shell(FAR_ROUTE, verb="add", to=_network(address), by=tunnel) for address in lan]
    kept = [_host(address) for address in line.addresses] if keeps else []
    routes += [shell(FAR_ROUTE, verb="replace", to=str(own), by=tunnel) for own in kept]
    routes += [
        shell("ip addr replace {own} dev {by} nodad", own=str(own), by=tunnel)
        for own in kept
        if own.version == 6
    ]
    own = next((str(address) for address in kept if address.version == 4), ENDS[0])
    if keeps:
        await table.add(asked.changes, "gatemark_tunnel", CHAIN.format(wan=tunnel))
    return Put(own, joined(routes))


def _put(line: Wan, mtu: int, *, keeps: bool) -> Script:
    """The far end as a router with the WAN port, and the link."""
    words = shell(PUT, device=line.device, mtu=mtu, quiet=word(QUIET), router=word(ROUTER))
    return joined((words, *_addressed(line, IP_FAR, bare=keeps)))


def _back(line: Wan) -> Script:
    """The port is fetched first: a namespace goes only after the command that removes it."""
    return joined((shell(BACK, device=line.device), *_addressed(line, literal("ip"))))


def _addressed(line: Wan, ip: Script, *, bare: bool = False) -> Iterable[Script]:
    """The port up, with what it had; `bare`: with routes to its networks and no address."""
    device = line.device
    yield shell("{ip} link set {device} up", ip=ip, device=device)
    for text in line.addresses:
        if bare:
            yield shell("{ip} route add {to} dev {by}", ip=ip, to=_network(text), by=device)
            continue
        # IPv6 as the station gave it (station/qemu/lab.py).
        at_once = literal(" nodad") if ":" in text else literal("")
        yield shell(
            "{ip} addr replace {own} dev {by}{how}", ip=ip, own=text, by=device, how=at_once
        )
    for host, mac in line.hosts.items():
        yield shell("{ip} {known}", ip=ip, known=neighbour(host, mac, device))


@reader("an address of the gateway")
def _host(address: str) -> IPv4Address | IPv6Address:
    return ip_interface(address).ip


@reader("an address of the gateway")
def _network(address: str) -> str:
    return str(ip_interface(address).network)
