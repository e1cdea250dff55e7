# SPDX-License-Identifier: Apache-2.0
"""What a packet would take on devices: stacked bars by what it is spent on, published beside."""

from collections.abc import Iterable, Sequence

from gatemark.judge.judgement import Estimate, Judgement
from gatemark.judge.point.estimate import beside
from gatemark.store.published import Published
from gatemark.tell.answer import estimate as words
from gatemark.tell.chart import ladder, theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, most, once, three
from gatemark.tell.chart.vega import Part, channel
from gatemark.tell.group import sweep

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


def _panel(name: str, order: Sequence[str], ends: Sequence[Row]) -> Part:
    end = theme.end(most(ends, "cycles_hi", "published"), ladder.room(once(ends, "text")))
    x, y = ladder.stack_axis("cycles", TITLE, end), ladder.side(order)
    tips = vega.tips("device", "setup", "part")
    tips += vega.numbers(",.0f", {"cycles": "", "cycles_lo": "", "cycles_hi": ""})
    whole = vega.rows(f"{name}-whole")
    published = whole.where("isValid(datum.published)")
    hollow = {"style": ["published", "hollow"], "shape": "diamond", "size": 80}
    parts = list(words.PARTS.values())
    layers = [
        ladder.stacked(vega.rows(name), x, y, "part", parts, tooltip=tips, order="at:Q"),
        whole.span("rule", "x", "cycles", TITLE, y=y, style="whisker"),
        published.mark("point", x=channel("published:Q", title=TITLE), y=y, **hollow),
        ladder.behind(whole, "cycles_hi", TITLE, y),
    ]
    text = "Estimated cycles of a packet by what they are spent on"
    return ladder.down(text, order, layers)
