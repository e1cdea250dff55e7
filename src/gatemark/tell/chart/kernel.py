# SPDX-License-Identifier: Apache-2.0
"""Figures 6 to 10 of the study of boards, drawn of this processor; several runs side by side.

1009 prefixes                a panel for each input: what works on another one is not comparable
  tbm4 |=======o-
       |====o-               a bar an arm: the median over the trials, with its interval
  tbm5 |==========o-
       +---------------- operations/s
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.kind.algorithm import point as kernel
from gatemark.kind.algorithm import scanned
from gatemark.kind.algorithm.inputs import AUTOMATA, FILTERS, early, engine, inputs, order
from gatemark.number import si
from gatemark.store.record import Record
from gatemark.tell.chart import theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, three
from gatemark.tell.chart.vega import Part, channel
from gatemark.tell.words import number

NAME = "kernels-of-the-study-{}"
LOOKED_UP = ("tbm4", "tbm5", "sst7", "sst15")
PHASES = ("insert", "query", "remove", "requery")
SETS = ("aut1", "aut2", "aut3")
ROW = 17  # pixels of a bar
PANELS = {
    "lpm": "The study's figure 6, longest prefix match",
    "filter": "The study's figures 7 and 8, filters",
    "match": "The study's figures 9 and 10, pattern matching",
}
UNIT = "operations/s"


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: of which input, what it is of, of which arm, and operations/s."""

    input: str
    label: str
    arm: str
    ops_s: Interval
    read: float  # share of the payload that was read


def figures(judgement: Judgement, records: Sequence[Record]) -> Iterator[Figure]:
    """One for each of PANELS that this processor has a part of."""
    read = scanned.stopped(records)
    for panel, labelled in LABELLED.items():
        points = [p for p in kernel.studied(judgement.points, panel) if any(labelled(p))]
        names = inputs([kernel.words(point.definition) for point in points])
        bars: dict[tuple[str, str, str], Bar] = {}
        for point, name in zip(points, names, strict=True):
            share = read.get(point.definition.kernel, 1.0)
            for label, ops_s in labelled(point):  # two plans may have the same kernel: the first
                bar = Bar(name, label, point.arm, ops_s, share)
                bars.setdefault((name, label, point.arm), bar)
        if bars:
            ordered = sorted(bars.values(), key=lambda bar: order(bar.input))
            notes = [text for text in early(records) if panel == "match"]
            yield _figure(panel, points[0].plan, ordered, notes)


def _lookups(point: PointResult) -> Iterator[tuple[str, Interval]]:
    words = kernel.words(point.definition)
    if words.get("structure") in LOOKED_UP and "ops_s" in point.values:
        yield words["structure"], point.values["ops_s"]


def _phases(point: PointResult) -> Iterator[tuple[str, Interval]]:
    words = kernel.words(point.definition)
    if words.get("workload") != "study" or words.get("structure") not in FILTERS:
        return
    for phase in PHASES:
        if ops_s := point.values.get(f"{phase}.ops_s"):
            yield phase, ops_s


def _payloads(point: PointResult) -> Iterator[tuple[str, Interval]]:
    words = kernel.words(point.definition)
    is_its = words.get("engine") in AUTOMATA and words.get("patterns") in SETS
    if is_its and "ops_s" in point.values:
        yield engine(words), point.values["ops_s"]


LABELLED = {"lpm": _lookups, "filter": _phases, "match": _payloads}


def _figure(panel: str, plan: str, bars: Sequence[Bar], notes: Sequence[str]) -> Figure:
    name = NAME.format(panel)
    rows: list[Row] = [
        {"input": bar.input, "kernel": bar.label, "arm": bar.arm, **three("ops_s", bar.ops_s)}
        for bar in bars
    ]
    definition = (
        f"What the study of boards draws in these figures, by this processor: {UNIT} at "
        f"-{kernel.LEVEL}, one instance, median over the trials with its 95 % interval. The "
        "study's bars have no numbers, so of its devices there are ranks alone, in the table. "
        "Several runs in one report stand side by side."
    )
    return Figure(
        name=name,
        title=f"{PANELS[panel]}: {'; '.join(_fastest(panel, bars))}",
        definition=" ".join([definition, *notes]),
        panels=tuple(
            (heading, _panel(name, [bar for bar in bars if bar.input == heading], PANELS[panel]))
            for heading in dict.fromkeys(bar.input for bar in bars)
        ),
        rows=rows,
        columns={"input": "input", "kernel": "kernel", "arm": "setup"}
        | heads("ops_s", "rate", UNIT),
        plan=plan,
    )


def _fastest(panel: str, bars: Sequence[Bar]) -> Iterator[str]:
    """The highest rate of each input, since rates of several inputs have no order."""
    several = len({bar.arm for bar in bars}) > 1
    for name in dict.fromkeys(bar.input for bar in bars):
        own = [bar for bar in bars if bar.input == name]
        first = max(own, key=lambda bar: bar.ops_s.value)
        most = " most by" if len({bar.label for bar in own}) > 1 else ""
        whose = f" ({first.arm})" if several else ""
        read = f", reading {number.quantity(first.read, 'ratio')} of each" if first.read < 1 else ""
        rate = si(first.ops_s.value, kernel.UNITS[panel])
        yield f"{name}{most} {first.label}{whose}, {rate}{read}"


def _panel(name: str, bars: Sequence[Bar], text: str) -> Part:
    labels = list(dict.fromkeys(bar.label for bar in bars))
    arms = list(dict.fromkeys(bar.arm for bar in bars))
    y, offset = channel("kernel:N", sort=labels, title=None), channel("arm:N", sort=arms)
    base = vega.rows(name, input=bars[0].input).encode(y=y, yOffset=offset)
    color = theme.color(arms, arms if len(arms) > 1 else [])
    x = channel("ops_s:Q", title=UNIT, axis=theme.si(5))
    tips = [*vega.tips("kernel", "arm"), *vega.numbers(",.0f", {"ops_s": UNIT})]
    layers = [
        base.mark("bar", x=x, color=color, tooltip=tips),
        base.span("rule", "x", "ops_s", UNIT, style="whisker"),
    ]
    height = ROW * (1 + len(labels) * len(arms))
    return theme.panel(f"{text}, {bars[0].input}", *layers, height=height)
