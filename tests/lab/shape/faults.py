# SPDX-License-Identifier: Apache-2.0
"""Faults for the lab's gateway: what is run in it before the first trial.

A shape that several things make is planted by two means of their own at most: the tests of made
records have the others.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from gatemark.judge.finding import Shape
from gatemark.run.bench import Bench
from gatemark.station.wiring import WAN_PORT

Plant = Callable[[Bench], Awaitable[None]]

PREROUTING = "{ type filter hook prerouting priority -300; }"
CHAIN = "{ type filter hook forward priority 0; }"
TEST = f"udp dport {WAN_PORT}"


def rules(*statements: str, chain: str = CHAIN, family: str = "ip") -> Plant:
    """Rules of nft for test packets, in a table of their own."""

    async def plant(bench: Bench) -> None:
        run = bench.station.gateway.node.run
        await run("nft", f"add table {family} planted")
        await run("nft", f"add chain {family} planted faults {chain}")
        for statement in statements:
            await run("nft", f"add rule {family} planted faults {statement}")

    return plant


def queue(*words: str) -> Plant:
    """A queueing discipline at the gateway's WAN port."""

    async def plant(bench: Bench) -> None:
        await bench.station.gateway.node.run("tc", "qdisc", "replace", "dev", "gw1", "root", *words)

    return plant


def policer(limit: str, unit: str) -> Plant:
    """Drops what is over a limit: nft's `limit` counts packets or bytes."""
    return rules(f"{TEST} limit rate over {limit} burst {unit} drop")


async def first_packets(bench: Bench) -> None:
    """Four packets of each flow are lost until a flow is known; it is forgotten after 100 ms."""
    run = bench.station.gateway.node.run
    await run("nft", "add table ip planted")
    known = "{ type inet_service; size 4096; flags dynamic,timeout; }"
    await run("nft", f"add set ip planted known {known}")
    await run("nft", f"add chain ip planted faults {CHAIN}")
    flow = "{ udp sport timeout 100ms quota until 200 bytes }"
    await run("nft", f"add rule ip planted faults {TEST} update @known {flow} drop")


async def shaped_by_htb(bench: Bench) -> None:
    """A class of HTB, with a queue of 400 packets."""
    run = bench.station.gateway.node.run
    at = ("dev", "gw1")
    await run("tc", "qdisc", "replace", *at, "root", "handle", "1:", "htb", "default", "1")
    rate = ("rate", "6mbit", "burst", "5kb", "cburst", "5kb")
    await run("tc", "class", "add", *at, "parent", "1:", "classid", "1:1", "htb", *rate)
    await run("tc", "qdisc", "add", *at, "parent", "1:1", "pfifo", "limit", "400")


def both(*plants: Plant) -> Plant:
    """Several faults at once."""

    async def plant(bench: Bench) -> None:
        for each in plants:
            await each(bench)

    return plant


@dataclass(frozen=True, slots=True)
class Fault:
    """What is planted, and its names in their order; `others` may be named besides."""

    plant: Plant
    shapes: tuple[Shape, ...]
    others: tuple[Shape, ...] = ()

    @property
    def keeps_capacity(self) -> bool:
        """Whether the CPU is full at the same rate as without it."""
        return not {"nothing", "policer", "shaper"} & {*self.shapes}


SHARE = f"{TEST} numgen random mod 50 == 0 drop"
POLICER = ("tbf", "rate", "6mbit", "burst", "2kb", "limit", "700")  # a queue of ten packets

FAULTS: dict[str, Fault] = {
    "share, random": Fault(rules(SHARE), ("constant-share",)),
    "share, by a hash of what varies": Fault(
        rules(f"{TEST} jhash udp checksum mod 40 == 7 drop"), ("constant-share",)
    ),
    "policer, by packets": Fault(policer("12000/second", "200 packets"), ("policer",)),
    "shaper, htb": Fault(shaped_by_htb, ("shaper",)),
    "flows, by a hash": Fault(rules(f"{TEST} jhash udp sport mod 8 == 3 drop"), ("some-flows",)),
    "nothing": Fault(rules("ip length > 40 drop"), ("nothing",)),
    "few a second": Fault(policer("40/second", "5 packets"), ("policer",)),
    "first packets": Fault(first_packets, ("first-packets",)),
    "payload rewritten": Fault(
        rules(f"{TEST} numgen inc mod 20 == 0 @th,64,8 set 0x11"), ("corruption",)
    ),
    "duplicates": Fault(
        rules(f"{TEST} numgen inc mod 20 == 0 dup to 198.19.0.2 device gw1", chain=PREROUTING),
        ("duplication",),
    ),
    "share and policer": Fault(both(rules(SHARE), queue(*POLICER)), ("constant-share", "policer")),
}
