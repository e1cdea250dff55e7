# SPDX-License-Identifier: Apache-2.0
"""Several runs side by side: what each answers, their cards in columns, `cmp`'s tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from gatemark.error import UsageError
from gatemark.report.answer import cmp
from gatemark.report.card.card import Card
from gatemark.report.card.cards import cards
from gatemark.report.group.source import Source
from gatemark.report.words.number import DASH
from gatemark.report.words.table import Table
from gatemark.stats.change.cmp import cmp as compare_gateways
from gatemark.stats.change.diff import Side
from gatemark.stats.judge import samples


@dataclass(frozen=True, slots=True)
class Sides:
    """What stands above the figures of several runs."""

    cards: Table
    tables: tuple[Table, ...]
    why: str  # there are no tables; empty where there are


def side_by_side(sources: Sequence[Source]) -> Sides:
    """Runs in columns. Where nothing is alike the reason stands in place of tables."""
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
    return Side(source.run, source.judgement, samples(source.run, source.records))


def _cards(sources: Sequence[Source]) -> Table:
    """A row for each card that any of the runs has."""
    columns = [
        {glance.title: glance for glance in cards(source.judgement, source.run.plans)}
        for source in sources
    ]
    titles = dict.fromkeys(title for column in columns for title in column)
    rows = tuple((title, *(_value(column.get(title)) for column in columns)) for title in titles)
    heads = [f"{source.label}: {called(source)}" for source in sources]
    return Table("At a glance", ("what", *heads), rows, frozenset())


def _value(glance: Card | None) -> str:
    if glance is None:
        return DASH
    return f"{glance.value} {glance.unit}".strip()
