# SPDX-License-Identifier: Apache-2.0
"""Charts of searches: the throughput by load, the way of each search, the delay at shares of it."""

from collections.abc import Iterator, Mapping, Sequence

from gatemark.judge.judgement import PointResult
from gatemark.judge.point.limit import ON_SCHEDULE
from gatemark.store.record import Record
from gatemark.tell.answer import search
from gatemark.tell.answer.search import NAMES, SHARE, Found
from gatemark.tell.chart import scatter, theme, vega
from gatemark.tell.chart.figure import (
    Chart,
    Drawn,
    Panel,
    Row,
    each,
    finite,
    heads,
    numbers,
    three,
)
from gatemark.tell.chart.scatter import FILLED
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.group import sweep
from gatemark.tell.group.source import Source
from gatemark.tell.words import number, traffic

Searches = Sequence[Found]
Points = Sequence[PointResult]
SETUP = {"arm": "setup"}


def searches(source: Source) -> list[Searches]:
    """What each plan's searches found."""
    return list(search.plans(source.judgement).values())


def _goals(made: Searches) -> list[tuple[Found, str, PointResult]]:
    return [(result, goal, point) for result in made for goal, point in result.goals.items()]


# The highest rate of each load.

MARKED = {
    "ndr": ("with no loss (NDR, filled)", "without loss"),
    "pdr": ("with at most 0.5 % lost (PDR, hollow)", "with at most 0.5 % lost"),
}
HEADROOM = 1.12


def _rates(made: Searches) -> Iterator[Row]:
    goals = _goals(made)
    if not any("throughput_pps" in point.values for _, _, point in goals):
        return
    loads = search.varying_loads([point for _, _, point in goals])
    for (result, goal, point), load in zip(goals, loads, strict=True):
        row: Row = {"arm": result.arm, "goal": NAMES[goal], "load": load, "limit": point.limit}
        row["bound"] = "at least" if point.at_least else ""
        for quantity in ("throughput_pps", "throughput_l2_bps"):
            row |= three(quantity, point.values.get(quantity))
        yield row


def _best(d: Drawn[Searches]) -> str:
    """The finding: what the first arm does at its first load, by each goal."""
    result = d.of[0]
    rates = [
        f"{_rate(point)} {MARKED[goal][1]}"
        for goal, point in result.goals.items()
        if "throughput_pps" in point.values
    ]
    does = traffic.does(result.first.setup)
    return f"{does[:1].upper()}{does[1:]}, {result.load}: {', '.join(rates) or 'no rate found'}"


def _rate(point: PointResult) -> str:
    measured = point.values["throughput_pps"]
    if point.at_least:
        return number.AT_LEAST + number.at_least(measured, "packets/s")
    return number.quantity(measured.value, "packets/s")


def _highest(d: Drawn[Searches]) -> str:
    goals, first = _goals(d.of), d.of[0].first.definition
    sought = [MARKED[name][0] for name in MARKED if name in {goal for _, goal, _ in goals}]
    definitions = [result.first.definition for result in d.of]
    names = ("family", "frame_bytes", "flows")
    varied = {name for name in names if len({getattr(at, name) for at in definitions}) > 1}
    counts = {p.values["throughput_pps"].n for _, _, p in goals if "throughput_pps" in p.values}
    spread = "one search, no interval" if counts == {1} else "median; whisker: its interval"
    text = (
        f"The highest rate {' and '.join(sought)}, by search: {traffic.traffic(first, varied)}. "
        f"Marker: {spread}."
    )
    slow = number.nominal(first.slow_to_pps, "packets/s")
    return f"{text} The gateway is slowed to about {slow}." if first.slow_to_pps else text


def _both_units(d: Drawn[Searches]) -> list[Panel]:
    pps, bps = ("throughput_pps", "throughput_l2_bps")
    packets = theme.si_axis(pps, "throughput, packets/s", d.most(f"{pps}_hi") * HEADROOM)
    bits = theme.bits_axis(bps, "throughput on layer 2", d.most(f"{bps}_hi") * HEADROOM)
    panels = {"Frames a second": packets, "Bits a second, layer 2": bits}
    return [(heading, _rates_panel(d, y)) for heading, y in panels.items()]


