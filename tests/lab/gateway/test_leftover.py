# SPDX-License-Identifier: Apache-2.0
"""What a command leaves on a gateway of ours is undone, or the run stops with the difference."""

import asyncio
from typing import Any

import pytest

from gatemark.gateway import leftover
from gatemark.gateway.difference import unlike
from gatemark.node.quoted import literal
from gatemark.node.script import script
from gatemark.plan.model import Arm
from gatemark.run.bench import Bench
from gatemark.station.netns import Lab

LEFT = {
    "a rule": "nft add table ip w; "
    "nft add chain ip w f '{ type filter hook forward priority 0; }'; "
    "nft add rule ip w f numgen inc mod 2 0 drop",
    "a link": "ip link add w0 type veth peer name w1; ip addr add 192.0.2.1/24 dev w0; "
    "ip link set w0 up",
    "an address": "ip addr add 198.18.1.77/24 dev gw0; ip addr del 198.19.1.1/24 dev gw1",
    "a route": "ip route add 203.0.113.0/24 via 198.19.1.2",
    "an MTU": "ip link set gw1 mtu 1492",
    "a queue": "tc qdisc replace dev gw1 root pfifo limit 5",
    "a program": "env -i setsid sleep 1000 > /dev/null 2>&1 &",
    "a sysctl": "echo 1 > /proc/sys/net/ipv4/conf/all/accept_redirects; "
    "echo 0 > /proc/sys/net/ipv4/ip_forward",
    # What public reports found left: see docs/measured.md.
    "a chain of marks": "nft add table ip mangle; nft add chain ip mangle QOS_MARK_gw1",
    "an IFB": "ip link add ifb-dns type ifb; ip link set ifb-dns up",
    "a tree of queues": "tc qdisc add dev gw1 root handle 1: htb default 2; "
    "tc class add dev gw1 parent 1: classid 1:2 htb rate 1gbit; "
    "tc filter add dev gw1 parent 1:0 protocol ip prio 1 u32 match u32 0 0 flowid 1:2",
    "an ingress filter": "tc qdisc add dev gw1 handle ffff: ingress; "
    "tc filter add dev gw1 parent ffff: protocol all prio 10 u32 match u32 0 0 flowid 1:1",
    "a routing rule": "ip rule add fwmark 0x2333 table 100 pref 1998",
    "another table": "ip route add default via 198.19.1.2 dev gw1 table 3",
    "a MAC address": "ip neigh replace 198.19.1.2 lladdr 02:00:00:00:00:99 dev gw1 nud permanent",
    "a proxied address": "ip neigh add proxy 198.19.1.77 dev gw0",
    "an IPsec policy": "ip xfrm policy add dir fwd src 198.18.1.0/24 dst 198.19.1.0/24 "
    "action block",
    "any sysctl": "echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet; "
    "echo 1 > /proc/sys/net/ipv4/conf/gw0/proxy_arp",
}
# A rule in a table that was there may be anyone's.
STAYS = "nft add rule inet gatemark postrouting counter"


async def _left(bench: Bench, command: str) -> tuple[list[str], list[str], str]:
    """The settings that differ after the command, what was undone, and what a run stops with."""
    gateway = bench.station.gateway
    was = await leftover.look(gateway)
    bench.left.clear()
    bench.stuck = ""
    async with bench.unchanged(["w"]):
        await script(gateway.node, literal(command))
    other = unlike(was, await leftover.look(gateway))
    return list(other), list(bench.left), bench.stuck


@pytest.fixture(scope="module")
def after() -> dict[str, tuple[list[str], list[str], str]]:
    """What became of each, on one lab."""

    async def measure() -> dict[str, tuple[list[str], list[str], str]]:
        async with Bench(Lab()) as bench:
            await bench.setup.change(Arm(path="nat", name="nat"))
            every = LEFT | {"no name": STAYS, "nothing": "true"}
            return {name: await _left(bench, command) for name, command in every.items()}

    return asyncio.run(measure())


@pytest.mark.parametrize("name", LEFT)
def test_what_came_or_changed_is_undone_and_told(name: str, after: dict[str, Any]) -> None:
    other, (line,), stuck = after[name]
    assert (other, stuck) == ([], "")
    assert line.startswith("what command:w left was undone: ")


def test_what_cannot_be_undone_ends_the_run(after: dict[str, Any]) -> None:
    other, undone, stuck = after["no name"]
    assert (other, undone) == (["ruleset"], [])
    assert stuck.startswith("command:w left the gateway otherwise than it was: ruleset: ")


def test_a_command_that_leaves_nothing_is_not_told(after: dict[str, Any]) -> None:
    assert after["nothing"] == ([], [], "")
