# SPDX-License-Identifier: Apache-2.0
"""The way of a search: the rate of each of its trials, in their order, and what became of it."""

from collections.abc import Iterator, Sequence

from gatemark.report.answer import search
from gatemark.report.answer.search import Found
from gatemark.report.chart import theme, vega
from gatemark.report.chart.figure import Figure, Row, finite
from gatemark.report.chart.vega import Part, between, channel
from gatemark.report.group import sweep
from gatemark.report.words import number, traffic
from gatemark.stats.judgement import Judgement
from gatemark.stats.point.limit import ON_SCHEDULE
from gatemark.store.record import Record

PDR = 0.005
AROUND = 0.05  # of what was found: trials within it are drawn
# What became of a step, in the order of the legend.
NOTHING, LITTLE, MORE, LATE = (
    "nothing lost",
    "at most 0.5 % lost",
    "more lost",
    "sender off its schedule",
)


def figures(judgement: Judgement, records: Sequence[Record]) -> list[Figure]:
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
