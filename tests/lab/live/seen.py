# SPDX-License-Identifier: Apache-2.0
"""What a gateway and the WAN host saw of each flow: by counters of nftables, and by its classes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gatemark.gateway import mark
from gatemark.gateway.feature.shape import HANDLE
from gatemark.node.shell import Node

TABLE: Final = "live"
# Behind the forward hook's other rules, and before the shaper's queues.
FORWARD: Final = "type filter hook forward priority 10"
INPUT: Final = "type filter hook input priority 10"
FIRST: Final = re.compile(rf"class htb {HANDLE}1 .*\n Sent \d+ bytes (\d+) pkt")
COUNTER: Final = re.compile(r"counter (\w+) \{\s*packets (\d+) bytes (\d+)")


@dataclass(frozen=True, slots=True)
class Count:
    """Of one flow, up, until now."""

    packets: int
    bytes_: int
    marked: int  # packets
    marked_bytes: int

    def __sub__(self, before: "Count") -> "Count":
        return Count(
            self.packets - before.packets,
            self.bytes_ - before.bytes_,
            self.marked - before.marked,
            self.marked_bytes - before.marked_bytes,
        )


async def count(node: Node, hook: str, flows: Mapping[str, int]) -> None:
    """Begin to count at a hook: flows of UDP by name and the port that they go to."""
    names = [f"{name}{more}" for name in flows for more in ("", "_marked")]
    rules = [
        f"    udp dport {port} {rule}"
        for name, port in flows.items()
        for rule in (f"counter name {name}", f"{mark.IS_SET} counter name {name}_marked")
    ]
    text = "\n".join(
        (
            f"table inet {TABLE} {{",
            *(f"  counter {name} {{ }}" for name in names),
            "  chain counted {",
            f"    {hook}",
            *rules,
            "  }",
            "}",
            "",
        )
    )
    await node.run("nft", "-f", "-", stdin=text)


async def counts(node: Node) -> dict[str, Count]:
    """What was counted until now."""
    text = await node.run("nft", "list", "counters", "table", "inet", TABLE)
    numbers = {name: (int(packets), int(size)) for name, packets, size in COUNTER.findall(text)}
    return {
        name: Count(*numbers[name], *numbers[f"{name}_marked"])
        for name in numbers
        if not name.endswith("_marked")
    }


async def first(node: Node, device: str) -> int:
    """Packets that left a port by the first class of htb2."""
    match = FIRST.search(await node.run("tc", "-s", "class", "show", "dev", device))
    assert match
    return int(match[1])


@dataclass(frozen=True, slots=True)
class Decided:
    """A packet of a flow as gm-classifier watch --packets shows it."""

    direction: str
    class_: str
    verdict: str


def decided(text: str, port: int) -> list[Decided]:
    """The packets of the flow to a port of the WAN host, in their order."""
    packets = []
    for line in text.splitlines()[1:]:
        flow, _, direction, class_, _, verdict = line.split(",")
        if flow.rpartition("-")[2] == str(port):
            packets.append(Decided(direction, class_, verdict))
    return packets
