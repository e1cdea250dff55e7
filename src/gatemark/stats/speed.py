# SPDX-License-Identifier: Apache-2.0
"""The answer at full speed: what a gateway routes in small and in full frames, what NAT takes.

Both are trials at overload, without a slowdown. What NAT takes comes from a ladder, whose arms take
turns: their rates one after the other differ by more than NAT does on a busy machine.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from gatemark.number import PERCENT, measured, within
from gatemark.stats.change.ladder import PACKET
from gatemark.stats.judgement import Ladder, PointResult, Step
from gatemark.stats.math.interval import Interval
from gatemark.stats.point.sweep import RATES
from gatemark.stats.subject import About
from gatemark.store.record import Definition, Scalar

SMALL_BYTES, FULL_BYTES = 128, 1500  # a frame that is small, one that is full: at most, at least
TRACKED: Final = frozenset({"conntrack"})  # a feature that NAT brings by itself
OURS: Final = "gatemark"
OF_SIZE: Final = ("frame_bytes", "mix", "direction")  # factors that tables have as columns


@dataclass(frozen=True, slots=True)
class Speed:
    """Routing in the smallest and in the largest frames that were sent, from LAN to WAN."""

    small: PointResult
    full: PointResult


def speed(points: Sequence[PointResult]) -> Speed | None:
    """The two points, alike in all but their size; None where one of them was not measured."""
    groups: dict[object, dict[int, PointResult]] = {}
    for point in points:
        size = point.definition.frame_bytes
        if size and is_full_speed(point) and point.definition.setup == "route":
            groups.setdefault((point.plan, besides(point)), {}).setdefault(size, point)
    for sizes in groups.values():
        if min(sizes) <= SMALL_BYTES and max(sizes) >= FULL_BYTES:
            return Speed(sizes[min(sizes)], sizes[max(sizes)])
    return None


def besides(point: PointResult) -> frozenset[tuple[str, Scalar]]:
    """A point's factors besides its size and direction."""
    return frozenset(item for item in point.point.items() if item[0] not in OF_SIZE)


def words(routed: Speed, ladders: Iterable[Ladder], where: str) -> str:
    """`routes 510 k packets/s of 64 bytes on one core (6.2 Gbit/s at 1518 bytes) and NATs ...`."""
    small, full = routed.small, routed.full
    text = (
        f"routes {rate(small, 'received_pps', 'packets/s')} of {small.definition.frame_bytes} bytes"
        f"{where} ({rate(full, 'received_l1_bps', 'bit/s')} at {full.definition.frame_bytes} bytes)"
    )
    fewer = nat_costs(ladders, small.definition)
    return f"{text} and NATs {within_percent(fewer)} fewer" if fewer else text


def rate(point: PointResult, quantity: str, unit: str) -> str:
    """A rate of a point alone, as its table has it with its interval."""
    value = point.values[quantity]
    bound = "≥ " if point.at_least else ""
    return bound + measured(value.value, value.lo, value.hi, unit)


def within_percent(i: Interval) -> str:
    """A share with its interval: `27.0 ± 1.8 %`."""
    return f"{within(i.value, i.lo, i.hi, PERCENT)} %"


def nat_costs(ladders: Iterable[Ladder], traffic: Definition) -> Interval | None:
    """The share of routing's packets that NAT costs; None: no ladder of such traffic shows it."""
    for ladder in ladders:
        if not _is_alike(ladder, traffic):
            continue
        for step in ladder.steps:
            ratio = step.costs[PACKET].ratio if PACKET in step.costs else None
            if ratio and _is_nat(ladder, step) and step.costs[PACKET].verdict == "slower":
                return fewer(ratio)
    return None


def fewer(more_time: Interval) -> Interval:
    """How many packets fewer a second, where each takes so much more of a full CPU's time."""
    value, lo, hi = (1 - 1 / (1 + more) for more in (more_time.value, more_time.lo, more_time.hi))
    return replace(more_time, value=value, lo=lo, hi=hi)


def _is_alike(ladder: Ladder, traffic: Definition) -> bool:
    """Whether a ladder is of this traffic, as fast as it goes."""
    fields = ("l4", "family", "direction", "frame_bytes")
    alike = all(getattr(ladder.definition, name) == getattr(traffic, name) for name in fields)
    return alike and is_free(ladder)


def is_free(about: About) -> bool:
    """Whether it was sent as fast as it goes, through a gateway that is not slowed."""
    return not (about.definition.slow_to_pps or any(about.point.get(name) for name in RATES))


def _is_nat(ladder: Ladder, step: Step) -> bool:
    """Whether a step is from plain routing to plain NAT, without a slowdown."""
    base, own = ladder.definition, step.definition
    on_routing = step.against == ladder.arm and base.path == "route" and not base.features
    return on_routing and own.path == "nat" and {*own.features} <= TRACKED and not own.slow_to_pps


def is_full_speed(point: PointResult, direction: str = "up") -> bool:
    """Whether it is at overload without a slowdown, one arm at a time, in UDP over IPv4."""
    kind = point.definition
    free = is_free(point) and not kind.turn_ms
    asked = (kind.l4, kind.family, kind.direction, kind.driver, kind.headline)
    known = {"received_pps", "received_l1_bps"} <= point.values.keys()
    overloaded = point.limit != "none"  # where all came through, a rate may have been set
    return (
        overloaded and free and known and asked == ("udp", "ipv4", direction, OURS, "received_pps")
    )
