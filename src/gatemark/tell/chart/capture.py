# SPDX-License-Identifier: Apache-2.0
"""The chart of a program that watches: loss, captured share and CPU against the offered rate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatemark.judge.judgement import Judgement, Watched
from gatemark.judge.point.capture import MODES, is_most, rate_bps
from gatemark.judge.point.likeness import alike
from gatemark.store import reference as shipped
from gatemark.store.published import Published
from gatemark.tell.answer import reference, watched
from gatemark.tell.answer.watched import FULL
from gatemark.tell.chart import curve, published, theme, vega
from gatemark.tell.chart.figure import Chart, Drawn, Panel, Row, heads, most, numbers, once, three
from gatemark.tell.chart.vega import Part, Rows, between, channel
from gatemark.tell.group import sweep
from gatemark.tell.group.source import Source
from gatemark.tell.words import number, traffic

HEIGHT = 150
SET = "set"  # a rate that the plan names
# Quantity -> the heading of its panel, its axis, where that ends; None: by what was measured.
PANELS = {
    "loss_ratio": ("Lost from end to end", "lost", None),
    "captured_share": ("Captured of what crossed the gateway's port", "captured", 1.05),
    "cpu_busy": ("The gateway's busiest CPU", "CPU busy", 1.05),
}
PROGRAM = "program_cpu"
MODES_HEADING = f"CPU by mode at {watched.REFERENCE}, as the gateway reads it"
TIPS = [
    *vega.tips("arm", "offered"),
    *vega.numbers(".2%", {field: axis for field, (_, axis, _) in PANELS.items()}),
    *vega.numbers(".2%", {PROGRAM: "of it the program"}),
]


@dataclass(frozen=True, slots=True)
class Watch:
    """The arms of a plan whose gateway runs a program at several rates."""

    judgement: Judgement
    results: Sequence[Watched]
    known: Sequence[Published]

    @property
    def plan(self) -> str:
        """The name of the plan."""
        return self.results[0].plan

    @property
    def arms(self) -> list[str]:
        """The arms in the order of the plan."""
        return [result.arm for result in self.results]


def watches(source: Source) -> list[Watch]:
    """All of a run, beside what was published."""
    return of_published(source.judgement, list(shipped.published()))


def of_published(judgement: Judgement, known: Sequence[Published]) -> list[Watch]:
    """All of a run, beside these published values."""
    return [Watch(judgement, results, known) for results in watched.groups(judgement)]


def _rows(watch: Watch) -> Iterator[Row]:
    for result in watch.results:
        for point in watched.sweep(watch.judgement, result):
            rate = rate_bps(point)
            row: Row = {"arm": point.arm, "rate_bps": rate}
            if is_most(point):
                row |= {"speed": FULL, "offered": f"{FULL}: {number.quantity(rate, 'bit/s')}"}
            else:
                row |= {"speed": SET, "offered": number.nominal(rate, "bit/s")}
            for field in (*PANELS, PROGRAM, *MODES):
                row |= three(field, point.values.get(field))
            yield row | {"limit": point.limit}


def _columns() -> dict[str, str]:
    columns = {"arm": "setup", "speed": "rate", "rate_bps": "offered payload (bit/s)"}
    shares = {field: axis for field, (_, axis, _) in PANELS.items()}
    shares |= {PROGRAM: "CPU of the program"}
    shares |= {mode: f"CPU, {mode.removeprefix('cpu_')}" for mode in MODES}
    for field, head in shares.items():
        columns |= heads(field, head, "ratio")
    return columns | {"limit": "bottleneck"}


def _modes(watch: Watch, _: Sequence[Row]) -> list[Row]:
    """How the busiest CPU of the gateway was used, as it reads it itself."""
    return [
        {"arm": result.arm, "mode": mode.removeprefix("cpu_"), "share": share}
        for result in watch.results
        for mode, share in watched.modes(result).items()
    ]


def _hollow(watch: Watch, _: Sequence[Row]) -> Iterator[Row]:
    """Published values at a rate, of setups like ours: with an arm, where it is like one setup."""
    points = [p for result in watch.results for p in watched.sweep(watch.judgement, result)]
    for value in watch.known:
        like = [point for point in points if alike(point.definition, value)]
        if like and value.at_bps and value.quantity in PANELS:
            yield {
                "field": value.quantity,
                "rate_bps": value.at_bps,
                "value": value.value,
                "device": value.device,
                "study": value.study,
                "printed": reference.printed(value),
                "differs": f"{value.experiment} {value.parameter}",
                "arm": like[0].arm if len({p.definition.features for p in like}) == 1 else None,
            }


def _caption(d: Drawn[Watch]) -> str:
    full, paced = (any(row["speed"] == speed for row in d.rows) for speed in (FULL, SET))
    parts = [
        f"Against the offered rate of payload: {traffic.traffic(d.of.results[0].definition)}. "
        "Captured: by the program's own count. Line: median; band: its interval. Log axis.",
        f"{FULL.capitalize()}: all that the tester sends." if full else "",
        "No line leads there, as nothing was measured between." if full and paced else "",
        f"{watched.RESOLUTION}; a setup with fewer than {watched.FEWEST_TICKS} of them in a trial "
        "is left out."
        if d.extra["modes"]
        else "",
        "Hollow markers: published values of other devices, in the colour of the setup that they "
        "are of (of several runs the first); without one: of several setups."
        if d.extra["published"]
        else "",
    ]
    return " ".join(filter(None, parts))


def _panels(d: Drawn[Watch]) -> list[Panel]:
    """The panels with something in them; the first has the legend of all."""
    made: list[Panel] = []
    for field in PANELS:
        if numbers(d.rows, field):
            made.append((PANELS[field][0], _panel(d, field, [] if made else d.of.arms)))
    made += published.key(once(d.extra["published"], "device"))
    return made + ([(MODES_HEADING, _modes_panel(d))] if d.extra["modes"] else [])


def _panel(d: Drawn[Watch], field: str, legend: Sequence[str]) -> Part:
    hollow, arms = d.extra["published"], d.of.arms
    drawn = [row for row in d.rows if row[field] is not None]
    marks = [row for row in hollow if row["field"] == field]
    at = {"x": _rate_axis([*d.rows, *marks]), "y": _share_axis(field, drawn, marks)}
    base = vega.rows(d.name).where(f"isValid(datum.{field})")
    look = {"color": theme.color(arms, legend), "shape": theme.shape(arms, legend)}
    theirs = vega.rows(f"{d.name}-published", field=field)
    return theme.panel(
        f"{PANELS[field][0]} against the offered rate",
        *curve.line(base.where(speed=SET), field, at, arms, TIPS, texts=legend),
        *_full_speed(base, field, drawn, at, look),
        *_published(theirs, at, once(hollow, "device"), look["color"]),
        height=HEIGHT,
    )


def _rate_axis(rows: Sequence[Row]) -> Part:
    """The rate on a log axis, all of ours in each panel."""
    rates = numbers(rows, "rate_bps")
    low, high = min(rates) * 0.8, max(rates) * 1.25
    ticks = theme.decades(low, high) or sorted(set(numbers(rows, "rate_bps")))
    axis = {"labelExpr": "format(datum.value / 1e6, ',.3~r')", "grid": False, "values": ticks}
    axis |= {"labelOverlap": True}
    scale = theme.logarithmic(low, high)
    return channel("rate_bps:Q", title="offered payload, Mbit/s", axis=axis, scale=scale)


def _share_axis(field: str, drawn: Sequence[Row], marks: Sequence[Row]) -> Part:
    """The quantity from zero."""
    _, title, end = PANELS[field]
    top = end or max(most(drawn, f"{field}_hi"), most(marks, "value"), 0.01) * 1.1
    axis = {"format": ".0%" if top > 0.05 else ".1%", "tickCount": 4}
    return channel(f"{field}:Q", title=title, axis=axis, scale=between(0, top, clamp=True))


def _full_speed(
    base: Rows, field: str, drawn: Sequence[Row], at: Part, look: Part
) -> Iterator[Part]:
    """Markers that no line joins, named before the first one where there are set rates too."""
    full = [row for row in drawn if row["speed"] == FULL]
    marks, color = base.where(speed=FULL), look["color"]
    if full:
        title = PANELS[field][1]
        yield marks.span("rule", "y", field, title, x=at["x"], color=color, strokeWidth=1.5)
        yield curve.dots(marks, **at, **look, tooltip=TIPS)
    if full and len(full) < len(drawn):
        first = min(full, key=lambda row: float(row["rate_bps"] or 0))
        place = {"rate_bps": first["rate_bps"], field: first[field], "text": FULL}
        text = {"text": "text:N", "align": "right", "dx": -8, "style": "note"}
        yield from vega.inline(place).haloed(**at, **text)


def _modes_panel(d: Drawn[Watch]) -> Part:
    """A bar for each arm, stacked by mode."""
    look = {
        "y": channel("arm:N", title=None, sort=d.of.arms),
        "x": channel("share:Q", title="CPU busy", axis={"format": ".0%", "tickCount": 4}),
        "color": channel("mode:N", title=None, sort=[m.removeprefix("cpu_") for m in MODES]),
    }
    tips = [*vega.tips("arm", "mode"), *vega.numbers(".1%", {"share": ""})]
    bars = vega.rows(f"{d.name}-modes").mark("bar", **look, tooltip=tips)
    return {"layer": [bars], "width": "container", "description": MODES_HEADING}


def _published(base: Rows, at: Part, devices: Sequence[str], color: Part) -> list[Part]:
    """The hollow markers of one panel: a device has its shape in all of them."""
    place = {"x": at["x"], "y": at["y"] | {"field": "value"}, "tooltip": published.TIPS}
    return [
        base.where(device=device)
        .where(f"{'' if of_an_arm else '!'}isValid(datum.arm)")
        .mark("point", **place, **published.LOOK, shape=shape, color=color if of_an_arm else None)
        for device, shape in published.shapes(devices).items()
        for of_an_arm in (True, False)
    ]


WATCHED = Chart[Watch](
    name=lambda w: sweep.plain(
        "-".join(["capture", w.plan, *map(str, w.results[0].point.values())])
    ),
    rows=_rows,
    columns=_columns(),
    title=lambda d: watched.finding(d.of.judgement, d.of.results),
    caption=_caption,
    form=_panels,
    extra={"published": _hollow, "modes": _modes},
)
