# SPDX-License-Identifier: Apache-2.0
"""Good, fair, bad: what an application's figures are worth, and when nothing can be said.

An application that is not good on the clean way, with nothing beside, is judged nowhere: this
machine is too slow for it, or its path is. Nor is one that was not played on the clean way.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from gatemark.judge.fact import Text
from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.kind.application.application import Application, Quality
from gatemark.kind.application.programs import ABOUT, APPLICATIONS, KEY
from gatemark.store.record import Scalar

Word = Literal["good", "fair", "bad", "not judged"]
UNJUDGED: Final = "not judged"
WORDS: Final[tuple[Word, ...]] = ("good", "fair", "bad", UNJUDGED)  # the better first
NEAR: Final = 0.1  # of the way from good to bad: repeats of a figure lie so far apart
CLEAN: Final = "the clean way is not good"
UNKNOWN: Final = "it was not played with nothing beside (an arm with `beside = false`)"
SHAPE: Final = "shape:"
CAKE: Final = ":cake:"


@dataclass(frozen=True, slots=True)
class Place:
    """The conditions of a grade besides its arm: the plan, and levels of factors."""

    plan: str
    levels: tuple[tuple[str, Scalar], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The worth of an application at one point of one arm."""

    application: Application
    point: PointResult
    word: Word
    span: tuple[Word, Word] = (UNJUDGED, UNJUDGED)  # best and worst that another run may give
    quality: Quality | None = None  # that decided: the worst; None: nothing is known
    value: Interval | None = None  # of it
    share: float | None = None  # of the clean way's value, where the limits are of that
    why: Text = ""  # not judged: the reason

    @property
    def quantity(self) -> str:
        """The quantity of the figure that decided, else of the first one."""
        return (self.quality or self.application.qualities[0]).quantity

    @property
    def place(self) -> Place:
        """Return where it was played: its plan, and the levels of all but the application."""
        levels = tuple(pair for pair in self.point.point.items() if pair[0] != KEY)
        return Place(self.point.plan, levels)

    @property
    def is_clean(self) -> bool:
        """Return True where nothing is sent beside it."""
        return not self.point.definition.beside

    @property
    def text(self) -> str:
        """Return its word; near a limit the words on both sides: `fair or bad`."""
        best, worst = self.span
        if self.word == UNJUDGED or best == worst:
            return self.word
        return f"{best} {'or' if _rank(worst) - _rank(best) == 1 else 'to'} {worst}"

    @property
    def shaper(self) -> str:
        """Return the feature that shapes: shape:cake:14.25:wan; "": none."""
        features = self.point.definition.features
        return next((feature for feature in features if feature.startswith(SHAPE)), "")


def grades(points: Iterable[PointResult]) -> tuple[Grade, ...]:
    """Return the grade of each point that is of an application, in their order.

    Points whose trials were all skipped have none: what the gateway lacks is no fault of a CPU.
    """
    every = [point for point in points if _is_played(point)]
    return tuple(_grade(point, _clean(point, every)) for point in every)


def _is_played(point: PointResult) -> bool:
    return point.definition.quantity in ABOUT and bool(point.values or point.invalid)


def _clean(point: PointResult, every: Sequence[PointResult]) -> PointResult | None:
    """Return the same application with nothing beside; None: it was not measured."""
    for other in every:
        if not other.definition.beside and _place(other) == _place(point):
            return other
    return None


def _place(point: PointResult) -> tuple[object, ...]:
    return point.plan, *sorted(point.point.items()), point.definition.application


def _grade(point: PointResult, clean: PointResult | None) -> Grade:
    application = APPLICATIONS[point.definition.application]
    every = _qualities(application, point, clean)
    ranked = sorted(every, key=lambda grade: (_rank(grade.word), _rank(grade.span[1])))
    worst = ranked[-1] if ranked else Grade(application=application, point=point, word=UNJUDGED)
    if why := _unjudged(application, point, clean):
        return replace(worst, word=UNJUDGED, why=why)
    spans = [*zip(*(grade.span for grade in ranked), strict=True)]
    best, last = (max(words, key=_rank) for words in spans)
    return replace(worst, span=(best, last))


