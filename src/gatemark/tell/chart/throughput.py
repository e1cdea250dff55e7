# SPDX-License-Identifier: Apache-2.0
"""Searches: the throughput by load, the delay at shares of it, and the way of each search."""

from collections.abc import Iterator, Sequence

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.limit import ON_SCHEDULE
from gatemark.store.record import Record
from gatemark.tell.answer import search
from gatemark.tell.answer.search import NAMES, SHARE, Found
from gatemark.tell.chart import theme, vega
from gatemark.tell.chart.figure import Figure, Row, finite, heads, most, three
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.group import sweep
from gatemark.tell.words import number, traffic

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


def shares(judgement: Judgement) -> list[Figure]:
    """One for each plan that has such trials."""
    return [_delay(points) for points in search.shares(judgement).values()]


def _delay(points: Sequence[PointResult]) -> Figure:
    name = sweep.plain(f"delay-{points[0].plan}")
    loads = list(search.varying_loads(points))
    rows: list[Row] = []
    for point, load in zip(points, loads, strict=True):
        share = point.point[SHARE]
        row: Row = {"arm": point.arm, "load": load, "share": f"{100 * float(share):g} %"}
        for quantity in ("delay_p50_ns", "delay_p99_ns"):
            row |= three(quantity, point.values.get(quantity))
        rows.append(row)
    arms = list(dict.fromkeys(point.arm for point in points))
    values = [float(v) for r in rows for v in (r["delay_p50_ns"], r["delay_p99_ns"]) if v]
    columns = {"arm": "setup", "load": "load", "share": "share of the throughput"}
    columns |= heads("delay_p50_ns", "delay p50", "ns") | heads("delay_p99_ns", "delay p99", "ns")
    low, high = (number.quantity(p.values["delay_p50_ns"].value, "ns") for p in _ends(points))
    shares = [traffic.factor(SHARE, p.point[SHARE]) for p in _ends(points)]
    return Figure(
        name=name,
        title=f"A packet takes {low} at {shares[0]}, {high} at {shares[1]} ({points[0].arm})",
        definition=(
            "One-way delay of every packet at shares of the rate that the same repeat's search "
            f"found: {traffic.traffic(points[0].definition, {'frame_bytes', 'flows', 'family'})}. "
            "Marker: median; upright: up to the 99th percentile. Log axis."
        ),
        panels=tuple(
            (load, _delay_panel(name, load, arms, values)) for load in dict.fromkeys(loads)
        ),
        rows=rows,
        columns=columns,
        plan=points[0].plan,
    )


def _ends(points: Sequence[PointResult]) -> tuple[PointResult, PointResult]:
    """The first arm's smallest and largest share, at its first load."""
    first = points[0]
    at = search.base(first.point)
    own_points = [p for p in points if p.arm == first.arm and search.base(p.point) == at]
    own_points.sort(key=lambda point: float(point.point[SHARE]))
    return own_points[0], own_points[-1]


def _delay_panel(name: str, load: str, arms: Sequence[str], values: Sequence[float]) -> Part:
    x = channel("share:N", sort=None, title="share of the throughput", axis={"labelAngle": 0})
    legend = {"symbolOpacity": 1} if len(arms) > 1 else None
    color = channel("arm:N", scale=vega.names(arms), legend=legend)
    offset = channel("arm:N", sort=list(arms))
    base = vega.rows(name, load=load).encode(x=x, color=color, xOffset=offset)
    y = theme.delay_axis("delay_p50_ns", values)
    tips = vega.tips(arm="setup")
    tips += vega.numbers(".4s", {"delay_p50_ns": "median", "delay_p99_ns": "99 %"})
    return theme.panel(
        f"One-way delay at shares of the throughput, {load}",
        base.mark("rule", y=y, y2="delay_p99_ns", strokeWidth=1.5),
        base.mark("point", y=y, tooltip=tips, size=60, filled=True),
    )


PDR = 0.005
AROUND = 0.05  # of what was found: trials within it are drawn
# What became of a step, in the order of the legend.
NOTHING, LITTLE, MORE, LATE = (
    "nothing lost",
    "at most 0.5 % lost",
    "more lost",
    "sender off its schedule",
)


