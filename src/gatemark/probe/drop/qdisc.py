# SPDX-License-Identifier: Apache-2.0
"""The drops of the test ports' queues, by queue and class.

An outer queue counts what those in it dropped as well, so it has what is left of its number: its
own, and that of classes whose queue tc does not show.

SQM's queue of what comes in by a port is at a device of its own, and drops before the IP stack.
"""

import json
from collections.abc import Collection, Iterator
from typing import Any, Final

from gatemark.node.inside import door as by_netlink
from gatemark.node.inside.door import ROOT
from gatemark.node.quoted import literal
from gatemark.plan.shaper.shape import inwards
from gatemark.probe.drop.part import Part, View
from gatemark.store.drops import INGRESS, QDISC, Drop

TC: Final = literal("command -v tc > /dev/null && tc -s -j qdisc show")
Qdisc = dict[str, Any]  # as tc prints it
FILTERS: Final = ("ingress", "clsact")  # no queues: what their filters dropped


def qdiscs(lines: list[str], devices: Collection[str]) -> Iterator[Drop]:
    """The queues of each port, and its filters. What the gateway itself sends counts again."""
    inward = {*map(inwards, devices)}
    shown = json.loads("\n".join(lines) or "[]")
    for qdisc in shown:
        port, kind = qdisc["dev"], qdisc["kind"]
        if port in inward and qdisc.get("root"):
            yield from _queues(qdisc, shown, INGRESS, "")
        elif port in devices and kind in FILTERS:
            yield Drop(stage=INGRESS, cause=f"tc {kind}", where=port, packets=_count(qdisc))
        elif port in devices and qdisc.get("root"):
            yield from _queues(qdisc, shown, QDISC, "OutDiscards")


def _queues(root: Qdisc, shown: list[Qdisc], stage: str, again: str) -> Iterator[Drop]:
    """The innermost queues, each by its class, and what the outermost counts besides."""
    port, left = root["dev"], _count(root)
    inner = [each for each in shown if each["dev"] == port and each.get("parent")]
    outer = {each["parent"].partition(":")[0] for each in inner}
    for each in inner:
        if each["kind"] not in FILTERS and each["handle"].partition(":")[0] not in outer:
            where, count = f"{port} class {each['parent']}", _count(each)
            left -= count
            yield Drop(
                stage=stage, cause=each["kind"], where=where, packets=count, counted_in=again
            )
    yield Drop(stage=stage, cause=root["kind"], where=port, packets=max(0, left), counted_in=again)


def _count(qdisc: Qdisc) -> int:
    return int(qdisc.get("drops", 0))


def near(view: View) -> str:
    """Return what `qdiscs` reads of tc's JSON, by rtnetlink."""
    names = {link.number: name for name, link in view.links.items()}
    return json.dumps([_as_tc(qdisc, names[qdisc.port]) for qdisc in view.door.qdiscs()])


def _as_tc(qdisc: by_netlink.Qdisc, port: str) -> Qdisc:
    place = {"root": True} if qdisc.parent == ROOT else {"parent": _handle(qdisc.parent)}
    handle = _handle(qdisc.handle)
    return {"dev": port, "kind": qdisc.kind, "handle": handle, "drops": qdisc.drops} | place


def _handle(number: int) -> str:
    """Major and minor number as tc(8) writes them."""
    major, minor = divmod(number, 1 << 16)
    return f"{major:x}:{minor:x}" if minor else f"{major:x}:"


PARTS: Final = (Part("qdiscs", TC, qdiscs, "no tc that prints JSON", near=near),)
