# SPDX-License-Identifier: Apache-2.0
"""Faults for the lab's gateway: what is run in it before the first trial.

Each is planted by a means of its own, so that a rule is not tested by one way of making its shape.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from gatemark.run.bench import Bench
from gatemark.station.wiring import WAN_PORT
from gatemark.stats.finding import Shape

Plant = Callable[[Bench], Awaitable[None]]

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


@dataclass(frozen=True, slots=True)
class Fault:
    """What is planted, and its name; `others` may be named besides."""

    plant: Plant
    shapes: tuple[Shape, ...]
    others: tuple[Shape, ...] = ()


FAULTS: dict[str, Fault] = {
    "share, random": Fault(rules(f"{TEST} numgen random mod 50 == 0 drop"), ("constant-share",)),
    "share, every 50th": Fault(rules(f"{TEST} numgen inc mod 50 == 0 drop"), ("constant-share",)),
    "policer, packets": Fault(policer("12000/second", "200 packets"), ("policer",)),
    "policer, a queue of ten packets": Fault(
        queue("tbf", "rate", "6mbit", "burst", "2kb", "limit", "700"), ("policer",)
    ),
    "shaper, tbf": Fault(
        queue("tbf", "rate", "6mbit", "burst", "5kb", "limit", "40kb"), ("shaper",)
    ),
    "flows, by port": Fault(rules(f"{TEST} jhash udp sport mod 8 == 3 drop"), ("some-flows",)),
    "flows, by a map": Fault(rules(f"{TEST} udp sport 20000-20007 drop"), ("some-flows",)),
    "payload rewritten": Fault(
        rules(f"{TEST} numgen inc mod 20 == 0 @th,64,8 set 0x11"),
        ("corruption",),
        ("constant-share",),
    ),
}
