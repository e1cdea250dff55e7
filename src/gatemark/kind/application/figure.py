# SPDX-License-Identifier: Apache-2.0
"""The figure that decided of each application, a bar an arm; behind it what it is worth."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from gatemark.judge.math.interval import Interval
from gatemark.kind.application.answer import cell
from gatemark.kind.application.application import Application, Quality
from gatemark.kind.application.grade import WORDS, Grade, Place, grades
from gatemark.quantity import UNITS, words
from gatemark.tell.chart import bars, theme, vega
from gatemark.tell.chart.figure import Chart, Drawn, Entries, Figures, Row, heads, three, whole
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.group.source import Source
from gatemark.tell.words import traffic

SHOWN: Final = {"ns": (1e6, "ms"), "ratio": (0.01, "%"), "bit/s": (1e6, "Mbit/s")}
CAPTION: Final = (
    "{}: {}. Bar: median; whisker: its interval. The limits of good and bad are in a table"
)


@dataclass(frozen=True, slots=True)
class Played:
    """An application with its grade in each arm."""

    application: Application
    grades: tuple[Grade, ...]

    @property
    def quality(self) -> Quality:
        """The figure of the bars: that of the worst word which all arms have, else the first."""
        worst = sorted(self.grades, key=lambda grade: WORDS.index(grade.word), reverse=True)
        for quality in (grade.quality for grade in worst):
            if quality and all(quality.quantity in each.point.values for each in self.grades):
                return quality
        return self.application.qualities[0]

    @property
    def quantity(self) -> str:
        """The quantity of the bars."""
        return self.quality.quantity

    def text(self, grade: Grade) -> str:
        """Return what stands behind a bar: what decided; of a good one the bar's own value."""
        if grade.word == "good" and grade.quality != self.quality:
            value = grade.point.values[self.quantity]
            return cell(replace(grade, quality=self.quality, value=value, share=None))
        return cell(grade)

    @property
    def plan(self) -> str:
        """The plan's name."""
        return self.grades[0].point.plan

    @property
    def place(self) -> str:
        """The plan and the levels of its factors, as a part of a name."""
        place = self.grades[0].place
        return re.sub(r"[^\w.]+", "-", "-".join([place.plan, *(str(lv) for _, lv in place.levels)]))

    @property
    def unit(self) -> tuple[float, str]:
        """Return by how much values are divided, and the unit then."""
        return SHOWN.get(UNITS[self.quantity], (1.0, UNITS[self.quantity]))


def played(source: Source) -> list[Played]:
    """Return the applications that have values, plan by plan."""
    made: dict[tuple[Place, str], list[Grade]] = {}
    for grade in grades(source.judgement.points):
        if grade.application.qualities[0].quantity in grade.point.values:
            made.setdefault((grade.place, grade.application.name), []).append(grade)
    return [Played(own[0].application, tuple(own)) for own in made.values()]


def _rows(of: Played) -> Iterator[Row]:
    factor, _ = of.unit
    keys = bars.places(bars.order(_pairs(of)))
    for grade, key in zip(of.grades, keys, strict=True):
        value = grade.point.values[of.quantity]
        low, middle, high = (each / factor for each in (value.lo, value.value, value.hi))
        row: Row = {"arm": grade.point.arm, "grade": grade.word, "text": of.text(grade), "key": key}
        yield row | three("value", Interval(middle, low, high, value.n, value.level))


def _pairs(of: Played) -> list[tuple[str, str]]:
    return [("", grade.point.arm) for grade in of.grades]


def _title(d: Drawn[Played]) -> str:
    each = (f"{grade.point.arm} {grade.text}" for grade in d.of.grades)
    levels = d.of.grades[0].place.levels
    at = f" ({traffic.point(dict(levels))})" if levels else ""
    return f"{d.of.application.title}{at}: {', '.join(each)}"


def _panel(d: Drawn[Played]) -> Part:
    order = bars.order(_pairs(d.of))
    end = theme.end(max(d.most("value_hi"), _least(d.of)), bars.room(d.once("text")))
    x = channel("value:Q", title=d.of.unit[1], axis={"tickCount": 4}, scale=between(0, end))
    color = theme.color(d.once("arm"), [])
    layers = bars.ranked(vega.rows(d.name), "value", x, bars.side(order), color=color)
    return bars.down(_title(d), order, layers)


def _least(of: Played) -> float:
    """The least end of the axis: as far as the limits, so that 0 % is no picture of noise."""
    limits = max(of.quality.good, of.quality.bad) / of.unit[0]
    return 1e-9 if of.quality.of_clean else limits


CHART: Final = Chart[Played](
    name=lambda of: f"application-{of.place}-{of.application.name}",
    rows=_rows,
    columns=lambda of: {"arm": "arm", "grade": "grade"} | heads("value", of.quantity, of.unit[1]),
    title=_title,
    caption=lambda d: CAPTION.format(d.of.application.title, words(d.of.quantity)),
    form=whole(_panel),
    plan=lambda of: of.plan,
)

KIND: Final = Figures(Entries(played, CHART).figures)
