# SPDX-License-Identifier: Apache-2.0
"""The share of a packet's time that kernels take, and the most that the processor could carry.

A routed and translated packet is parsed, looked up among the routes and the flows, rewritten, and
its checksums are corrected. The sum of these bounds its rate from above; what is missing to it, the
driver and the stack take.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.kind.algorithm import point as rate

SUM: Final = ("parse", "lpm", "flow", "nat", "csum-inc")
SMALLEST: Final = 64  # bytes of the packet whose time it is held against


@dataclass(frozen=True, slots=True)
class Part:
    """One kernel's time of a packet."""

    name: str  # of SUM
    words: str
    ns: float


def packet_ns(points: Iterable[PointResult]) -> Interval | None:
    """The time of a smallest routed packet, by the most that its CPU let through.

    None: not measured, or something else was the limit.
    """
    routed = [
        point.values["received_pps"]
        for point in points
        if point.setup == "route" and point.definition.frame_bytes == SMALLEST
        if "received_pps" in point.values and not point.definition.slow_to_pps
        if point.limit == "cpu"
    ]
    most = max(routed, key=lambda rate: rate.value, default=None)
    if most is None or most.lo <= 0:
        return None
    return Interval(1e9 / most.value, 1e9 / most.hi, 1e9 / most.lo, most.n, most.level)


def parts(points: Sequence[PointResult]) -> Iterator[Part]:
    """Yield the time of each kernel that a packet needs, in the order of SUM; several sizes each.

    A look-up waits for its packet, so where it was timed after the last one, that time counts.
    """
    timed = [(_name(point), point) for point in points if rate.is_kernel(point.definition)]
    for name in SUM:
        for own, point in timed:
            ns = point.values.get("dependent_ns", point.values.get("ns"))
            how = (point.definition.level, point.definition.instances)
            if own == name and ns is not None and how == ("O3", 1):
                yield Part(name, _words(point), ns.value)


def ceiling_pps(points: Sequence[PointResult]) -> float | None:
    """One second over the fastest of each kernel; None where one was not measured."""
    best: dict[str, float] = {}
    for part in parts(points):
        best[part.name] = min(part.ns, best.get(part.name, part.ns))
    return 1e9 / sum(best.values()) if set(best) == set(SUM) else None


def _name(point: PointResult) -> str:
    words = rate.words(point.definition)
    return words.get("primitive", words["command"])


def _words(point: PointResult) -> str:
    """The kernel without the words that say how long it was timed."""
    words = dict(rate.words(point.definition))
    command = words.pop("primitive", words["command"])
    kept = [value for key, value in words.items() if key not in TIMING]
    return ", ".join((command, *kept))


TIMING: Final = frozenset({"command", "repeats", "pass_ms", "next_hops", "queries"})