def paths(judgement: Judgement, records: Sequence[Record]) -> list[Figure]:
    """One for each plan whose searches have kept their trials."""
    drawn = [_path(found_changes, records) for found_changes in search.plans(judgement).values()]
    return [figure for figure in drawn if figure is not None]


def _path(searches: Sequence[Found], records: Sequence[Record]) -> Figure | None:
    """The steps of the searches of each arm at the plan's first load."""
    arms: dict[str, Found] = {}
    for found_change in searches:
        arms.setdefault(found_change.arm, found_change)
    rows = [
        row
        for found_change in arms.values()
        for repeat, steps in enumerate(search.steps_of(records, found_change), 1)
        for row in _steps(found_change, repeat, steps)
    ]
    if not rows:
        return None
    first = searches[0]
    name = sweep.plain(f"search-{first.plan}")
    spent = first.first.values.get("search_s")
    count = first.first.values.get("search_trials")
    took = f"{count.value:.0f} trials, {number.seconds(spent.value)}" if count and spent else ""
    return Figure(
        name=name,
        title=f"The way to it: {took or 'the trials of a search'} ({first.arm}, {first.load})",
        definition=(
            "Every trial of each search, as it ran, at the rate that was sent; a line for each "
            f"repeat. {traffic.traffic(first.first.definition)}. "
            "What was far from the answer is not drawn: the first trial goes as fast as the tester "
            "can and says where to begin."
        ),
        panels=tuple(
            (arm, _steps_panel(name, arm, _near(found_change)))
            for arm, found_change in arms.items()
        ),
        rows=rows,
        columns={
            "arm": "setup",
            "repeat": "repeat",
            "step": "trial of the search",
            "offered_pps": "offered (packets/s)",
            "loss": "loss (ratio)",
            "became": "what became of it",
        },
        plan=first.plan,
    )


def _steps(search: Found, repeat: int, steps: Sequence[Record]) -> Iterator[Row]:
    for place, record in enumerate(steps, 1):
        rate = record.point.get("rate_pps")
        if record.status == "ok" and isinstance(rate, int | float) and rate:
            if record.point.get("packets"):
                continue
            loss = record.values.get("loss_ratio", 0.0)
            yield {
                "arm": search.arm,
                "repeat": float(repeat),
                "step": float(place),
                "offered_pps": finite(float(rate)),
                "loss": finite(loss),
                "became": _became(record, loss),
            }


def _became(record: Record, loss: float) -> str:
    ratio = record.evidence.schedule_ratio
    if ratio is not None and ratio < ON_SCHEDULE:
        return LATE
    return NOTHING if not loss else LITTLE if loss <= PDR else MORE


def _near(search: Found) -> tuple[float, float]:
    """The rates around what was found, by all goals and repeats; of each direction."""
    ways = 2 if search.first.definition.direction == "both" else 1
    names = ("throughput_pps", "too_fast_pps")
    intervals = [
        p.values[name] for p in search.goals.values() for name in names if name in p.values
    ]
    low, high = (
        min((i.lo for i in intervals), default=0.0),
        max((i.hi for i in intervals), default=1.0),
    )
    return (1 - AROUND) * low / ways, (1 + AROUND) * high / ways


def _steps_panel(name: str, arm: str, near: tuple[float, float]) -> Part:
    x = channel("step:Q", title="trial", axis={"tickMinStep": 1, "grid": False})
    scale = between(*near)
    y = channel("offered_pps:Q", title="offered, packets/s", axis=theme.si(6), scale=scale)
    kinds = [NOTHING, LITTLE, MORE, LATE]
    legend = {"columns": theme.columns(kinds), "symbolOpacity": 1}
    color = channel("became:N", scale=vega.names(kinds), legend=legend)
    scale = vega.names(kinds, range=theme.SHAPES[: len(kinds)])
    shape = channel("became:N", scale=scale, legend=legend)
    tips = [channel("repeat:Q"), *vega.numbers(".4s", {"offered_pps": "offered"})]
    tips += vega.numbers(".3%", {"loss": ""})
    base = vega.rows(name, arm=arm)
    look = {"color": color, "shape": shape, "tooltip": tips, "size": 40, "clip": True}
    return theme.panel(
        f"The rate of each trial of the searches, in their order, {arm}",
        base.mark("line", x=x, y=y, detail="repeat:N", style="ideal", clip=True),
        base.mark("point", x=x, y=y, **look),
    )
