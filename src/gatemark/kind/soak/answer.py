# SPDX-License-Identifier: Apache-2.0
"""A soak's tables: each series with what it grows by, and the rate that a soak keeps."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from gatemark.judge.math.critical import Counted, critical
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.facts import LOSS
from gatemark.judge.point.group import Group
from gatemark.kind.soak.drift import Drift, drifts
from gatemark.kind.soak.plan import SOAK
from gatemark.tell.answer.answer import Answer
from gatemark.tell.fact.growth import rate
from gatemark.tell.group.source import Source
from gatemark.tell.words import column, number
from gatemark.tell.words.column import Column
from gatemark.tell.words.table import NONE, Table

GROWTH: Final = (
    "A soak: by how much an hour each reading changes (Theil and Sen, 95 % interval); it grows "
    "where all readings of a setup together let no chance be"
)
CRITICAL: Final = f"The rate at which a soak loses {LOSS:.1%}, by Bayes from all its trials"


class Row(NamedTuple):
    """A series of a setup."""

    setup: str
    drift: Drift


class Held(NamedTuple):
    """The critical rate of an arm."""

    setup: str
    loads: int
    interval: Interval


def soaks(source: Source) -> list[Group]:
    """Return the points of soaks."""
    return [each for each in source.groups if each.definition.quantity == SOAK]


def drifting(source: Source, trials: Group) -> list[Drift]:
    """Return each series of a point of a soak, computed once for its table and its figure."""
    key = (drifts, trials.plan, trials.arm, *sorted(trials.point.items()))
    return source.once(key, lambda: drifts(trials.outside))


def growth(source: Source) -> Table:
    """A row for each series of each setup."""
    rows = [
        Row(f"{each.setup}{_load(each)}", drift)
        for each in soaks(source)
        for drift in drifting(source, each)
    ]
    return column.table(
        GROWTH,
        rows,
        Column("setup", lambda row: row.setup),
        Column("reading", lambda row: row.drift.what.name),
        column.number("change an hour", lambda row: rate(row.drift.what.unit, row.drift.trend)),
        Column("verdict", lambda row: "grows" if row.drift.is_growing else "steady"),
        column.number("ends in, days", _ends, is_there=None),
    )


def _load(trials: Group) -> str:
    """Return the rate where a plan has several."""
    asked = trials.point.get("rate_pps")
    return f", {number.nominal(float(asked), 'packets/s')}" if asked else ""


def _ends(row: Row) -> str:
    hours = row.drift.ends_h
    return f"{hours / 24:.3g}" if row.drift.is_growing and hours is not None else NONE


def held(source: Source) -> Table:
    """A row for each arm that was soaked at three rates or more."""
    return column.table(
        CRITICAL,
        _held(source),
        Column("setup", lambda row: row.setup),
        column.number("rates", lambda row: str(row.loads)),
        column.number(
            "critical rate, k packets/s", lambda row: number.interval(row.interval, number.KPPS)
        ),
    )


def _held(source: Source) -> Iterator[Held]:
    arms: dict[str, list[Group]] = {}
    for each in soaks(source):
        arms.setdefault(f"{each.plan}/{each.arm}", []).append(each)
    for groups in arms.values():
        trials = [
            Counted(record.values["offered_pps"], record.definition.duration_s, count.lost)
            for each in groups
            for record in each.outside
            if (count := record.accounting)
        ]
        if interval := critical(trials, LOSS):
            yield Held(groups[0].setup, len(groups), interval)


KIND: Final = Answer(
    lambda source: [("growth", growth(source)), ("critical", held(source))], most=12, option="--all"
)
