# SPDX-License-Identifier: Apache-2.0
"""CPU by thread: the gateway's threads stacked, the tester's sender and sink thin below them."""

from collections.abc import Sequence
from dataclasses import replace

from gatemark.judge.judgement import Judgement
from gatemark.judge.math.interval import Interval
from gatemark.store.record import Record
from gatemark.tell.chart import ladder, theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, most, once, three
from gatemark.tell.chart.vega import Part, Rows, between, channel
from gatemark.tell.group import sweep, thread
from gatemark.tell.group.thread import Use
from gatemark.tell.words import number
from gatemark.tell.words.number import PERCENT

ROW = 36  # pixels: a bar, and two thin ones below it
THICK, THIN = 15, 5
NAMED = 0.25  # of a CPU: a part so wide has room for its name
TESTER = ("sender", "sink")


def figures(judgement: Judgement, records: Sequence[Record]) -> list[Figure]:
    """One for each plan whose trials read the gateway's threads; of several each names its own."""
    swept = {knee.plan: knee.at_least for knee in judgement.knees}
    made = [
        _figure(uses, left, _when(swept.get(uses[0].point.plan)))
        for uses, left in thread.plans(judgement, records)
    ]
    if len(made) < 2:
        return made
    return [
        replace(figure, definition=f"{figure.definition} Plan: {figure.plan}.") for figure in made
    ]


def _when(bound: bool | None) -> str:
    """At which point of a sweep; None: of no sweep."""
    if bound is None:
        return "while it was sent"
    return "at the highest rate" if bound else "at the first rate from the knee on"


def _figure(uses: Sequence[Use], left: int, when: str) -> Figure:
    plan = uses[0].point.plan
    name = sweep.plain(f"thread-{plan}")
    order = ladder.keys(ladder.grouped(_names(uses)))
    places = [key for key in order if not ladder.is_heading(key)]
    pairs = list(zip(uses, places, strict=True))
    columns = {"point": "traffic", "arm": "setup", "cpu": "gateway's CPU", "who": "thread"}
    return Figure(
        name=name,
        title=thread.finding(uses),
        definition=_definition(uses, left, when),
        panels=(("", _panel(name, uses, order)),),
        rows=[row for use, key in pairs for row in _rows(use, key)],
        columns=columns | heads("busy", "share of a CPU", "ratio"),
        plan=plan,
        extra={f"{name}-totals": [_total(use, key) for use, key in pairs]},
    )


def _definition(uses: Sequence[Use], left: int, when: str) -> str:
    paced = any(use.point.point.get(name) for use in uses for name in sweep.RATES)
    ends = "one CPU for both" if any(use.is_shared for use in uses) else "each on its own CPU"
    parts = [
        f"What each thread of the gateway used of its CPU {when}, read from outside (schedstat). "
        "Bar: medians; whisker: the interval of their sum.",
        f"Thin: the tester's sender (grey) and sink (hollow), {ends}."
        if any(use.tester for use in uses)
        else "",
        "A sender at a set rate spins while it waits: that is no sign of a limit." if paced else "",
        f"{left} more points of the plan are not drawn." if left else "",
    ]
    return " ".join(part for part in parts if part)


def _names(uses: Sequence[Use]) -> list[tuple[str, str]]:
    """Heading and name of each bar; the CPU is named where the gateway has several."""
    several = len({use.cpu for use in uses}) > 1
    return [(use.heading, f"{use.name}, CPU {use.cpu}" if several else use.name) for use in uses]


def _rows(use: Use, key: str) -> list[Row]:
    """A row for each part of the bar, with the place where it is drawn."""
    base: Row = {"point": use.heading, "arm": use.name, "key": key}
    base["cpu"] = "any" if use.cpu is None else f"{use.cpu}"
    rows: list[Row] = []
    end = 0.0
    for who in sorted(use.threads):
        rows.append(base | _part(who, "gateway", use.threads[who], end))
        end += use.threads[who].value
    end = 0.0
    for who in (name for name in TESTER if name in use.tester):
        part = _part(who, who, use.tester[who], end if use.is_shared else 0.0)
        rows.append(base | {"cpu": "tester's"} | part)
        end += use.tester[who].value
    return rows


def _part(who: str, lane: str, share: Interval, start: float) -> Row:
    row: Row = {"who": who, "lane": lane, "start": start, "end": start + share.value}
    row["label"] = who.removeprefix("napi/") if lane == "gateway" and share.value >= NAMED else ""
    return row | three("busy", share)


def _total(use: Use, key: str) -> Row:
    text = f"{number.interval(use.total, PERCENT)} %"
    return {"key": key, "text": text} | three("busy", use.total)


def _panel(name: str, uses: Sequence[Use], order: Sequence[str]) -> Part:
    totals = [_total(use, "") for use in uses]
    x = _axis(max(1.0, most(totals, "busy_hi")), ladder.room(once(totals, "text")))
    y, title = ladder.side(order), x["title"]
    bars, sums = vega.rows(name), vega.rows(f"{name}-totals")
    threads = bars.where(lane="gateway")
    inside = threads.reckon(middle="(datum.start + datum.end) / 2")
    bar = {"color": _color(uses), "tooltip": _TIPS, "height": THICK, "yOffset": -THIN}
    name_at = {"x": channel("middle:Q", title=title), "y": y, "text": "label:N", "dy": -THIN}
    text = {"y": y, "text": "text:N", "style": "value", "align": "left", "dx": 8, "dy": -THIN}
    layers = [
        vega.inline({"start": 1}).mark("rule", x=x, style="ceiling"),
        threads.mark("bar", x=x, x2="end", y=y, **bar),
        inside.mark("text", **name_at, style="within"),
        *_tester(bars, uses, x, y),
        sums.span("rule", "x", "busy", title, y=y, style="whisker", yOffset=-THIN),
        *sums.haloed(x=channel("busy_hi:Q", title=title), **text),
    ]
    return ladder.down("CPU by thread", order, layers, ROW)


def _axis(high: float, room: int) -> Part:
    axis = {"format": ".0%", "values": [0, 0.5, 1, *range(2, 1 + int(high))]}
    scale = between(0, theme.end(high, room))
    return channel("start:Q", title="share of one CPU", axis=axis, scale=scale)


def _tester(bars: Rows, uses: Sequence[Use], x: Part, y: Part) -> list[Part]:
    """Sender and sink in one line where they share a CPU, else below each other."""
    shared = any(use.is_shared for use in uses)
    made = []
    for place, who in enumerate(TESTER):
        down = THICK - THIN + 1 + (0 if shared else place * (THIN + 1))
        look = {"style": "tester", "filled": who == TESTER[0], "height": THIN, "yOffset": down}
        own = bars.where(lane=who)
        made.append(own.mark("bar", x=x, x2="end", y=y, tooltip=_TIPS, **look))
    return made


def _color(uses: Sequence[Use]) -> Part:
    threads = thread.names(uses)
    legend = {"columns": theme.columns(threads, 3), "symbolType": "square", "symbolOpacity": 1}
    shown = legend if len(threads) > 1 else None
    return channel("who:N", scale=vega.names(threads), legend=shown)


_TIPS = vega.tips(arm="setup", point="traffic", who="thread", cpu="CPU")
_TIPS += vega.interval("busy", ".1%")
