# SPDX-License-Identifier: Apache-2.0
"""Several runs side by side: what each answers, their cards in columns, `cmp`'s tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from gatemark.error import UsageError
from gatemark.judge.change.cmp import cmp as compare_gateways
from gatemark.judge.change.diff import Side
from gatemark.judge.math.interval import Interval
from gatemark.tell.card.card import Card
from gatemark.tell.card.cards import cards
from gatemark.tell.group.source import Source
from gatemark.tell.verb import cmp
from gatemark.tell.words import number
from gatemark.tell.words.number import DASH
from gatemark.tell.words.table import Table


@dataclass(frozen=True, slots=True)
class Sides:
    """What stands above the figures of several runs."""

    cards: Table
    tables: tuple[Table, ...]
    why: str  # there are no tables; empty where there are


def side_by_side(sources: Sequence[Source]) -> Sides:
    """Runs in columns. Where nothing is comparable the reason stands in place of tables."""
    names = [called(source) for source in sources]
    try:
        comparison = compare_gateways([_side(source) for source in sources])
    except UsageError as error:
        return Sides(_cards(sources), (), f"{error}")
    return Sides(_cards(sources), tuple(cmp.tables(comparison, names)), "")


def called(source: Source) -> str:
    """A run's directory, or its name where it has none."""
    return source.folder.resolve().name if source.folder else source.run.run


def labelled(count: int) -> list[str]:
    """A letter for each of several runs; nothing for a single one."""
    return [cmp.letter(place) for place in range(count)] if count > 1 else [""]


def _side(source: Source) -> Side:
    return Side(source.run, source.judgement, source.rows)


def _cards(sources: Sequence[Source]) -> Table:
    """A row for each card that any of the runs has, with each run's ratio to the first."""
    columns = [
        {glance.title: glance for glance in cards(source.judgement, source.run.plans)}
        for source in sources
    ]
    titles = dict.fromkeys(title for column in columns for title in column)
    rows = []
    for title in titles:
        first, *others = (column.get(title) for column in columns)
        values = [_value(glance) for glance in (first, *others)]
        rows.append((title, *values, *(_ratio(glance, first) for glance in others)))
    heads = [f"{source.label}: {called(source)}" for source in sources]
    heads += [f"{source.label}/{sources[0].label}" for source in sources[1:]]
    numeric = frozenset(range(len(sources) + 1, len(heads) + 1))
    return Table("At a glance", ("what", *heads), tuple(rows), numeric)


def _value(glance: Card | None) -> str:
    if glance is None:
        return DASH
    return f"{glance.value} {glance.unit}".strip()


def _ratio(glance: Card | None, first: Card | None) -> str:
    """The ratio of two amounts at like load, with both intervals at their worst."""
    if glance is None or first is None or _load(glance) != _load(first):
        return DASH
    new, old = glance.amount, first.amount
    if new is None or old is None or old.lo <= 0 or new.lo <= 0:
        return DASH
    if glance.is_bound or first.is_bound:
        return DASH
    level = min(new.level, old.level)
    span = Interval(
        new.value / old.value, new.lo / old.hi, new.hi / old.lo, min(new.n, old.n), level
    )
    return number.interval(span, number.Scale(1.0, ""))


def _load(glance: Card) -> tuple[str, str]:
    """What the number is of, and the rate at which it was measured."""
    return glance.line, glance.unit.partition(" at ")[2]
