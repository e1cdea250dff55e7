# SPDX-License-Identifier: Apache-2.0
"""What the capacity model predicts against what was measured, and what a packet's time is of."""

from collections.abc import Sequence

from gatemark.judge.capacity.model import Check, Model
from gatemark.judge.capacity.part import OTHERS, Parts, parts
from gatemark.judge.capacity.term import BASE
from gatemark.judge.math.interval import Interval
from gatemark.tell.answer import capacity
from gatemark.tell.chart import ladder, theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, three
from gatemark.tell.chart.vega import Part, channel
from gatemark.tell.words import number, traffic

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


PACKET_NAME = "time-per-packet"
MOST_PARTS = 5  # with a colour of their own; the sixth is of all others


def packet(model: Model) -> Figure | None:
    """The figure of the direction and frame size at which most setups were measured."""
    if not model.checks:
        return None
    checks = _alike(model.checks)
    kept = _largest([parts(model, check.case) for check in checks])
    made = {check.case: parts(model, check.case, kept) for check in checks}
    names = [*kept, *([OTHERS] if any(OTHERS in intervals for intervals in made.values()) else [])]
    order = ladder.keys([ladder.Rung(check.case.setup.words) for check in checks])
    rows: list[Row] = []
    ends: list[Row] = []
    for key, check in zip(order, checks, strict=True):
        row: Row = {"setup": check.case.setup.words, "key": key}
        rows += [
            row | {"term": capacity.part(name, model.base_path)} | three("ns", ns)
            for name, ns in made[check.case].items()
        ]
        row |= {"text": _text(model, check.measured)}
        ends.append(row | three("ns", check.measured))
    case, terms = checks[0].case, [capacity.part(name, model.base_path) for name in names]
    return Figure(
        name=PACKET_NAME,
        title=_title(model, made[checks[-1].case], checks[-1]),
        definition=(
            f"{_what(model)} for each packet, and what it is spent on by the model: "
            f"{traffic.way(case.direction)}, frames of {case.frame_bytes:.0f} B. Tick and number: "
            "measured. Where terms cost less together, that part is left of zero."
        ),
        panels=(("", _packet_panel(order, terms, ends, f"{_of(model)}, {model.measured.unit}")),),
        rows=rows,
        columns={"setup": "setup", "term": "term"} | heads("ns", _of(model), model.measured.unit),
        plan=capacity.plan(model),
        extra={f"{PACKET_NAME}-measured": ends},
    )


def _alike(checks: Sequence[Check]) -> list[Check]:
    """The checks of one direction and size, quickest first; of as many small frames upwards."""
    kinds = [(check.case.direction, check.case.frame_bytes) for check in checks]
    kind = max(set(kinds), key=lambda item: (kinds.count(item), item[0] == "up", -item[1]))
    kept_checks = [c for c in checks if (c.case.direction, c.case.frame_bytes) == kind]
    return sorted(kept_checks, key=lambda check: check.measured.value)


def _largest(every: Sequence[Parts]) -> list[str]:
    """The parts that come to most somewhere, base first."""
    most: dict[str, float] = {}
    for made in every:
        for name, ns in made.items():
            most[name] = max(most.get(name, 0.0), abs(ns.value))
    rest = sorted((name for name in most if name != BASE), key=lambda name: -most[name])
    return [BASE, *rest[: MOST_PARTS - 1]]


def _title(model: Model, made: Parts, last: Check) -> str:
    """What the dearest setup spends most on."""
    name, ns = max(made.items(), key=lambda item: item[1].value)
    share = number.quantity(ns.value / last.predicted.value, "ratio")
    what = capacity.part(name, model.base_path)
    of = "instructions are" if model.measured.is_count else "time is"
    return f"{last.case.setup.words}: {share} of a packet's {of} {what}"


def _of(model: Model) -> str:
    return "a packet" if model.measured.is_count else "time per packet"


def _what(model: Model) -> str:
    return "Instructions" if model.measured.is_count else "Time of the gateway's CPU"


def _text(model: Model, takes: Interval) -> str:
    if model.measured.is_count:
        return number.plain(takes.value, 0)
    return number.quantity_interval(takes, "ns")


def _packet_panel(
    order: Sequence[str], terms: Sequence[str], ends: Sequence[Row], title: str
) -> Part:
    end = ladder.across(ends, "ns_hi")
    x, y = ladder.stack_axis("ns", title, end), ladder.side(order)
    tips = vega.tips("setup", "term") + vega.numbers(",.0f", {"ns": "", "ns_lo": "", "ns_hi": ""})
    measured = vega.rows(f"{PACKET_NAME}-measured")
    tick = {"style": "whisker", "thickness": 2, "size": ladder.ROW - 4}
    layers = [
        ladder.stacked(vega.rows(PACKET_NAME), x, y, "term", terms, tooltip=tips),
        measured.mark("tick", x=channel("ns:Q", title=title), y=y, **tick),
        ladder.behind(measured, "ns_hi", title, y),
    ]
    return ladder.down(f"{title} by what it is spent on", order, layers)
