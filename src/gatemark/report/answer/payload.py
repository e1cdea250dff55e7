# SPDX-License-Identifier: Apache-2.0
"""Payload by arm: one table for each study, and the table of what the arms cost each other."""

from collections.abc import Iterable

from gatemark.plan.model import Plan
from gatemark.report.answer import diff
from gatemark.report.group import cost, study, sweep
from gatemark.report.group.study import Study
from gatemark.report.words import headline, number, traffic
from gatemark.report.words.number import MBPS, PERCENT, Scale
from gatemark.report.words.table import ADJUSTED, FAMILY, NONE, Table
from gatemark.stats.change.compare import UNBOUNDED
from gatemark.stats.judgement import Comparison, Judgement, PointResult

ALONE = "tester alone"


def tables(judgement: Judgement, plans: Iterable[Plan] = ()) -> list[Table]:
    """One table for each plan without a knee: a row for each point, a column for each arm."""
    return [_table(judgement, shown) for shown in study.studies(judgement, plans)]


def comparisons(judgement: Judgement) -> Table:
    """Arms against the first arm of their plan, with the smallest change that would show."""
    rows = tuple(_compared(comparison) for comparison in judgement.comparisons)
    head = ("setup", "against", "at", "change, %", "verdict")
    more = ("interval, %", ADJUSTED, "MDE, %")
    caption = f"What the arms cost: each against the first of its plan; {FAMILY}"
    return Table(caption, head + more, rows, frozenset({3, 6, 7}))


def _table(judgement: Judgement, shown: Study) -> Table:
    arms = study.arms(shown.points)
    lines: dict[str, dict[str, PointResult]] = {}
    more = [name for name in study.varying(shown.points) if name not in traffic.LOAD]
    for point in shown.points:
        words = ", ".join(filter(None, (_load(point), study.label(point, more))))
        lines.setdefault(words, {})[point.arm] = point
    for point in judgement.ceilings:
        words = _load(point)
        if words in lines and headline.payload(point) is not None:
            lines[words].setdefault(ALONE, point)
    columns = arms + ([ALONE] if any(ALONE in line for line in lines.values()) else [])
    rows = tuple(
        (words, *(_cell(line.get(arm)) for arm in columns)) for words, line in lines.items()
    )
    caption = f"{shown.plan}: payload in Mbit/s, with the gateway's CPU"
    return Table(caption, ("point", *columns), rows, frozenset(range(1, len(columns) + 1)))


def _load(point: PointResult | Comparison) -> str:
    payload = point.point.get("payload_bytes", 0)
    return traffic.load(point.definition, payload if isinstance(payload, int | float) else 0)


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
        diff.verdict(change, at_least=comparison.at_least),
        f"{low} to {high}" if is_told else NONE,
        f"{change.p:.2g}",
        _plain(change.mde, PERCENT) if is_told else NONE,
    )


def _other(comparison: Comparison) -> str:
    """What is compared where it is no rate, and at which rate."""
    rates = [
        traffic.factor(name, comparison.point[name])
        for name in sweep.RATES
        if comparison.point.get(name)
    ]
    return ", ".join([*rates, cost.OTHERS.get(comparison.quantity, comparison.quantity)])


def _signed(value: float, places: int) -> str:
    text = number.plain(value, places)
    return f"+{text}" if value > 0 else text


def _plain(value: float, to: Scale) -> str:
    return number.plain(value / to.factor, number.decimals_of(value / to.factor))
