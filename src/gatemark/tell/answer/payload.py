# SPDX-License-Identifier: Apache-2.0
"""Payload by arm: one table for each study, and the table of what the arms cost each other."""

from collections.abc import Mapping

from gatemark.judge.change.compare import UNBOUNDED
from gatemark.judge.judgement import Comparison, Judgement, PointResult
from gatemark.judge.point.timed import SHARE
from gatemark.tell.group import cost, study, sweep
from gatemark.tell.group.each_run import letter, testers
from gatemark.tell.group.source import Source
from gatemark.tell.group.study import Study
from gatemark.tell.group.together import named
from gatemark.tell.words import headline, number, traffic
from gatemark.tell.words.change import verdict
from gatemark.tell.words.number import MBPS, PERCENT, Scale
from gatemark.tell.words.table import ADJUSTED, FAMILY, NONE, Table

ALONE = "tester alone"


def tables(source: Source) -> list[Table]:
    """One table for each plan without a knee: a row for each point, a column for each arm."""
    shown = study.studies(source.judgement, source.run.plans)
    return [_table(source, kept_study) for kept_study in shown]


def comparisons(judgement: Judgement) -> Table:
    """Arms against the first arm of their plan, with the smallest change that would show."""
    rows = tuple(_compared(comparison) for comparison in judgement.comparisons)
    head = ("setup", "against", "at", "change, %", "verdict")
    more = ("interval, %", ADJUSTED, "MDE, %")
    caption = f"What the arms cost, each against another; {FAMILY}"
    return Table(caption, head + more, rows, frozenset({3, 6, 7}))


def _table(source: Source, shown: Study) -> Table:
    lines: dict[str, dict[str, PointResult]] = {}
    more = [name for name in study.varying(shown.points) if name not in traffic.LOAD]
    for point in shown.points:
        words = ", ".join(filter(None, (_load(point), study.label(point, more))))
        lines.setdefault(words, {})[point.arm] = point
    columns = study.arms(shown.points) + _alone(source, lines)
    rows = tuple(
        (words, *(_cell(line.get(arm)) for arm in columns)) for words, line in lines.items()
    )
    caption = f"{shown.plan}: payload in Mbit/s, with the gateway's CPU"
    return Table(caption, ("point", *columns), rows, frozenset(range(1, len(columns) + 1)))


def _alone(source: Source, lines: Mapping[str, dict[str, PointResult]]) -> list[str]:
    """Put what each run's tester did alone into its rows; the names of these columns."""
    alone = testers(source)
    columns = {label: named(label, ALONE) for label in alone}
    for words, line in lines.items():
        for point in tuple(line.values()):
            label = letter(source, point.arm)
            own = headline.alone(alone[label], point)
            alike = [p for p in own if _load(p) == words and headline.payload(p) is not None]
            if alike:
                line.setdefault(columns[label], alike[0])
    return [name for name in columns.values() if any(name in line for line in lines.values())]


def _load(point: PointResult | Comparison) -> str:
    payload = point.point.get("payload_bytes", 0)
    text = traffic.load(point.definition, payload if isinstance(payload, int | float) else 0)
    clients = point.definition.clients
    return f"{text}, {clients} clients" if clients > 1 else text


def _cell(point: PointResult | None) -> str:
    measured = headline.payload(point) if point else None
    if point is None or measured is None:
        return NONE
    text = number.interval(measured, MBPS, at_least=point.at_least)
    busy = point.values.get("cpu_busy")
    return f"{text} (CPU {number.plain(busy.value * 100, 0)} %)" if busy else text


def _compared(comparison: Comparison) -> tuple[str, ...]:
    change = comparison.change
    is_told = max(abs(change.change.value), change.change.hi, change.mde) < UNBOUNDED
    places = number.decimals(change.change, PERCENT)
    i = change.change
    middle, low, high = (_signed(x * 100, places) for x in (i.value, i.lo, i.hi))
    other = "" if comparison.quantity in cost.RATES else f", {_other(comparison)}"
    return (
        comparison.arm,
        comparison.baseline,
        _load(comparison) + other,
        middle if is_told else NONE,
        verdict(change, at_least=comparison.at_least),
        f"{low} to {high}" if is_told else NONE,
        f"{change.p:.2g}",
        _plain(change.mde, PERCENT) if is_told else NONE,
    )


def _other(comparison: Comparison) -> str:
    """What is compared where it is no rate, and at which rate."""
    rates = [
        traffic.factor(name, comparison.point[name])
        for name in (*sweep.RATES, SHARE)
        if comparison.point.get(name)
    ]
    return ", ".join([*rates, cost.OTHERS.get(comparison.quantity, comparison.quantity)])


def _signed(value: float, places: int) -> str:
    text = number.plain(value, places)
    return f"+{text}" if value > 0 else text


def _plain(value: float, to: Scale) -> str:
    return number.plain(value / to.factor, number.decimals_of(value / to.factor))
