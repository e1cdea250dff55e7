# SPDX-License-Identifier: Apache-2.0
"""One card: a number with its interval, one line, a small picture; all else behind a fold."""

from collections.abc import Sequence
from dataclasses import dataclass

from gatemark.judge.judgement import Knee
from gatemark.judge.math.interval import Interval
from gatemark.tell.card.picture import Picture
from gatemark.tell.chart.palette import Palette
from gatemark.tell.words import number, traffic


@dataclass(frozen=True, slots=True)
class Card:
    """A number that answers one question."""

    title: str
    value: str
    unit: str
    line: str  # what the number is of
    lines: tuple[str, ...]  # behind the fold: the other direction, the other setups
    definition: str  # behind the fold, too
    evidence: str  # anchor
    picture: Picture | None = None
    grade: str = ""
    amount: Interval | None = None  # the number itself; None: it is a word, or has a sign

    @property
    def is_bound(self) -> bool:
        """Return whether the number is a lower bound, of which a ratio says nothing."""
        return self.value.startswith(number.AT_LEAST)


@dataclass(frozen=True, slots=True)
class Place:
    """What a card must know of the run besides what was judged."""

    colors: Palette
    is_virtual: bool

    def is_device(self, slow_to_pps: int) -> bool:
        """Whether a value is that of a device, which may have a grade and a share of a line."""
        return not self.is_virtual and not slow_to_pps


def parts(i: Interval, unit: str, *, at_least: bool = False) -> tuple[str, str]:
    """A number with its interval, and its unit by itself."""
    to = number.scale([i.value], unit)
    return number.interval(i, to, at_least=at_least), to.unit


def cut(lines: Sequence[str], most: int) -> list[str]:
    """At most so many lines; the last of these counts those that were left out."""
    if len(lines) <= most:
        return list(lines)
    return [*lines[: most - 1], f"and {len(lines) - most + 1} more"]


def what(knee: Knee) -> str:
    """A knee's setup and direction: `nat ↑ up`."""
    return f"{knee.setup} {traffic.way(knee.direction)}"
