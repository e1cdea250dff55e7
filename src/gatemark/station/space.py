# SPDX-License-Identifier: Apache-2.0
"""Namespaces for a station's hosts, and what is in all of them: silence, addresses, neighbours."""

import asyncio
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import replace
from ipaddress import ip_network

from pyroute2 import IPRoute, netns

from gatemark.error import StationError, UnavailableError
from gatemark.node.quoted import Script, literal, sh, shell
from gatemark.node.shell import Namespace, Node
from gatemark.station import blocking
from gatemark.station.process import end_processes
from gatemark.station.wiring import CLIENTS, FAR_HOSTS, Gateway, Port

NAMES = {
    "lan": "LAN host",
    "gw": "gateway",
    "wan": "WAN host",
    "lan2": "second LAN host",
    "ctl": "control port",
    "line": "line",
}
# On a host that only its shell reaches: by the tool, else by the word that OpenWrt's kernel takes.
FLUSH = literal("conntrack -F > /dev/null 2>&1 || echo f > /proc/net/nf_conntrack")
FAMILIES = ("ipv4", "ipv6")
NO_DAD = 2  # IFA_F_NODAD: the address is used at once

# No neighbour, router or multicast chatter: every packet on a test port is a test packet. The
# gateway is a router from the start, since becoming one joins a multicast group and reports it.
QUIET = literal("""
cd /proc/sys/net/ipv6/conf
for name in all default; do
  echo 0 > $name/accept_ra; echo 0 > $name/autoconf; echo 0 > $name/router_solicitations
  echo 0 > $name/accept_dad; echo 1 > $name/addr_gen_mode 2>/dev/null || true
  echo 1 > $name/mldv2_unsolicited_report_interval  # ms: what is reported is over at once
done
""")

# A router from the start, since becoming one joins a multicast group and reports it.
ROUTER = literal("cd /proc/sys/net; echo 1 > ipv4/ip_forward; echo 1 > ipv6/conf/all/forwarding")


def spaces(lab: str, hosts: Iterable[str]) -> dict[str, Namespace]:
    """The namespaces of a lab's hosts, by the hosts' short names; none is made yet."""
    return {host: Namespace.inhabited(NAMES[host], f"gm-{lab}-{host}") for host in hosts}


def create(nodes: Mapping[str, Namespace]) -> None:
    """Make them, silent. Raises UnavailableError without the rights, StationError without room."""
    try:
        for node in nodes.values():
            netns.create(node.netns)
    except PermissionError:
        raise UnavailableError("the built-in lab needs root for namespaces: use sudo") from None
    except OSError as error:
        raise StationError(f"/run/netns: {error.strerror}: make room in /run") from None
    for node in nodes.values():
        write_sysctls(node.netns, QUIET)


async def clear(nodes: Mapping[str, Namespace]) -> None:
    """Remove those that are there; the agents that stay in them end in order."""
    await asyncio.gather(*(node.inside.agent.end() for node in nodes.values() if node.inside))
    await blocking.run(remove, nodes)


def remove(nodes: Mapping[str, Namespace]) -> None:
    """Remove those that are there, with every process in them."""
    for node in nodes.values():
        if node.inside:
            node.inside.close()
        if node.netns in netns.listnetns():
            end_processes(node.netns)
            netns.remove(node.netns)


def require(nodes: Mapping[str, Namespace]) -> None:
    """Raise StationError if somebody removed one."""
    there = netns.listnetns()
    for node in nodes.values():
        if node.netns not in there:
            raise StationError(f"{node.name}: its namespace {node.netns} is gone")


def write_sysctls(space: str, script: Script) -> None:
    """Run a script of `echo VALUE > /proc/sys/...` in a namespace. Raises StationError."""
    command = ["ip", "netns", "exec", space, *sh(shell("set -e\n{script}", script=script))]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, start_new_session=True
    )
    if done.returncode:
        raise StationError(f"{space}: sysctls: {done.stderr.strip()}")


def address(end: IPRoute, port: Port, *, again: bool = False) -> None:
    """Bring a port up with its addresses; `again` those that it may still have."""
    index = end.link_lookup(ifname=port.device)[0]
    end.link("set", index=index, state="up")
    how = "replace" if again else "add"
    for family, flags in (("ipv4", 0), ("ipv6", NO_DAD)):
        if port.addressed:
            own = port.interface(family)
            length = own.network.prefixlen
            end.addr(how, index=index, address=str(own.ip), prefixlen=length, flags=flags)


def mac(end: IPRoute, device: str) -> str:
    """The MAC address of a device."""
    return str(end.get_links(end.link_lookup(ifname=device)[0])[0].get("address"))


def neighbours(end: IPRoute, near: Port, far: Port) -> None:
    """Permanent neighbour entries: no ARP, no neighbour discovery during a trial."""
    index = end.link_lookup(ifname=near.device)[0]
    for family in ("ipv4", "ipv6"):
        end.neigh(
            "replace", dst=far.address(family), lladdr=far.mac, ifindex=index, state="permanent"
        )


def default_routes(end: IPRoute, by: Port) -> None:
    """Everything that is not of a host's own network goes by the gateway's port."""
    for family, default in (("ipv4", "0.0.0.0/0"), ("ipv6", "::/0")):
        end.route("add", dst=default, gateway=by.address(family))


def crowd(gateway: Gateway, ports: Mapping[str, Port], bridge: str = "") -> str:
    """Return the lines of `ip -batch` on the gateway: hosts, clients that none owns, a far host.

    The hosts' own addresses stand among them, so that a gateway that is not of this machine
    needs no other list. The second LAN host is behind a port of its own, or in the LAN's `bridge`.
    """
    places = [("gw0", "lan0", CLIENTS)]
    places += [("gw1", "wan0", FAR_HOSTS)]
    known = [
        (address, ports[behind].mac, gateway.devices[gate])
        for gate, behind, hosts in places
        for family in FAMILIES
        for address in (
            ports[behind].address(family),
            *(ports[gate].neighbour(family, host) for host in hosts),
        )
    ]
    second, device = ports["lan2"], bridge or gateway.devices["gw2"]
    known += [(second.address(family), second.mac, device) for family in FAMILIES]
    lines = [f"neigh replace {host} lladdr {mac} dev {at} nud permanent" for host, mac, at in known]
    routes = (
        f"route replace {ip_network(second.address(family))} dev {device}" for family in FAMILIES
    )
    return "\n".join((*lines, *(() if bridge else routes)))


def second_host(end: IPRoute, ports: Mapping[str, Port]) -> None:
    """Let the second LAN host reach all by the gateway's port that it is at."""
    gate = replace(ports["gw0"], mac=ports["gw2"].mac)
    neighbours(end, ports["lan2"], gate)
    default_routes(end, gate)


async def widths(nodes: Mapping[str, Node], mtu: int) -> None:
    """Have the tester's ports send and take IP packets of so many bytes."""
    for device in ("lan0", "wan0"):
        await nodes[device].run("ip", "link", "set", "dev", device, "mtu", str(mtu))


async def offloads(node: Node, device: str, state: str, gro: str = "") -> None:
    """Segmentation and aggregation of a port on or off; `gro` where it differs."""
    await node.run("ethtool", "-K", device, "tso", state, "gso", state, "gro", gro or state)
