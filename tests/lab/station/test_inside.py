# SPDX-License-Identifier: Apache-2.0
"""What stays in a namespace sees what a program in it would, and lets it go."""

import asyncio
import secrets
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatemark.error import NodeError
from gatemark.node.quoted import sh
from gatemark.node.shell import Inside, Namespace
from gatemark.probe.drop import reading
from gatemark.probe.drop.reading import Reading
from gatemark.station import lock, space
from gatemark.station.check import GRO, OFF

NIC = "ip link add p0 type veth peer name p1; ip link set p0 gro_max_size 1; ethtool -K p0 gro on"

# Of two queues, the inner one full.
FULL = """\
ip addr add 10.9.0.1/24 dev p0; ip link set p0 up; ip link set p1 up
tc qdisc add dev p0 root handle 1: htb default 10
tc class add dev p0 parent 1: classid 1:10 htb rate 8kbit
tc qdisc add dev p0 parent 1:10 handle 10: pfifo limit 1
tc qdisc add dev p1 clsact
ip neigh add 10.9.0.2 lladdr 02:00:00:00:00:02 dev p0
"""
# The queue of a new carrier takes packets within a second.
SEND = """\
import socket, time
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(60):
    for _ in range(3):
        sock.sendto(bytes(1400), ("10.9.0.2", 9))
    time.sleep(0.02)
"""
TABLE = ("nft", "add", "table", "inet", "x")


@pytest.fixture
def host() -> Iterator[Namespace]:
    """A host with a pair of ports."""
    lab = secrets.token_hex(3)
    spaces = space.spaces(lab, ("lan",))
    with lock.named(lab, "test"):  # without it another's start would clean it up
        space.create(spaces)
        try:
            asyncio.run(spaces["lan"].run("sh", "-ec", NIC))
            yield spaces["lan"]
        finally:
            space.remove(spaces)


def inside(host: Namespace) -> Inside:
    assert host.inside
    return host.inside


def test_a_door_shows_what_programs_inside_would(host: Namespace) -> None:
    door = inside(host).door

    async def look() -> None:
        for _ in range(2):  # the file is made anew for each reading
            text = await host.run("cat", "/proc/net/dev")
            assert door.read("/proc/net/dev") == text
            await host.run("ip", "link", "add", "p2", "type", "veth", "peer", "name", "p3")
            assert door.read("/proc/net/dev") != text
            await host.run("ip", "link", "del", "p2")
        for device in ("p0", "p1"):
            text = await host.run("ethtool", "-k", device)
            for name in (*OFF, GRO):
                assert f"{name}: {'on' if door.offloads(device)[name] else 'off'}" in text

    asyncio.run(look())
    sizes = {device: link.gro_most for device, link in door.links().items()}
    assert sizes == {"lo": 65536, "p0": 1, "p1": 65536}
    assert not any(link.settles for link in door.links().values())  # none is up


def test_counters_of_drops_are_those_of_programs_inside(host: Namespace) -> None:
    near, ports = inside(host).door, ("p0", "p1")
    parts = [part for part in reading.parts(is_own=False) if part.near]

    async def read(way: str) -> Reading:
        text = await host.run(*sh(reading.script(parts, ports))) if way == "programs" else ""
        text = text or await reading.read(host, parts, ports)
        return reading.parse(text, 0.0, devices=ports, is_own=False)

    async def both() -> None:
        for command in (("true",), ("sh", "-ec", FULL), (sys.executable, "-c", SEND), TABLE):
            await host.run(*command)
            without, by_programs = await read("without"), await read("programs")
            assert without.counts == by_programs.counts
            assert without.unread == by_programs.unread
            assert without.mtu == {"p0": 1500, "p1": 1500}
        assert near.nft_tables() == {(1, "x")}
        queue = ("qdisc", "pfifo", "p0 class 1:10")
        assert without.counts[queue].packets > 0

    asyncio.run(both())


def test_what_is_not_there_is_told_with_its_host(host: Namespace) -> None:
    door = inside(host).door
    with pytest.raises(NodeError, match="LAN host: /proc/net/none: No such file"):
        door.read("/proc/net/none")
    with pytest.raises(NodeError, match="LAN host: settings of p9: "):
        door.offloads("p9")


def test_nothing_that_looked_in_holds_a_namespace_that_is_removed(host: Namespace) -> None:
    """The kernel frees it with its ports: the peer of one of them, outside, goes too."""
    peer = f"gm{secrets.token_hex(3)}"

    async def use() -> None:
        door = inside(host).door
        door.read("/proc/net/dev")
        door.offloads("p0")
        door.links()
        job = await host.job("watch")
        job.close_stdin()
        await job.wait()
        await space.clear({"lan": host})

    other = space.spaces(secrets.token_hex(3), ("wan",))["wan"]
    with lock.named(other.netns.split("-")[1], "test"):
        space.create({"wan": other})
        try:
            link = ("ip", "link", "add", peer, "type", "veth", "peer", "name", "in", "netns")
            asyncio.run(other.run(*link, host.netns))
            asyncio.run(use())

            until = time.monotonic() + 30
            while f"{peer}:" in asyncio.run(other.run("cat", "/proc/net/dev")):
                assert time.monotonic() < until
                time.sleep(0.02)
        finally:
            space.remove({"wan": other})
    assert not Path(f"/run/netns/{host.netns}").exists()
