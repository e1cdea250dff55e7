# SPDX-License-Identifier: Apache-2.0
"""What the capacity model predicts, against what was measured."""

from collections.abc import Sequence

from gatemark.report.answer import capacity
from gatemark.report.chart import theme, vega
from gatemark.report.chart.figure import Figure, Row, heads, three
from gatemark.report.chart.vega import Part, channel
from gatemark.report.words import number, traffic
from gatemark.stats.capacity.model import Check, Model
from gatemark.stats.math.interval import Interval

NAME = "predicted"
KINDS = ("fitted", "held out")
COUNTED = "Instructions of one packet"
FULL = "Packets/s at which the gateway's CPU is full"
ROOM = 1.25  # around the points


def figure(model: Model) -> Figure | None:
    """None where nothing can be checked."""
    if not model.checks:
        return None
    is_count = model.measured.is_count
    rows = [_row(model, check) for check in model.checks]
    columns = {"setup": "setup", "direction": "direction", "frame_bytes": "frame (B)"}
    columns |= {"kind": "in the model"}
    columns |= heads("measured", "measured", _unit(model))
    columns |= heads("predicted", "predicted", _unit(model)) | {"error": "off by (ratio)"}
    return Figure(
        name=NAME,
        title=capacity.sentence(model),
        definition=(
            f"{COUNTED if is_count else FULL}: predicted by the sum of what each term "
            "costs, against measured. On the line both are equal; the dotted lines beside it are "
            f"{number.quantity(model.margin - 1, 'ratio')} off. Whisker: the prediction's interval."
        ),
        panels=(("", _panel(rows, model.margin, _unit(model))),),
        rows=rows,
        columns=columns,
        plan=capacity.plan(model),
    )


def _unit(model: Model) -> str:
    return model.measured.unit if model.measured.is_count else "packets/s"


def _row(model: Model, check: Check) -> Row:
    row: Row = {"setup": check.case.setup.words, "direction": traffic.way(check.case.direction)}
    row |= {"frame_bytes": check.case.frame_bytes, "kind": KINDS[check.held_out]}
    measured, predicted = (_printed(model, i) for i in (check.measured, check.predicted))
    row |= three("measured", measured) | three("predicted", predicted)
    return row | {"error": capacity.error(model, check)}


def _printed(model: Model, takes: Interval) -> Interval:
    """Packets/s; instructions stand as they are."""
    if model.measured.is_count:
        return takes
    return Interval(1e9 / takes.value, 1e9 / takes.hi, 1e9 / takes.lo, takes.n, takes.level)


def _panel(rows: Sequence[Row], margin: float, unit: str) -> Part:
    ends = [float(row[key] or 1) for row in rows for key in ("measured", "predicted")]
    span = min(ends) / ROOM, max(ends) * ROOM
    axes = {"axis": theme.si(5, labelOverlap=True), "scale": theme.logarithmic(*span)}
    x = channel("measured:Q", title=f"measured, {unit}", **axes)
    y = channel("predicted:Q", title=f"predicted, {unit}", **axes)
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    color = channel("kind:N", scale=vega.names(kinds), legend={})
    shape = channel("kind:N", scale=vega.names(kinds, range=theme.SHAPES[: len(kinds)]))
    tips = vega.tips("setup", "direction", "frame_bytes")
    tips += vega.numbers(".4s", {"measured": "measured", "predicted": "predicted"})
    tips += vega.numbers("+.1%", {"error": "off by"})
    base, look = vega.rows(NAME), {"filled": True, "size": 45, "opacity": 0.9}
    return theme.panel(
        f"Predicted against measured {unit}",
        *(_line(span, times, x, y) for times in dict.fromkeys((1.0, margin, 1 / margin))),
        base.span("rule", "y", "predicted", y["title"], x=x, color=color, strokeWidth=1.5),
        base.mark("point", x=x, y=y, color=color, shape=shape, tooltip=tips, **look),
    )


def _line(span: tuple[float, float], times: float, x: Part, y: Part) -> Part:
    ends = [{"measured": end, "predicted": end * times} for end in span]
    style = "ceiling" if times == 1 else "ideal"
    return vega.inline(*ends).mark("line", x=x, y=y, style=style, clip=True)
