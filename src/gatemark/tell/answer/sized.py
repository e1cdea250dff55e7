# SPDX-License-Identifier: Apache-2.0
"""UDP by frame size: whether packets or bytes are what costs, and what is lost at which size."""

from collections.abc import Iterable, Iterator

from gatemark.judge.capacity.sized import Sized, sized
from gatemark.judge.cause.reconcile import reconciled, together
from gatemark.judge.math.interval import Interval, median_interval
from gatemark.judge.point.group import Group, readings
from gatemark.tell.words import number, traffic
from gatemark.tell.words.drop import name
from gatemark.tell.words.number import PERCENT, Scale
from gatemark.tell.words.table import NONE, Table

NS = Scale(1.0, "ns")
ADVICE = {
    "packets": "packets: larger ones carry more, and features that each packet pays for cost most",
    "bytes": "bytes: what grows with them, as copies do and checksums; fewer features do little",
    "both": "both",
}


def tables(groups: Iterable[Group]) -> list[tuple[str, Table]]:
    """What a packet and a byte cost; what is lost, by size."""
    lines = sized(groups)
    return [("packet-or-byte", _costs(lines)), ("loss-by-size", _losses(lines))]


def _costs(lines: Iterable[Sized]) -> Table:
    rows = tuple(
        (
            *_which(line),
            number.interval(line.cost.packet_ns, NS),
            number.interval(line.cost.byte_ns, NS),
            number.interval(line.cost.share, PERCENT),
            traffic.size(line.cost.largest_bytes),
            ADVICE[line.cost.verdict],
        )
        for line in lines
        if line.cost
    )
    head = ("plan", "setup", "traffic", "each packet, ns", "each byte, ns")
    more = ("bytes' part of a large packet, %", "that packet", "what costs")
    caption = "UDP over the frame size, where the CPU is full: packets or bytes?"
    return Table(caption, head + more, rows, frozenset({3, 4, 5}))


def _which(line: Sized) -> tuple[str, str, str]:
    return line.plan, line.arm, f"{traffic.way(line.direction)}, {traffic.protocol(line.family)}"


def _losses(lines: Iterable[Sized]) -> Table:
    rows = tuple(row for line in lines for row in _by_size(line))
    head = ("plan", "setup", "traffic", "frame", "payload, Mbit/s", "lost, %", "most of it", "")
    return Table("UDP at overload: what is lost at which size", head, rows, frozenset({4, 5}))


def _by_size(line: Sized) -> Iterator[tuple[str, ...]]:
    payloads = [_middle(point, "received_l4_bps") for point in line.groups]
    most = max((payload.value for payload in payloads if payload), default=0.0)
    for point, payload in zip(line.groups, payloads, strict=True):
        loss = _middle(point, "loss_ratio")
        yield (
            *_which(line),
            traffic.size(point.definition.frame_bytes or 0),
            number.interval(payload, number.MBPS) if payload else NONE,
            number.interval(loss, PERCENT) if loss else NONE,
            _cause(point),
            "most payload" if payload and payload.value == most else "",
        )


def _middle(point: Group, quantity: str) -> Interval | None:
    values = readings(point.outside, quantity)
    return median_interval(values) if values else None


def _cause(point: Group) -> str:
    """Where most of a size's loss was counted."""
    whole = together(filter(None, map(reconciled, point.outside)))
    if whole is None or whole.lost <= whole.tolerance:
        return NONE
    if whole.refused > sum(drop.packets for drop in whole.by_cause):
        return "refused to the sender: the gateway's queue was full"
    return f"{whole.by_cause[0].stage}: {name(whole.by_cause[0])}" if whole.by_cause else NONE
