# SPDX-License-Identifier: Apache-2.0
"""Is what was measured enough for an access line? The share of the gateway that the line takes.

    share = line down / rate down + line up / rate up        each in bits/s on the wire

Both directions are packets on one CPU, so their shares add up: a gateway that carries four lines
down and eight up is taken by 1/4 + 1/8 of it. The rates are those at overload. Where nothing was
measured at the size, `gatemark fit` asks a model (stats/capacity/line.py).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from gatemark.stats.capacity.line import Line
from gatemark.stats.judgement import PointResult
from gatemark.stats.math.interval import Interval
from gatemark.stats.speed import FULL_BYTES, is_full_speed

Enough = Literal["enough", "not enough", "too close to tell", "not known"]
PATHS: Final = ("nat", "route")  # the first that was measured answers


@dataclass(frozen=True, slots=True)
class Share:
    """The answer for frames of one size, or of a mix."""

    setup: str
    size: str  # "1518 bytes", "IMIX"
    share: Interval  # of the gateway that the line takes, both directions at once
    answer: Enough


def shares(points: Sequence[PointResult], line: Line) -> list[Share]:
    """Of full frames and of IMIX, where both directions were measured; none: neither was."""
    for path in PATHS:
        downs, ups = (dict(_sizes(points, path, way)) for way in ("down", "up"))
        both = [(size, down, ups[size]) for size, down in downs.items() if size in ups]
        if both:
            return [_share(path, size, line, down, up) for size, down, up in both]
    return []


def _sizes(
    points: Iterable[PointResult], path: str, direction: str
) -> Iterator[tuple[str, PointResult]]:
    """Full frames first, then IMIX."""
    own = [p for p in points if p.definition.setup == path and is_full_speed(p, direction)]
    for point in own:
        if (size := point.definition.frame_bytes) and size >= FULL_BYTES:
            yield f"{size} bytes", point
    for point in own:
        if point.definition.mix == "imix":
            yield "IMIX", point


def _share(path: str, size: str, line: Line, down: PointResult, up: PointResult) -> Share:
    rates = [point.values["received_l1_bps"] for point in (down, up)]
    needs = (line.down_bps, line.up_bps)
    value, lo, hi = (
        sum(need / getattr(rate, end) for need, rate in zip(needs, rates, strict=True))
        for end in ("value", "hi", "lo")
    )
    number = min(rate.n for rate in rates)
    bounded = down.at_least or up.at_least
    share = Interval(value, lo, hi, number, min(rate.level for rate in rates))
    return Share(path, size, share, _answer(share, bounded=bounded))


def _answer(share: Interval, *, bounded: bool) -> Enough:
    """`bounded`: the tester was the limit, so the gateway carries more than was seen."""
    if share.hi <= 1:
        return "enough"
    if bounded:
        return "not known"
    return "not enough" if share.lo > 1 else "too close to tell"
