# SPDX-License-Identifier: Apache-2.0
"""The answer at full speed: what a gateway routes in small and in full frames, what NAT takes.

All of it is of the same trials, at overload and without a slowdown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from gatemark.judge.change.compare import UNBOUNDED
from gatemark.judge.judgement import Comparison, Limit, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.sweep import RATES
from gatemark.judge.subject import About
from gatemark.store.record import Scalar

SMALL_BYTES, FULL_BYTES = 128, 1500  # a frame that is small, one that is full: at most, at least
TRACKED: Final = frozenset({"conntrack"})  # a feature that NAT brings by itself
OURS: Final = "gatemark"
RATE: Final = "received_pps"
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


def bottleneck(points: Sequence[PointResult]) -> Limit:
    """Return the one name for what held an arm back: that of its first point that has one."""
    known = [point.limit for point in points if point.limit not in ("unknown", "none")]
    return next(iter(known), points[0].limit)


def fewer(comparison: Comparison) -> Interval | None:
    """Return the share of its base's packets that an arm carries less; None: no rate of it."""
    change = comparison.change.change
    if comparison.quantity != RATE or comparison.at_least or change.hi >= UNBOUNDED:
        return None
    return replace(change, value=-change.value, lo=-change.hi, hi=-change.lo)


def is_free(about: About) -> bool:
    """Return whether it was sent as fast as it goes, through a gateway that is not slowed."""
    return not (about.definition.slow_to_pps or any(about.point.get(name) for name in RATES))


def is_nat(comparison: Comparison, routed: PointResult) -> bool:
    """Return True if it holds plain NAT against this point of plain routing."""
    same = (comparison.plan, comparison.point) == (routed.plan, routed.point)
    features = {*comparison.definition.features}
    on_routing = comparison.baseline == routed.arm
    return same and on_routing and comparison.definition.path == "nat" and features <= TRACKED


def is_full_speed(point: PointResult, direction: str = "up") -> bool:
    """Return True if it is at overload without a slowdown, in UDP over IPv4."""
    kind = point.definition
    asked = (kind.l4, kind.family, kind.direction, kind.driver, kind.headline)
    known = {RATE, "received_l1_bps"} <= point.values.keys()
    overloaded = point.limit != "none"  # where all came through, a rate may have been set
    free = overloaded and is_free(point)
    return free and known and asked == ("udp", "ipv4", direction, OURS, RATE)
