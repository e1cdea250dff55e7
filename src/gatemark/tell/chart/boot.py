# SPDX-License-Identifier: Apache-2.0
"""An A/B test boot by boot: every trial, and the median of each boot, old beside new."""

from collections.abc import Iterable, Sequence
from statistics import median

from gatemark.judge.change.sampled import KNEE
from gatemark.judge.judgement import Comparison, Judgement
from gatemark.judge.point.boot import medians
from gatemark.plan.model import NEW, OLD
from gatemark.quantity import UNITS
from gatemark.store.record import Record
from gatemark.tell.chart import curve, theme, vega
from gatemark.tell.chart.figure import Figure, Row
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.group import sweep
from gatemark.tell.words import number, traffic

ARMS = (OLD, NEW)
ROOM = 0.04  # of the axis beyond the outermost trials


def figures(judgement: Judgement, records: Sequence[Record]) -> list[Figure]:
    """One for each point that is compared; a knee is of many trials, and has none."""
    comparisons = [
        comparison
        for comparison in judgement.comparisons
        if comparison.arm == NEW and comparison.change.paired
    ]
    return [
        _figure(comparison, _records(comparison, records))
        for comparison in comparisons
        if comparison.quantity != KNEE
    ]


def _records(comparison: Comparison, records: Iterable[Record]) -> list[Record]:
    """The valid trials of a comparison's point."""
    return [
        record
        for record in records
        if record.status == "ok"
        and record.pass_ == "outside"
        and record.boot
        and (record.plan, record.point) == (comparison.plan, comparison.point)
        and comparison.quantity in record.values
    ]


def _figure(comparison: Comparison, records: Sequence[Record]) -> Figure:
    unit = UNITS[comparison.quantity]
    to = number.scale([median(r.values[comparison.quantity] for r in records)], unit)
    by_arm = {arm: [record for record in records if record.arm == arm] for arm in ARMS}
    rows = [
        _row("trial", arm, record.boot, record.values[comparison.quantity] / to.factor)
        for arm, records in by_arm.items()
        for record in records
    ]
    rows += [
        _row("median", arm, boot, value / to.factor)
        for arm, records in by_arm.items()
        for boot, value in medians(records, comparison.quantity).items()
    ]
    name = sweep.plain(
        f"boots-{comparison.plan}-{comparison.quantity}-{traffic.point(comparison.point)}"
    )
    return Figure(
        name=name,
        title=f"Boot by boot, {comparison.change.change.n} of each: {_apart(rows)}",
        definition=f"{comparison.quantity}, {traffic.load(comparison.definition)}. "
        "Small: a trial; large: the median of a boot, which is the sample. "
        "Old and new of one number are a pair.",
        panels=(("", _panel(name, rows, to.unit)),),
        rows=rows,
        columns={"what": "what", "arm": "arm", "boot": "boot", "value": f"value ({to.unit})"},
        plan=comparison.plan,
    )


def _row(what: str, arm: str, boot: int, value: float) -> Row:
    return {"what": what, "arm": arm, "boot": float(boot), "value": value}


def _apart(rows: Sequence[Row]) -> str:
    """How far the boots of one arm lie from each other: what a single boot would have hidden."""
    spans = []
    for arm in ARMS:
        values = [float(r["value"] or 0) for r in rows if r["what"] == "median" and r["arm"] == arm]
        if values and min(values) > 0:
            spans.append(max(values) / min(values) - 1)
    if not spans:
        return "no value"
    return f"one arm's boots lie up to {number.quantity(max(spans), 'ratio')} apart"


def _panel(name: str, rows: Sequence[Row], unit: str) -> Part:
    values = [float(row["value"] or 0) for row in rows]
    room = ROOM * (max(values) - min(values) or 1.0)
    scale = between(min(values) - room, max(values) + room, zero=False)
    boots = sorted({float(row["boot"] or 0) for row in rows})
    axis = {"labelAngle": 0, "format": "d"}
    base = vega.rows(name).encode(
        x=channel("boot:O", title="boot", axis=axis, sort=boots),
        xOffset=channel("arm:N", sort=list(ARMS)),
        y=channel("value:Q", title=unit, scale=scale),
        color=theme.color(ARMS),
        shape=theme.shape(ARMS),
    )
    tips = [*vega.tips("arm"), channel("boot:Q"), *vega.numbers(".4s", {"value": ""})]
    return theme.panel(
        "Each boot of old and new",
        base.where("datum.what == 'trial'").mark("point", size=24, opacity=0.6),
        curve.dots(base.where("datum.what == 'median'"), tooltip=tips, size=80),
    )
