# SPDX-License-Identifier: Apache-2.0
"""Throughput over frame sizes that rises where it should not.

A packet costs the same or more where it is longer, so packets/s stay level or fall. A report found
a peak at 256 bytes in two firmwares and could not explain it (CAIA 120412A, section IV-B).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from gatemark.judge.fact import fact
from gatemark.judge.judgement import PointResult, Warning_
from gatemark.judge.point.warn import WORTH, warning

RATE: Final = "throughput_pps"
SIZE: Final = "frame_bytes"
FEWEST: Final = 3  # sizes of a search


def rising(points: Iterable[PointResult]) -> Iterator[Warning_]:
    """A warning for each setup whose packets/s rise from one frame size to the next."""
    for members in searched(points):
        for small, large in pairwise(members):
            low, high = small.values[RATE], large.values[RATE]
            if high.lo > low.hi * (1 + WORTH):
                seen = fact(
                    "seen.rising",
                    arm=small.arm,
                    high=high.value,
                    large=large.point[SIZE],
                    low=low.value,
                    small=small.point[SIZE],
                )
                between = _between(int(small.point[SIZE]), int(large.point[SIZE]))
                advice = fact("advice.rising", setting=between)
                yield warning("rises-with-size", advice, seen, high.value / low.value - 1)


def searched(points: Iterable[PointResult]) -> list[Sequence[PointResult]]:
    """The points of each search over frame sizes, the smallest first."""
    lines: dict[tuple[object, ...], list[PointResult]] = {}
    for point in points:
        if RATE in point.values and isinstance(point.point.get(SIZE), int):
            others = sorted(item for item in point.point.items() if item[0] != SIZE)
            lines.setdefault((point.plan, point.arm, *others), []).append(point)
    ordered = (sorted(own, key=lambda point: int(point.point[SIZE])) for own in lines.values())
    return [members for members in ordered if len(members) >= FEWEST]


def _between(small: int, large: int) -> str:
    """The setting of both sizes and the one in the middle."""
    sizes = sorted({small, (small + large) // 2, large})
    return f"sweep.{SIZE}=[{','.join(map(str, sizes))}]"
