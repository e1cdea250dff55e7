# SPDX-License-Identifier: Apache-2.0
"""CPU load against rate or flows: a panel for each setup, a line for each way of accounting.

Where there is one way, all setups are lines of one panel.
"""

from collections.abc import Iterable, Iterator, Sequence

from gatemark.judge.point.load import FLOWS, WAYS, Load
from gatemark.tell.answer.load import level, percent
from gatemark.tell.chart import curve, theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, once, three
from gatemark.tell.chart.vega import Part, channel
from gatemark.tell.group import sweep
from gatemark.tell.words import traffic

ENDS = {FLOWS: "flows", "rate_bps": "offered, bit/s", "rate_pps": "offered, packets/s"}
BY_BOOKS = "by the scheduler's books (schedstat)"
BY_ALL = (
    f"{BY_BOOKS}, by the ticks of /proc/stat, and by what a loop of the lowest priority lacks "
    "(soak)"
)
APART = 0.1  # of a CPU: ways that differ by more are worth the title


def figures(loads: Sequence[Load]) -> Iterator[Figure]:
    """One for each plan and what varies in it."""
    kinds = dict.fromkeys((load.plan, load.factor) for load in loads)
    for plan, factor in kinds:
        yield _figure([load for load in loads if (load.plan, load.factor) == (plan, factor)])


def _figure(loads: Sequence[Load]) -> Figure:
    first = loads[0]
    name = sweep.plain(f"load-{first.plan}-{first.factor}")
    single = len({way for load in loads for way in load.busy}) == 1
    rows = [row for load in loads for row in _rows(load, single=single)]
    setups = list(dict.fromkeys(str(row["setup"]) for row in rows))
    columns = {"arm": "setup"} if single else {"setup": "setup", "arm": "by"}
    columns |= {"level": ENDS[first.factor]}
    return Figure(
        name=name,
        title=_one_way(loads) if single else _title(loads),
        definition=(
            f"Share of the gateway's busiest CPU {BY_BOOKS if single else BY_ALL}: "
            f"{traffic.traffic(first.definition, but=[first.factor])}. "
            "Band: interval of the median."
        ),
        panels=tuple((setup, _panel(name, setup, rows, first.factor)) for setup in setups),
        rows=rows,
        columns=columns | heads("busy", "CPU busy", "ratio"),
        plan=first.plan,
    )


def _rows(load: Load, *, single: bool) -> Iterator[Row]:
    """A line is a way in its setup's panel, or a setup in the one panel."""
    for way, busy in load.busy.items():
        row: Row = {"setup": "" if single else load.arm, "level": load.level}
        yield row | {"arm": load.arm if single else way} | three("busy", busy)


def _one_way(loads: Sequence[Load]) -> str:
    """How busy the CPU is at both ends of what varies, over all setups."""
    ends = [extreme(loads, key=lambda load: load.level).level for extreme in (min, max)]
    texts = []
    for end in ends:
        at = [load for load in loads if load.level == end]
        busy = [busy.value for load in at for busy in load.busy.values()]
        low, high = percent(min(busy)), percent(max(busy))
        texts.append(f"{low if low == high else f'{low[:-2]} to {high}'} busy at {level(at[0])}")
    return f"The gateway's CPU is {texts[0]}, {texts[1]}"


def _title(loads: Iterable[Load]) -> str:
    """How far ticks are from the soak, where they are most."""
    apart = [(abs(load.apart.value), load) for load in loads if load.apart]
    if not apart:
        return "How busy is the gateway's CPU?"
    most, this_load = max(apart, key=lambda pair: pair[0])
    if most < APART:
        return f"Ticks and soak tell the same CPU load, to {percent(most)} at every point"
    ticks, soak = (percent(this_load.busy[way].value) for way in ("ticks", "soak"))
    return f"Ticks mislead: {this_load.arm} is {ticks} busy by them, {soak} by the soak"


def _panel(name: str, setup: str, rows: Sequence[Row], factor: str) -> Part:
    lines = once([row for row in rows if row["setup"] == setup], "arm")
    ways = sorted(lines, key=lambda line: list(WAYS).index(line) if line in WAYS else 0)
    levels = [float(row["level"] or 1) for row in rows]
    axis = {"labelExpr": theme.SI, "grid": False, "labelOverlap": True}
    scale = theme.logarithmic(min(levels) * 0.9, max(levels) * 1.1)
    x = channel("level:Q", title=ENDS[factor], axis=axis, scale=scale)
    percents = {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]}
    y = channel("busy:Q", title="CPU busy", axis=percents, scale={"domain": [0, 1.05]})
    tips = [*vega.tips(arm="by"), channel("level:Q", title=ENDS[factor])]
    tips += vega.numbers(".1%", {"busy": "", "busy_lo": "", "busy_hi": ""})
    layers = curve.line(vega.rows(name, setup=setup), "busy", {"x": x, "y": y}, ways, tips, ways)
    return theme.panel(f"CPU busy by each way of accounting, {setup or 'every setup'}", *layers)