def _rates_panel(d: Drawn[Searches], y: Part) -> Part:
    arms, field = d.once("arm"), y["field"]
    x = scatter.names("load", d.once("load"), axis={"labelAngle": 0, "grid": False})
    color = scatter.arms(arms, legend={"values": arms})
    base = scatter.side_by_side(vega.rows(d.name), x, arms, color)
    tips = [*vega.tips(**SETUP), *vega.tips("goal", "load")]
    tips += [*vega.numbers(".4s", {field: "median"}), *vega.tips("bound")]
    ndr, pdr = (base.where(goal=NAMES[goal]) for goal in MARKED)
    return theme.panel(
        f"{y['title']} for each load, by setup",
        base.span("rule", "y", field, y["title"], strokeWidth=1.5),
        pdr.mark("point", y=y, tooltip=tips, style="hollow"),
        ndr.mark("point", y=y, tooltip=tips, **FILLED),
    )


THROUGHPUT = Chart[Searches](
    name=lambda made: sweep.plain(f"throughput-{made[0].plan}"),
    rows=_rates,
    columns=SETUP
    | {"goal": "goal", "load": "load"}
    | heads("throughput_pps", "throughput", "packets/s")
    | heads("throughput_l2_bps", "on layer 2", "bit/s")
    | {"bound": "bound", "limit": "bottleneck"},
    title=_best,
    caption=_highest,
    form=_both_units,
)

# The steps of the searches of each arm at the plan's first load.

PDR = 0.005
AROUND = 0.05  # of what was found: trials within it are drawn
# What became of a step, in the order of the legend.
NOTHING, LITTLE, MORE, LATE = KINDS = (
    "nothing lost",
    "at most 0.5 % lost",
    "more lost",
    "sender off its schedule",
)
Traced = tuple[Source, Searches]


def _of_arms(made: Searches) -> Mapping[str, Found]:
    return {result.arm: result for result in reversed(made)}


def _steps(of: Traced) -> Iterator[Row]:
    source, made = of
    arms = _of_arms(made)
    for arm in dict.fromkeys(result.arm for result in made):
        for repeat, steps in enumerate(search.steps_of(source.records, arms[arm]), 1):
            for place, record in enumerate(steps, 1):
                rate = record.point.get("rate_pps")
                if record.status != "ok" or not isinstance(rate, int | float) or not rate:
                    continue
                if not record.point.get("packets"):
                    row: Row = {"arm": arm, "repeat": float(repeat), "step": float(place)}
                    loss = record.values.get("loss_ratio", 0.0)
                    row |= {"offered_pps": finite(float(rate)), "loss": finite(loss)}
                    yield row | {"became": _became(record, loss)}


def _became(record: Record, loss: float) -> str:
    ratio = record.evidence.schedule_ratio
    if ratio is not None and ratio < ON_SCHEDULE:
        return LATE
    return NOTHING if not loss else LITTLE if loss <= PDR else MORE


def _took(d: Drawn[Traced]) -> str:
    first = d.of[1][0]
    spent, count = (first.first.values.get(f"search_{of}") for of in ("s", "trials"))
    took = f"{count.value:.0f} trials, {number.seconds(spent.value)}" if count and spent else ""
    return f"The way to it: {took or 'the trials of a search'} ({first.arm}, {first.load})"


def _near(result: Found) -> tuple[float, float]:
    """The rates around what was found, by all goals and repeats; of each direction."""
    ways = 2 if result.first.definition.direction == "both" else 1
    names = ("throughput_pps", "too_fast_pps")
    every = [p.values[name] for p in result.goals.values() for name in names if name in p.values]
    low, high = min((i.lo for i in every), default=0.0), max((i.hi for i in every), default=1.0)
    return (1 - AROUND) * low / ways, (1 + AROUND) * high / ways


