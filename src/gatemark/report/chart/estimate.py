# SPDX-License-Identifier: Apache-2.0
"""What a packet would take on devices: stacked bars by what it is spent on, published beside."""

from collections.abc import Iterable, Sequence

import altair as alt

from gatemark.report.answer import estimate as words
from gatemark.report.chart import ladder, theme
from gatemark.report.chart.figure import Chart, Figure, Row, heads, named, three
from gatemark.report.group import sweep
from gatemark.stats.judgement import Estimate, Judgement
from gatemark.stats.point.estimate import beside
from gatemark.store.published import Published

TITLE = "ESTIMATED cycles of a packet"
DEFINITION = (
    "An ESTIMATE, not a measurement. Instructions of a packet at overload and what they did to the "
    "device's caches are counted in an emulated gateway, kernel {kernel}; what a miss costs "
    "follows from the device's STREAM figures. Number: the likely, and the span of what is not "
    "known. {beside}"
)
TICK = "Hollow marker: cycles of a packet at the published peak rate, of kernel {kernels}."
NONE = "Nothing was published of these setups."


def figures(judgement: Judgement, published: Iterable[Published], kernel: str = "") -> list[Figure]:
    """One for each plan and point; `kernel` is the emulated gateway's."""
    known = tuple(published)
    return [_figure(estimates, known, kernel) for _, estimates in words.setups(judgement.estimates)]


def _figure(estimates: Sequence[Estimate], known: Sequence[Published], kernel: str) -> Figure:
    name = sweep.plain(
        "-".join(("estimate", estimates[0].plan, *map(str, estimates[0].point.values())))
    )
    order = ladder.keys(
        ladder.grouped([(estimate.device.name, estimate.setup) for estimate in estimates])
    )
    keys = [key for key in order if not ladder.is_heading(key)]
    rows: list[Row] = []
    ends: list[Row] = []
    for key, this_estimate in zip(keys, estimates, strict=True):
        row: Row = {"device": this_estimate.device.name, "setup": this_estimate.setup, "key": key}
        rows += [
            row | {"part": words.PARTS[part], "at": at} | three("cycles", cycles)
            for at, (part, cycles) in enumerate(this_estimate.parts.items())
        ]
        reference = beside(this_estimate, known)
        row |= {"published": reference[1] if reference else None}
        ends.append(
            row
            | three("cycles", this_estimate.cycles)
            | {"text": f"{words.within(this_estimate.cycles)} k"}
        )
    kernels = sorted(
        {
            r.kernel
            for estimate in estimates
            if beside(estimate, known) and (r := estimate.device.reference)
        }
    )
    ticks = TICK.format(kernels=", ".join(kernels)) if kernels else NONE
    return Figure(
        name=name,
        title=words.finding(estimates),
        definition=DEFINITION.format(kernel=kernel, beside=ticks),
        panels=(("", _panel(name, order, ends)),),
        rows=rows,
        columns={"device": "device", "setup": "setup", "part": "spent on"}
        | heads("cycles", "estimated", "cycles"),
        plan=estimates[0].plan,
        extra={f"{name}-whole": ends},
    )


def _panel(name: str, order: Sequence[str], ends: Sequence[Row]) -> Chart:
    most = max(float(row[key] or 0) for row in ends for key in ("cycles_hi", "published"))
    room = ladder.room([str(row["text"]) for row in ends])
    end = theme.end(most, room)
    axis = alt.Axis(labelExpr=theme.SI, tickCount=5)
    x = alt.X("cycles:Q", title=TITLE, axis=axis, stack="zero", scale=alt.Scale(domainMax=end))
    y = ladder.side(order)
    parts = list(words.PARTS.values())
    legend = alt.Legend(columns=theme.columns(parts))
    color = alt.Color("part:N", scale=alt.Scale(domain=parts), legend=legend, sort=None)
    tips = [alt.Tooltip(f"{field}:N") for field in ("device", "setup", "part")]
    tips += [alt.Tooltip(f"cycles{bound}:Q", format=",.0f") for bound in ("", "_lo", "_hi")]
    bars = alt.Chart(named(name)).mark_bar(height={"band": 0.66})
    whole = alt.Chart(named(f"{name}-whole"))
    published = whole.transform_filter("isValid(datum.published)")
    layers = [
        bars.encode(x, y, color, tooltip=tips, order=alt.Order("at:Q")),
        whole.mark_rule(style="whisker").encode(
            alt.X("cycles_lo:Q", title=TITLE), alt.X2("cycles_hi:Q"), y
        ),
        published.mark_point(style=["published", "hollow"], shape="diamond", size=80).encode(
            alt.X("published:Q", title=TITLE), y
        ),
        whole.mark_text(style="value", align="left", dx=6).encode(
            alt.X("cycles_hi:Q", title=TITLE), y, text="text:N"
        ),
        *ladder.headings(order),
    ]
    return alt.layer(*layers).properties(
        width="container",
        height=ladder.height(order),
        description="Estimated cycles of a packet by what they are spent on",
    )
