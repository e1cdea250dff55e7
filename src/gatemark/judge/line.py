# SPDX-License-Identifier: Apache-2.0
"""Is what was measured enough for an access line? The share of the gateway that the line takes.

    share = line down / rate down + line up / rate up        each in bits/s on the wire

Both directions are packets on one CPU, so their shares add up: a gateway that carries four lines
down and eight up is taken by 1/4 + 1/8 of it. The rates are those at overload. Where nothing was
measured at the size, `gatemark fit` asks a model (judge/capacity/line.py).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, Literal

from gatemark.judge.capacity.line import Line
from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.speed import FULL_BYTES, besides, is_full_speed

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
    """Return the shares of full frames and of IMIX, where both directions were measured."""
    for path in PATHS:
        ups = list(_sizes(points, path, "up"))
        both: dict[str, tuple[PointResult, PointResult]] = {}
        for size, down in _sizes(points, path, "down"):
            for other, up in ups:
                if (size, besides(down)) == (other, besides(up)):
                    both.setdefault(size, (down, up))
        if both:
            return [_share(path, size, line, down, up) for size, (down, up) in both.items()]
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
        sum(_part(need, getattr(rate, end)) for need, rate in zip(needs, rates, strict=True))
        for end in ("value", "hi", "lo")
    )
    number = min(rate.n for rate in rates)
    bounded = down.at_least or up.at_least
    share = Interval(value, lo, hi, number, min(rate.level for rate in rates))
    return Share(path, size, share, _answer(share, bounded=bounded))


def _part(need: float, rate: float) -> float:
    """Return the share that a line takes: of a gateway that carries nothing more than all."""
    return need / rate if rate > 0 else inf


def _answer(share: Interval, *, bounded: bool) -> Enough:
    """`bounded`: the tester was the limit, so the gateway carries more than was seen.

    One trial answers nothing.
    """
    if share.n < 2:
        return "not known"
    if share.hi <= 1:
        return "enough"
    if bounded:
        return "not known"
    return "not enough" if share.lo > 1 else "too close to tell"