def _steps_panel(d: Drawn[Traced], arm: str) -> Part:
    x = channel("step:Q", title="trial", axis={"tickMinStep": 1, "grid": False})
    scale = between(*_near(_of_arms(d.of[1])[arm]))
    y = channel("offered_pps:Q", title="offered, packets/s", axis=theme.si(6), scale=scale)
    legend = {"columns": theme.columns(KINDS), "symbolOpacity": 1}
    color = channel("became:N", scale=vega.names(KINDS), legend=legend)
    scale = vega.names(KINDS, range=theme.SHAPES[: len(KINDS)])
    shape = channel("became:N", scale=scale, legend=legend)
    tips = [channel("repeat:Q"), *vega.numbers(".4s", {"offered_pps": "offered"})]
    tips += vega.numbers(".3%", {"loss": ""})
    base = vega.rows(d.name, arm=arm)
    look = {"color": color, "shape": shape, "tooltip": tips, "size": 40, "clip": True}
    return theme.panel(
        f"The rate of each trial of the searches, in their order, {arm}",
        base.mark("line", x=x, y=y, detail="repeat:N", style="ideal", clip=True),
        base.mark("point", x=x, y=y, **look),
    )


PATH = Chart[Traced](
    name=lambda of: sweep.plain(f"search-{of[1][0].plan}"),
    rows=_steps,
    columns=SETUP
    | {"repeat": "repeat", "step": "trial of the search", "offered_pps": "offered (packets/s)"}
    | {"loss": "loss (ratio)", "became": "what became of it"},
    title=_took,
    caption=lambda d: (
        "Every trial of each search, as it ran, at the rate that was sent; a line for each repeat. "
        f"{traffic.traffic(d.of[1][0].first.definition)}. What was far from the answer is not "
        "drawn: the first trial goes as fast as the tester can and says where to begin."
    ),
    form=each("arm", _steps_panel),
    plan=lambda of: of[1][0].plan,
)


def traced(source: Source) -> list[Traced]:
    """The same with the run whose trials they are."""
    return [(source, made) for made in searches(source)]


# Delay at shares of what was found.


def shares(source: Source) -> list[Points]:
    """Each plan's points at such shares."""
    return list(search.shares(source.judgement).values())


def _delays(points: Points) -> Iterator[Row]:
    for point, load in zip(points, search.varying_loads(points), strict=True):
        share = f"{100 * float(point.point[SHARE]):g} %"
        row: Row = {"arm": point.arm, "load": load, "share": share}
        for quantity in ("delay_p50_ns", "delay_p99_ns"):
            row |= three(quantity, point.values.get(quantity))
        yield row


def _least_and_most(d: Drawn[Points]) -> str:
    """The finding: the first arm's delay at its smallest and largest share, at its first load."""
    first = d.of[0]
    at = search.base(first.point)
    own = [p for p in d.of if p.arm == first.arm and search.base(p.point) == at]
    own.sort(key=lambda point: float(point.point[SHARE]))
    parts = [
        f"{number.quantity(p.values['delay_p50_ns'].value, 'ns')} at "
        f"{traffic.factor(SHARE, p.point[SHARE])}"
        for p in (own[0], own[-1])
    ]
    return f"A packet takes {', '.join(parts)} ({first.arm})"


def _delay_panel(d: Drawn[Points], load: str) -> Part:
    arms, values = d.once("arm"), numbers(d.rows, "delay_p50_ns", "delay_p99_ns")
    x = scatter.names("share", title="share of the throughput")
    base = vega.rows(d.name, load=load)
    base = scatter.side_by_side(base, x, arms, scatter.arms(arms))
    y = theme.delay_axis("delay_p50_ns", [value for value in values if value])
    tips = vega.tips(**SETUP)
    tips += vega.numbers(".4s", {"delay_p50_ns": "median", "delay_p99_ns": "99 %"})
    return theme.panel(
        f"One-way delay at shares of the throughput, {load}",
        base.mark("rule", y=y, y2="delay_p99_ns", strokeWidth=1.5),
        base.mark("point", y=y, tooltip=tips, **FILLED),
    )


SHARES = Chart[Points](
    name=lambda points: sweep.plain(f"delay-{points[0].plan}"),
    rows=_delays,
    columns=SETUP
    | {"load": "load", "share": "share of the throughput"}
    | heads("delay_p50_ns", "delay p50", "ns")
    | heads("delay_p99_ns", "delay p99", "ns"),
    title=_least_and_most,
    caption=lambda d: (
        "One-way delay of every packet at shares of the rate that the same repeat's search found: "
        f"{traffic.traffic(d.of[0].definition, {'frame_bytes', 'flows', 'family'})}. "
        "Marker: median; upright: up to the 99th percentile. Log axis."
    ),
    form=each("load", _delay_panel),
)
