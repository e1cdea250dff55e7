# SPDX-License-Identifier: Apache-2.0
"""What the queues of the test ports dropped: the outermost one counts what those in it dropped.

SQM's queue of what comes in by a port is at a device of its own, and drops before the IP stack.
"""

import json
from collections.abc import Collection, Iterator
from typing import Final

from gatemark.node.quoted import literal
from gatemark.plan.shaper.shape import inwards
from gatemark.probe.drop.part import Part
from gatemark.store.drops import INGRESS, QDISC, Drop

TC: Final = literal("command -v tc > /dev/null && tc -s -j qdisc show")
FILTERS: Final = ("ingress", "clsact")  # no queues: what their filters dropped


def qdiscs(lines: list[str], devices: Collection[str]) -> Iterator[Drop]:
    """The root of each port, and its filters. What the gateway itself sends counts again."""
    inward = {*map(inwards, devices)}
    for qdisc in json.loads("\n".join(lines) or "[]"):
        port, kind, count = qdisc["dev"], qdisc["kind"], int(qdisc.get("drops", 0))
        if port in inward and qdisc.get("root"):
            yield Drop(stage=INGRESS, cause=kind, where=port, packets=count)
        if port not in devices:
            continue
        if kind in FILTERS:
            yield Drop(stage=INGRESS, cause=f"tc {kind}", where=port, packets=count)
        elif qdisc.get("root"):
            again = "OutDiscards"
            yield Drop(stage=QDISC, cause=kind, where=port, packets=count, counted_in=again)


PARTS: Final = (Part("qdiscs", TC, qdiscs, "no tc that prints JSON"),)
