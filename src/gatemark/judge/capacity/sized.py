# SPDX-License-Identifier: Apache-2.0
"""UDP at overload by frame size: what each packet costs and what each byte, and what is lost.

time of a packet = cost of each packet + bytes x cost of each byte, fitted repeat by repeat over the
sizes at which the gateway's CPU was full. Where bytes take most of a large packet's time, memory
and checksums hold it back; else packets do (Kofler and others, figure 5: the only blocks that grow
with the size are buffer handling and the hardware's transmission).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

import msgspec

from gatemark.judge.capacity.linear import relative
from gatemark.judge.math.interval import Interval, median_interval
from gatemark.judge.point.group import Group, readings
from gatemark.plan.model import is_twin

FEWEST: Final = 4  # sizes: of three any line fits well
FULL: Final = 0.9  # load of the busiest CPU, from which on it is the bottleneck
HALF: Final = 0.5  # of a packet's time
NS: Final = 1e9
DIRECT: Final = "direct"

Verdict = Literal["packets", "bytes", "both"]


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of a packet, whatever its size, and that of each of its bytes."""

    packet_ns: Interval
    byte_ns: Interval
    share: Interval  # of the largest packet's time, what its bytes take
    largest_bytes: int
    verdict: Verdict  # which of the two takes more of that, where the interval tells


class Sized(msgspec.Struct, frozen=True, kw_only=True):
    """One setup in one direction, over its sizes, the smallest first."""

    plan: str
    arm: str
    direction: str
    family: str
    groups: tuple[Group, ...]  # a point for each size
    cost: Cost | None  # None: the CPU was full at too few sizes


def sized(groups: Iterable[Group]) -> list[Sized]:
    """Every setup that UDP overloaded at several sizes."""
    lines: dict[tuple[object, ...], list[Group]] = {}
    for members in groups:
        if _overloads(members):
            definition = members.definition
            flows = definition.flows, definition.flow_ports, definition.clients
            key = members.plan, members.arm, definition.direction, definition.family, *flows
            lines.setdefault(key, []).append(members)
    return [_sized(members) for members in lines.values() if len(members) >= FEWEST]


def _overloads(members: Group) -> bool:
    definition, trials = members.definition, members.outside
    if definition.l4 != "udp" or definition.path == DIRECT or is_twin(members.arm):
        return False
    if not trials or not definition.frame_bytes or definition.loss_criterion is not None:
        return False
    return all(r.accounting is not None and not r.accounting.scheduled for r in trials)


def _sized(members: Sequence[Group]) -> Sized:
    ordered = sorted(members, key=lambda point: point.definition.frame_bytes or 0)
    first = ordered[0]
    return Sized(
        plan=first.plan,
        arm=first.arm,
        direction=first.definition.direction,
        family=first.definition.family,
        groups=tuple(ordered),
        cost=_cost([point for point in ordered if _is_full(point)]),
    )


def _is_full(point: Group) -> bool:
    busy = readings(point.outside, "cpu_busy")
    return bool(busy) and median_interval(busy).value >= FULL


def _cost(points: Sequence[Group]) -> Cost | None:
    if len(points) < FEWEST:
        return None
    sizes = [float(point.definition.frame_bytes or 0) for point in points]
    fits = [fit for times in _repeats(points) if (fit := _fit(sizes, times))]
    if not fits:
        return None
    largest = sizes[-1]
    share = median_interval([b * largest / (a + b * largest) for a, b in fits])
    return Cost(
        packet_ns=median_interval([a for a, _ in fits]),
        byte_ns=median_interval([b for _, b in fits]),
        share=share,
        largest_bytes=int(largest),
        verdict="bytes" if share.lo > HALF else "packets" if share.hi < HALF else "both",
    )


def _fit(sizes: Sequence[float], times: Sequence[float]) -> tuple[float, float] | None:
    """Cost of a packet and of a byte; neither is less than nothing."""
    values = relative([(1.0, size) for size in sizes], times)
    if values is None or values[0] <= 0:
        return None
    return values[0], max(0.0, values[1])


def _repeats(points: Sequence[Group]) -> Iterator[list[float]]:
    """The time of a packet at each size, of each repeat that has them all."""
    rates = [
        {(r.boot, r.repeat): pps for r in point.outside for pps in readings([r], "received_pps")}
        for point in points
    ]
    for repeat in sorted(set.intersection(*map(set, rates))):
        if all(own[repeat] for own in rates):
            yield [NS / own[repeat] for own in rates]
