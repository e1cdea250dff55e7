# SPDX-License-Identifier: Apache-2.0
"""A station file out of an interview, and a drawing of what to cable how.

     this PC                          the box
+--------------+               +-----------------+
|  enp3s0      |---------------|  lan1      LAN  |
|  enp4s0      |---------------|  wan       WAN  |
|  SSH         |---------------|  lan4           |
+--------------+               +-----------------+
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_interface, ip_network
from pathlib import Path
from typing import Final

from gatemark.node.remote.login import Login
from gatemark.plan.toml import string
from gatemark.station.mode import Mode
from gatemark.station.ssh.interview import Choice
from gatemark.station.wiring import ADDRESS

CHANGED: Final = {
    Mode.OBSERVE: "nothing: it is measured as it is",
    Mode.APPLY: (
        "while a run lasts, and given back at its end: addresses of the test ports "
        f"({ADDRESS['gw0']['ipv4']} and {ADDRESS['gw1']['ipv4']}), forwarding, a table of nft, "
        "queues by tc"
    ),
    Mode.OPENWRT: (
        "while a run lasts, and given back at its end: addresses of the test ports "
        f"({ADDRESS['gw0']['ipv4']} and {ADDRESS['gw1']['ipv4']}), masquerading and forwarding of "
        "their zones by uci, which is staged and never committed"
    ),
}
MOST_PORTS: Final = 3  # of a bridge, in the drawing
TOO_FEW: Final = 12  # addresses of a network without room for these
HOSTS: Final = (10, 11)  # numbers that a DHCP server of OpenWrt's does not give away


@dataclass(frozen=True, slots=True)
class Bench:
    """All that a station file of one box and this machine says."""

    login: Login
    choice: Choice
    nics: Mapping[str, str]  # lan, wan -> NIC of this machine
    leads: Mapping[str, str]  # NIC -> the box's port that it was seen to lead to
    by: str  # our device that leads to the box; "" where that is not known
    held: Mapping[str, Sequence[str]]  # the box's device -> its global addresses/lengths


def drawing(bench: Bench) -> str:
    """Return the drawing of what is plugged in where, as text."""
    choice = bench.choice
    rows = [(bench.nics.get("lan", "a NIC"), _port(bench, "lan", choice.lan_ports), "LAN")]
    if choice.wan:
        another = "the same" if choice.is_trunk else "another"
        rows.append((bench.nics.get("wan", another), _port(bench, "wan", choice.wan_ports), "WAN"))
    rows.append((bench.by or "any", _either(choice.ports("control")) or "any other", "SSH"))
    left = max(7, *(len(near) for near, _, _ in rows))
    right = max(7, *(len(far) for _, far, _ in rows))
    edge = f"    +-{'':-<{left}}-+                 +-{'':-<{right}}------+"
    head = f"      {'this PC':{left}}                     the box"
    body = [
        f"    | {near:{left}} |-----------------| {far:{right}}  {what} |"
        for near, far, what in rows
    ]
    return "\n".join((head, edge, *body, edge))


def _port(bench: Bench, end: str, ports: tuple[str, ...]) -> str:
    port = bench.leads.get(bench.nics.get(end, ""), "")
    tag = bench.choice.tag(end, port)
    return (port or _either(ports)) + (f", VLAN {tag}" if tag else "")


def _either(ports: tuple[str, ...]) -> str:
    more = "..." if len(ports) > MOST_PORTS else ""
    return " or ".join(ports[:MOST_PORTS]) + more


def toml(bench: Bench, path: Path) -> str:
    """The station file; keys and known hosts are named from its folder on."""
    return "\n".join((*_gateway(bench, path), *_sides(bench), ""))


def _gateway(bench: Bench, path: Path) -> Iterator[str]:
    login, choice = bench.login, bench.choice
    yield "# Written by `gatemark station introduce`. Each key: docs/stations.md"
    yield 'schema = "gatemark.station/1"'
    yield ""
    yield "[gateway]"
    yield 'kind = "ssh"'
    yield f'address = "{login.address}"'
    for key, file in (("key", login.key), ("known_hosts", login.known_hosts)):
        if file:
            yield f"{key} = {string(_from(file, path.parent))}"
    if login.password:
        yield 'password = "ask"'
    if login.jump:
        yield f'jump = "{login.jump}"'
    yield f'lan = "{choice.lan}"'
    if choice.wan:
        yield f'wan = "{choice.wan}"'
    yield f'set = "{choice.mode}"'
    if choice.path:
        yield f'path = "{choice.path}"'


def _sides(bench: Bench) -> Iterator[str]:
    for end, number in zip(("lan", "wan"), HOSTS, strict=True):
        if end not in bench.nics:
            continue
        yield ""
        yield f"[{end}]"
        yield f"nic = {string(bench.nics[end])}"
        if tag := bench.choice.tag(end, bench.leads.get(bench.nics[end], "")):
            yield f"vlan = {tag}"
        device = bench.choice.lan if end == "lan" else bench.choice.wan
        if bench.choice.mode is Mode.OBSERVE:
            for version in (4, 6):
                of_family = [a for a in bench.held[device] if ip_interface(a).version == version]
                if of_family and ip_interface(of_family[0]).network.num_addresses > TOO_FEW:
                    yield f'ipv{version} = "{_neighbour(of_family[0], number)}"'


def _neighbour(own: str, number: int) -> str:
    """An address in the network of another that is not the same."""
    address = ip_interface(own)
    network = ip_network(address.network)
    host = network[number] if network[number] != address.ip else network[number - 1]
    return f"{host}/{network.prefixlen}"


def _from(file: Path, folder: Path) -> str:
    """A file as it is named from a folder on, whole where it is elsewhere."""
    file, folder = file.absolute(), folder.absolute()
    return str(file.relative_to(folder) if file.is_relative_to(folder) else file)
