# SPDX-License-Identifier: Apache-2.0
"""Figures 6 to 10 of the study of boards, drawn of this processor; several runs side by side.

tbm4, 1009   |=======o-
             |====o-          a bar an arm: the median over the trials, with its interval
tbm5, 1009   |==========o-
             +---------------- operations/s
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import altair as alt

from gatemark.number import si
from gatemark.report.chart import theme
from gatemark.report.chart.figure import Chart, Figure, Row, heads, named, three
from gatemark.stats.judgement import Judgement, PointResult
from gatemark.stats.kernel import rate as kernel
from gatemark.stats.math.interval import Interval

NAME = "kernels-of-the-study-{}"
LEVEL = "O3"  # the study printed no other: it was the fastest everywhere
LOOKED_UP = ("tbm4", "tbm5", "sst7", "sst15")
FILTERS = {"bf": "Bloom", "cbf": "counting Bloom"}
PHASES = ("insert", "query", "remove", "requery")
AUTOMATA = {"d2fa": "D2FA", "hfa": "Hybrid-FA"}
SETS = ("aut1", "aut2", "aut3")
ALONE = "independent"  # look-ups that do not wait for each other
ROW = 17  # pixels of a bar
PANELS = {
    "lpm": "The study's figure 6, longest prefix match",
    "filter": "The study's figures 7 and 8, filters",
    "match": "The study's figures 9 and 10, pattern matching",
}
UNIT = "operations/s"


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: what it is of, of which arm, and operations/s."""

    label: str
    arm: str
    ops_s: Interval


def figures(judgement: Judgement) -> Iterator[Figure]:
    """One for each panel of PANELS that this processor has a part of."""
    for panel, labelled in LABELLED.items():
        points = [
            point
            for point in kernel.of(judgement.points, panel)
            if point.definition.level == LEVEL and point.definition.instances == 1
        ]
        bars: dict[tuple[str, str], Bar] = {}
        for point in points:
            for label, ops_s in labelled(point):  # two plans may have the same kernel: the first
                bars.setdefault((label, point.arm), Bar(label, point.arm, ops_s))
        if bars:
            yield _figure(panel, points[0].plan, [*bars.values()])


def _lookups(point: PointResult) -> Iterator[tuple[str, Interval]]:
    words = kernel.words(point.definition)
    is_its = words.get("structure") in LOOKED_UP and words.get("mix", "in-table") == "in-table"
    if is_its and "ops_s" in point.values and words.get("mode", ALONE) == ALONE:
        table = words.get("table", "").removeprefix("generated:").partition(":")[0]
        yield f"{words['structure']}, {table}", point.values["ops_s"]


def _phases(point: PointResult) -> Iterator[tuple[str, Interval]]:
    words = kernel.words(point.definition)
    if words.get("workload") != "study":
        return
    for phase in PHASES:
        if ops_s := point.values.get(f"{phase}.ops_s"):
            yield f"{FILTERS.get(words['structure'], words['structure'])}, {phase}", ops_s


def _payloads(point: PointResult) -> Iterator[tuple[str, Interval]]:
    words = kernel.words(point.definition)
    is_its = words.get("engine") in AUTOMATA and words.get("patterns") in SETS
    if is_its and "ops_s" in point.values:
        yield f"{AUTOMATA[words['engine']]}, {words['patterns']}", point.values["ops_s"]


LABELLED = {"lpm": _lookups, "filter": _phases, "match": _payloads}


def _figure(panel: str, plan: str, bars: Sequence[Bar]) -> Figure:
    name = NAME.format(panel)
    rows: list[Row] = [
        {"kernel": bar.label, "arm": bar.arm, **three("ops_s", bar.ops_s)} for bar in bars
    ]
    first = max(bars, key=lambda bar: bar.ops_s.value)
    rate = si(first.ops_s.value, kernel.UNITS[panel])
    return Figure(
        name=name,
        title=f"{PANELS[panel]}: most by {first.label}, {rate}",
        definition=(
            f"What the study of boards draws in these figures, by this processor: {UNIT} at "
            f"-{LEVEL}, one instance, median over the trials with its 95 % interval. The study's "
            "bars have no numbers, so of its devices there are ranks alone, in the table. Several "
            "runs in one report stand side by side."
        ),
        panels=(("", _panel(name, bars, PANELS[panel])),),
        rows=rows,
        columns={"kernel": "kernel", "arm": "setup"} | heads("ops_s", "rate", UNIT),
        plan=plan,
    )


def _panel(name: str, bars: Sequence[Bar], text: str) -> Chart:
    labels = list(dict.fromkeys(bar.label for bar in bars))
    arms = list(dict.fromkeys(bar.arm for bar in bars))
    axis = alt.Axis(labelExpr=theme.SI, tickCount=5)
    color = theme.color(arms, arms if len(arms) > 1 else [])
    y = alt.Y("kernel:N", sort=labels, title=None)
    base = alt.Chart(named(name)).encode(y=y, yOffset=alt.YOffset("arm:N", sort=arms))
    tips = [alt.Tooltip("kernel:N"), alt.Tooltip("arm:N")]
    tips.append(alt.Tooltip("ops_s:Q", title=UNIT, format=",.0f"))
    bar = base.mark_bar().encode(alt.X("ops_s:Q", title=UNIT, axis=axis), color=color, tooltip=tips)
    whisker = base.mark_rule(style="whisker").encode(
        alt.X("ops_s_lo:Q", title=UNIT), alt.X2("ops_s_hi:Q")
    )
    return alt.layer(bar, whisker).properties(
        width="container", height=ROW * (1 + len(labels) * len(arms)), description=text
    )
