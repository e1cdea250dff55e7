# SPDX-License-Identifier: Apache-2.0
"""Throughput by search over the loads of a plan, in frames and in bits a second, side by side."""

from collections.abc import Sequence

from gatemark.report.answer import search
from gatemark.report.answer.search import NAMES, Found
from gatemark.report.chart import theme, vega
from gatemark.report.chart.figure import Figure, Row, heads, most, three
from gatemark.report.chart.vega import Part, between, channel
from gatemark.report.group import sweep
from gatemark.report.words import number, traffic
from gatemark.stats.judgement import Judgement, PointResult
from gatemark.stats.math.interval import Interval

MARKED = {
    "ndr": "with no loss (NDR, filled)",
    "pdr": "with at most 0.5 % lost (PDR, hollow)",
}
RATES = {"throughput_pps": "packets/s", "throughput_l2_bps": "bit/s"}
HEADROOM = 1.12


def figures(judgement: Judgement) -> list[Figure]:
    """One for each plan whose searches found a rate."""
    return [
        _figure(found_changes)
        for found_changes in search.plans(judgement).values()
        if any(
            "throughput_pps" in p.values
            for found_change in found_changes
            for p in found_change.goals.values()
        )
    ]


def _figure(searches: Sequence[Found]) -> Figure:
    name = sweep.plain(f"throughput-{searches[0].plan}")
    every = [(search, goal, point) for search in searches for goal, point in search.goals.items()]
    loads = list(search.varying_loads([point for _, _, point in every]))
    rows: list[Row] = []
    for (found_change, goal, point), at in zip(every, loads, strict=True):
        row: Row = {"arm": found_change.arm, "goal": NAMES[goal], "load": at, "limit": point.limit}
        row["bound"] = "at least" if point.at_least else ""
        for quantity in RATES:
            row |= three(quantity, point.values.get(quantity))
        rows.append(row)
    arms = list(dict.fromkeys(search.arm for search in searches))
    columns = {"arm": "setup", "goal": "goal", "load": "load"}
    for quantity, unit in RATES.items():
        columns |= heads(quantity, "throughput" if unit == "packets/s" else "on layer 2", unit)
    first = searches[0].first
    slow = first.definition.slow_to_pps
    slowed = f" The gateway is slowed to about {number.nominal(slow, 'packets/s')}." if slow else ""
    order = list(dict.fromkeys(loads))
    rates = [p.values["throughput_pps"] for _, _, p in every if "throughput_pps" in p.values]
    return Figure(
        name=name,
        title=_title(searches),
        definition=(
            f"The highest rate {_goals(searches)}, by search: "
            f"{traffic.traffic(first.definition, _varied(searches))}. {_marker(rates)}{slowed}"
        ),
        panels=tuple(
            (heading, _panel(name, quantity, rows, arms, order))
            for heading, quantity in zip(
                ("Frames a second", "Bits a second, layer 2"), RATES, strict=True
            )
        ),
        rows=rows,
        columns=columns | {"bound": "bound", "limit": "bottleneck"},
        plan=searches[0].plan,
    )


def _goals(searches: Sequence[Found]) -> str:
    """What the plan's searches look for, and how each is drawn."""
    goals = {goal for search in searches for goal in search.goals}
    return " and ".join(text for goal, text in MARKED.items() if goal in goals)


def _marker(rates: Sequence[Interval]) -> str:
    if all(rate.n == 1 for rate in rates):
        return "Marker: one search, no interval."
    return "Marker: median; whisker: its interval."


def _title(searches: Sequence[Found]) -> str:
    """The finding: what the first arm does at its first load, by each goal."""
    found_change = searches[0]
    means = {"ndr": "without loss", "pdr": "with at most 0.5 % lost"}
    texts = [
        f"{_rate(p)} {means[goal]}"
        for goal, p in found_change.goals.items()
        if "throughput_pps" in p.values
    ]
    does = traffic.does(found_change.first.setup)
    return (
        f"{does[:1].upper()}{does[1:]}, {found_change.load}: {', '.join(texts) or 'no rate found'}"
    )


def _rate(point: PointResult) -> str:
    measured = point.values["throughput_pps"]
    if point.at_least:
        return number.AT_LEAST + number.at_least(measured, "packets/s")
    return number.quantity(measured.value, "packets/s")


def _varied(searches: Sequence[Found]) -> set[str]:
    names = ("family", "frame_bytes", "flows")
    definitions = [search.first.definition for search in searches]
    return {name for name in names if len({getattr(d, name) for d in definitions}) > 1}


def _panel(
    name: str, field: str, rows: Sequence[Row], arms: Sequence[str], loads: Sequence[str]
) -> Part:
    x = channel("load:N", sort=list(loads), title=None, axis={"labelAngle": 0, "grid": False})
    y = _upwards(field, most(rows, f"{field}_hi") * HEADROOM)
    legend = {"symbolOpacity": 1, "values": list(arms)} if len(arms) > 1 else None
    color = channel("arm:N", scale=vega.names(arms), legend=legend)
    offset = channel("arm:N", sort=list(arms))
    base = vega.rows(name).encode(x=x, xOffset=offset, color=color)
    tips = [*vega.tips(arm="setup"), *vega.tips("goal", "load")]
    tips += [*vega.numbers(".4s", {field: "median"}), *vega.tips("bound")]
    ndr, pdr = (base.where(goal=NAMES[goal]) for goal in ("ndr", "pdr"))
    return theme.panel(
        f"{y['title']} for each load, by setup",
        base.span("rule", "y", field, y["title"], strokeWidth=1.5),
        pdr.mark("point", y=y, tooltip=tips, style="hollow"),
        ndr.mark("point", y=y, tooltip=tips, size=60, filled=True),
    )


def _upwards(field: str, high: float) -> Part:
    if RATES[field] == "bit/s":
        return theme.bits_axis(field, "throughput on layer 2", high)
    title, scale = "throughput, packets/s", between(0, high)
    return channel(f"{field}:Q", title=title, axis=theme.si(6), scale=scale)
