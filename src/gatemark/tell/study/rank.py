# SPDX-License-Identifier: Apache-2.0
"""Devices ranked: a table for each definition, and one object for each device."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from gatemark.judge.math.interval import Interval
from gatemark.judge.rank import Ranked, Ranking
from gatemark.quantity import words
from gatemark.store.study.device import DeviceValue
from gatemark.tell.words import number, traffic
from gatemark.tell.words.table import NONE, Table

HEAD = ("place", "device", "value", "not told apart from", "trials", "measured for")


def table(ranking: Ranking) -> Table:
    """All devices of one definition, the best first."""
    unit = ranking.devices[0].value.unit
    to = number.scale([ranked.value.value for ranked in ranking.devices], unit)
    rows = tuple(_row(ranked, to) for ranked in ranking.devices)
    head = (*HEAD[:2], to.unit, *HEAD[3:])
    return Table(_caption(ranking), head, rows, frozenset({2, 4}))


def _caption(ranking: Ranking) -> str:
    rate = traffic.point({"rate_bps": bps}) if (bps := ranking.point.get("rate_bps")) else ""
    parts = (words(ranking.quantity), ranking.definition.setup, traffic.sent(ranking.definition))
    return ", ".join(filter(None, (*parts, rate)))


def _row(ranked: Ranked, to: number.Scale) -> tuple[str, ...]:
    value = ranked.value
    return (
        str(ranked.place),
        ranked.device,
        number.interval(_interval(value), to, at_least=value.at_least),
        ", ".join(ranked.alike) or NONE,
        str(value.n),
        f"{value.defined.duration_s:g} s",
    )


def _interval(value: DeviceValue) -> Interval:
    return Interval(value.value, value.lo, value.hi, value.n, value.level)


def data(rankings: Iterable[Ranking]) -> Iterator[dict[str, object]]:
    """One object for each device of each definition."""
    for ranking in rankings:
        for ranked in ranking.devices:
            made: dict[str, object] = msgspec.to_builtins(ranked.value)
            place = {"place": ranked.place, "of": len(ranking.devices), "device": ranked.device}
            yield {**place, "alike": list(ranked.alike), **made}


def left_out(names: Sequence[tuple[str, str]]) -> str:
    """Which files are of no device."""
    return "; ".join(f"{name} is {reason}" for name, reason in names)
