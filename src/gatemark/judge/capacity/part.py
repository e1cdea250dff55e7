# SPDX-License-Identifier: Apache-2.0
"""A packet's time in parts that people know: base, frame size, path, features, what is together."""

from collections.abc import Collection
from typing import Final

from gatemark.judge.capacity.model import Column, Model
from gatemark.judge.capacity.term import BYTE, RULE, Case, bend
from gatemark.judge.math.interval import Interval, median_interval

TOGETHER: Final = "together"  # what two terms cost besides each alone
OTHERS: Final = "others"

Parts = dict[str, Interval]


def part(column: Column) -> str:
    """The part that a column belongs to: a ladder's rules and its constant are one, and bytes."""
    if len(column) > 1:
        return TOGETHER
    return BYTE if bend(column[0]) is not None else column[0].removesuffix(RULE)


def parts(model: Model, case: Case, but: Collection[str] = ()) -> Parts:
    """Return the sum of each part of a case, in its unit, with the interval over blocks.

    With `but` only these parts have their name, and the rest is one part, `others`.
    """
    values: dict[str, list[float]] = {}
    for at, (cost, times) in enumerate(zip(model.costs, model.row(case), strict=True)):
        if not times:
            continue
        name = part(cost.column)
        name = name if not but or name in but else OTHERS
        sums = values.get(name, [0.0] * len(model.blocks))
        values[name] = [s + block[at] * times for s, block in zip(sums, model.blocks, strict=True)]
    return {name: median_interval(sums) for name, sums in values.items()}