def _unjudged(application: Application, point: PointResult, clean: PointResult | None) -> Text:
    """Return why nothing is said; "" where it has values, and is good on the clean way."""
    if not point.values:
        return point.why
    if not point.definition.beside:
        return ""
    if clean is None:
        return UNKNOWN
    if not clean.values:
        return clean.why
    return "" if _is_good(application, clean) else CLEAN


def _is_good(application: Application, clean: PointResult) -> bool:
    words = [grade.word for grade in _qualities(application, clean, clean)]
    return bool(words) and set(words) == {"good"}


def _qualities(
    application: Application, point: PointResult, clean: PointResult | None
) -> Iterator[Grade]:
    """Yield each figure with its own grade, the last first: of equals the headline stands last."""
    for quality in reversed(application.qualities):
        value = point.values.get(quality.quantity)
        if value is None:
            continue
        share = None
        if quality.of_clean:
            share = _share(value, clean.values.get(quality.quantity) if clean else None)
            if share is None:
                continue
        scale = 1.0 if share is None else share / value.value if value.value else 0.0
        yield Grade(
            application=application,
            point=point,
            word=word(quality, scale * value.value),
            span=_span(quality, scale * value.lo, scale * value.value, scale * value.hi),
            quality=quality,
            value=value,
            share=share,
        )


def _span(quality: Quality, low: float, middle: float, high: float) -> tuple[Word, Word]:
    """Return the best and the worst word: those in the interval, and across a limit that is near.

    Nothing is near a limit of 0: never and seldom differ.
    """
    near = NEAR * abs(quality.bad - quality.good)
    limits = (limit for limit in (quality.good, quality.bad) if limit)
    crossed = [limit for limit in limits if abs(middle - limit) <= near]
    sides = [limit + side * near / 1000 for limit in crossed for side in (-1, 1)]
    ranks = sorted(_rank(word(quality, value)) for value in (low, middle, high, *sides))
    return WORDS[ranks[0]], WORDS[ranks[-1]]


def _share(value: Interval, clean: Interval | None) -> float | None:
    return value.value / clean.value if clean and clean.value else None


def word(quality: Quality, value: float) -> Word:
    """Return good, fair or bad."""
    good, bad = quality.good, quality.bad
    if quality.is_more:
        return "good" if value >= good else "bad" if value < bad else "fair"
    return "good" if value <= good else "bad" if value > bad else "fair"


def _rank(name: Word) -> int:
    return WORDS.index(name)


def by_place(every: Iterable[Grade]) -> dict[Place, list[Grade]]:
    """Return the grades of each place, in their order: those of two lines share no cell."""
    made: dict[Place, list[Grade]] = {}
    for grade in every:
        made.setdefault(grade.place, []).append(grade)
    return made


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm with the grades of all its applications, by name, at one place."""

    name: str
    grades: dict[str, Grade]

    @property
    def good(self) -> list[str]:
        """Return titles of what is good."""
        return [g.application.title for g in self.grades.values() if g.word == "good"]

    @property
    def titles(self) -> list[str]:
        """Return the titles of all."""
        return [grade.application.title for grade in self.grades.values()]

    @property
    def setting(self) -> str:
        """Return its shaper, as a plan has it; "": none."""
        return next((grade.shaper for grade in self.grades.values()), "")


def arms(every: Iterable[Grade]) -> list[Arm]:
    """Return the arms of some grades of one place, in their order."""
    made: dict[str, dict[str, Grade]] = {}
    for grade in every:
        made.setdefault(grade.point.arm, {})[grade.application.name] = grade
    return [Arm(name, grades) for name, grades in made.items()]


def best(every: Iterable[Grade]) -> Arm | None:
    """Return the loaded arm with a shaper in which most is good; None: there is none.

    Of equals it is CAKE, which a line in a shell sets.
    """
    shaped = [arm for arm in arms(grade for grade in every if not grade.is_clean) if arm.setting]
    return max(shaped, key=lambda arm: (len(arm.good), CAKE in arm.setting), default=None)
