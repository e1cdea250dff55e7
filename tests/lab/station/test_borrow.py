# SPDX-License-Identifier: Apache-2.0
"""What the owner of a host has set on a NIC is there again when we have given it back."""

import asyncio
import secrets
from collections.abc import Iterator

import pytest

from gatemark.node.quoted import Script
from gatemark.node.shell import Namespace
from gatemark.station import lock, space
from gatemark.station.lent.borrowed import Borrowed
from gatemark.station.ssh.borrow import Lines, Nic

pytestmark = pytest.mark.long
MAC, OTHER = "02:00:00:00:00:01", "02:00:00:00:00:02"
HOP, NETWORK = "198.18.1.1", "198.19.1.0/24"
HOP6, NETWORK6 = "2001:2:0:1::1", "2001:2:0:2::/64"
NIC = """
ip link add enp3s0 type veth peer name cable; ip link set enp3s0 up; ip link set cable up
ip addr add 198.18.1.2/24 dev enp3s0; ip addr add 2001:2:0:1::2/64 dev enp3s0 nodad
ip addr add 192.168.1.2/24 dev enp3s0
"""
PICTURE = "ip neigh show dev enp3s0 nud permanent; ip -4 route; ip -6 route"


@pytest.fixture
def host() -> Iterator[Namespace]:
    """A host with one NIC."""
    lab = secrets.token_hex(3)
    spaces = space.spaces(lab, ("lan",))
    with lock.named(lab, "test"):  # without it another's start would clean it up
        space.create(spaces)
        try:
            asyncio.run(spaces["lan"].run("sh", "-ec", NIC))
            yield spaces["lan"]
        finally:
            space.remove(spaces)


async def lines(nic: Nic) -> Lines:
    """Both neighbours and both routes, as one change."""
    change: list[Script] = []
    undo: list[Script] = []
    for more, back in (
        await nic.known(HOP, MAC),
        await nic.known(HOP6, MAC),
        await nic.routed(NETWORK, HOP),
        await nic.routed(NETWORK6, HOP6),
    ):
        change += more
        undo[:0] = back
    return change, undo


@pytest.mark.parametrize(
    "own",
    [
        "true",
        f"""ip neigh add {HOP} lladdr {MAC} dev enp3s0 nud permanent
        ip -6 neigh add {HOP6} lladdr {MAC} dev enp3s0 nud permanent
        ip route add {NETWORK} via {HOP} dev enp3s0 proto static
        ip route add {NETWORK6} via {HOP6} dev enp3s0""",
        f"""ip neigh add {HOP} lladdr {OTHER} dev enp3s0 nud permanent
        ip -6 neigh add {HOP6} lladdr {OTHER} dev enp3s0 nud permanent
        ip route add {NETWORK} via 192.168.1.1 dev enp3s0 mtu 1300
        ip route add {NETWORK6} dev cable""",
        f"""ip route add {NETWORK} via 192.168.1.1 dev enp3s0 metric 70
        ip route add {NETWORK6} via 2001:2:0:1::9 dev enp3s0 metric 70""",
        f"""ip route add {NETWORK} nexthop via 192.168.1.1 dev enp3s0 weight 1 \\
          nexthop via 198.18.1.9 dev enp3s0 weight 2""",
    ],
    ids=["nothing", "the same", "others", "at another metric", "by two ways"],
)
def test_neighbours_and_routes_are_as_they_were(host: Namespace, own: str) -> None:
    async def pictures() -> list[str]:
        await host.run("sh", "-ec", own)
        before = await host.run("sh", "-c", PICTURE)
        borrowed = await Borrowed.take(host, *await lines(Nic(host, "enp3s0")))
        during = await host.run("sh", "-c", PICTURE)
        await borrowed.give_back()
        return [before, during, await host.run("sh", "-c", PICTURE)]

    before, during, after = asyncio.run(pictures())
    assert after == before
    for hop, network in ((HOP, NETWORK), (HOP6, NETWORK6)):
        assert f"{hop} lladdr {MAC} PERMANENT" in during
        assert f"{network} via {hop} dev enp3s0" in during


def test_offloads_are_as_they_were(host: Namespace) -> None:
    """A usual NIC cuts TCP, but not where the number of a packet would be lost by that."""

    async def offloads() -> list[set[str]]:
        await host.run("ethtool", "-K", "enp3s0", "tso", "on", "gro", "on")
        await host.run("ethtool", "-K", "enp3s0", "tx-tcp-mangleid-segmentation", "off")
        before = await host.run("ethtool", "-k", "enp3s0")
        borrowed = await Borrowed.take(host, *await Nic(host, "enp3s0").lines([]))
        during = await host.run("ethtool", "-k", "enp3s0")
        await borrowed.give_back()
        after = await host.run("ethtool", "-k", "enp3s0")
        return [set(text.splitlines()) for text in (before, during, after)]

    before, during, after = asyncio.run(offloads())
    assert before - after == set()
    assert "\ttx-tcp-mangleid-segmentation: off" in before
    assert {"tcp-segmentation-offload: on", "generic-receive-offload: on"} <= before
    assert {"tcp-segmentation-offload: off", "generic-receive-offload: off"} <= during
