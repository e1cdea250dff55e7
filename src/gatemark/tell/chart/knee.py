# SPDX-License-Identifier: Apache-2.0
"""Offered against received: where an arm stops following, with its interval."""

from collections.abc import Mapping, Sequence

from gatemark.judge.judgement import Knee
from gatemark.store.record import Record
from gatemark.tell.chart import curve, theme, vega
from gatemark.tell.chart.figure import Figure, Row, finite, heads, most, three
from gatemark.tell.chart.vega import Part, Rows, channel
from gatemark.tell.group import sweep
from gatemark.tell.group.each_run import letter, testers
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import named
from gatemark.tell.words import headline, number, traffic

LEFTMOST, RIGHTMOST = 0.4, 0.54  # share of the axis that a label needs on its side at 360 px
MOST_DOTS = 1200  # that a browser draws at once; of more trials every second, third, ... is shown
HEADROOM = 1.25  # of the highest value; a ceiling below that is drawn, a higher one is told
CEILING = "tester's ceiling"
Ceilings = Mapping[str, Mapping[str, float]]  # packets/s by direction and letter of the run


def figure(source: Source, knees: Sequence[Knee]) -> Figure:
    """One panel for each direction; `knees` share a plan and a kind of traffic."""
    rows = curve.rows(source.judgement, knees, ["received_pps", "loss_ratio"])
    dots = _repeats(knees, source.records)
    step = -(-len(dots) // MOST_DOTS) or 1
    name = sweep.anchor("knee", knees[0])
    extra = {
        f"{name}-repeats": dots[::step],
        f"{name}-marks": _marks(knees, most(rows, "offered_pps")),
        f"{name}-ends": _ends(rows),
    }
    columns = curve.COLUMNS | heads("received_pps", "received", "packets/s")
    columns |= heads("loss_ratio", "loss", "ratio")
    ceilings = _ceilings(source, knees)
    panels = tuple(
        (traffic.heading(way), _panel(name, way, rows, sweep.arms(knees), ceilings.get(way, {})))
        for way in curve.directions(knees)
    )
    return Figure(
        name=name,
        title=title(knees),
        definition=definition(knees, ceilings, step),
        panels=panels,
        rows=rows,
        columns=columns | {"limit": "bottleneck"},
        plan=knees[0].plan,
        extra=extra,
    )


def title(knees: Sequence[Knee]) -> str:
    """The finding: `The slowed gateway keeps up until 30.1 k packets/s (route): ↑ up, 64 B`."""
    lead = sweep.lead(knees)
    load = traffic.load(lead[0].definition)
    slowed = "slowed " if lead[0].definition.slow_to_pps else ""
    keeps = f"The {slowed}gateway keeps up until"
    if len(lead) <= theme.LABELLED:
        return f"{keeps} {', '.join(_until(knee) for knee in lead)}: {load}"
    lead.sort(key=lambda knee: -knee.knee_pps.value)
    ends = f"{_until(lead[0])} at best, {_until(lead[-1])} at worst"
    return f"{keeps} {ends}: {load}"


def _until(knee: Knee) -> str:
    if knee.at_least:
        return f"{number.AT_LEAST}{number.at_least(knee.knee_pps, 'packets/s')} ({knee.arm})"
    i = knee.knee_pps
    return f"{number.measured(i.value, i.lo, i.hi, 'packets/s')} ({knee.arm})"


def definition(knees: Sequence[Knee], ceilings: Ceilings, step: int = 1) -> str:
    """What was measured, under which slowdown, and how far the tester itself could go."""
    dots = "single trials" if step == 1 else f"one of {step} trials"
    parts = [
        f"Received against offered rate: {traffic.traffic(knees[0].definition)}. "
        f"Line: median; band: its interval; dots: {dots}. Upright: the knee, the offered rate "
        "beyond which received no longer follows."
    ]
    parts += _slowdowns(knees)
    if ceilings:
        parts.append(_tester(ceilings))
    return " ".join(parts)


def _slowdowns(knees: Sequence[Knee]) -> list[str]:
    """How slow the gateway was made on purpose; of several runs, which arms by how much."""
    arms: dict[int, list[str]] = {}
    for knee in knees:
        arms.setdefault(knee.definition.slow_to_pps, []).append(knee.arm)
    if len(arms) == 1:
        pps = knees[0].definition.slow_to_pps
        slow = f"The gateway is slowed to about {number.nominal(pps, 'packets/s')}."
        return [slow] if pps else []
    texts = [
        f"{', '.join(dict.fromkeys(names))} "
        + (f"slowed to about {number.nominal(pps, 'packets/s')}" if pps else "without a slowdown")
        for pps, names in arms.items()
    ]
    return [f"{'; '.join(texts)}."]


def _tester(ceilings: Ceilings) -> str:
    """What each run's tester reaches in its slower direction."""
    least: dict[str, float] = {}
    for label, pps in (item for own in ceilings.values() for item in own.items()):
        least[label] = min(pps, least.get(label, pps))
    texts = [named(label, number.quantity(pps, "packets/s")) for label, pps in least.items()]
    return f"The tester alone reaches {'; '.join(texts)}."


def _ceilings(source: Source, knees: Sequence[Knee]) -> Ceilings:
    """The tester's own rate for the traffic of these knees; of several the lowest."""
    alone = testers(source)
    ceilings: dict[str, dict[str, float]] = {}
    for knee in knees:
        label = letter(source, knee.arm)
        for point in headline.bounds(alone[label], knee):
            if point.definition.direction == knee.direction and "received_pps" in point.values:
                own, pps = ceilings.setdefault(knee.direction, {}), point.values["received_pps"]
                own[label] = min(pps.value, own.get(label, pps.value))
    return ceilings


def _repeats(knees: Sequence[Knee], records: Sequence[Record]) -> list[Row]:
    return [
        {
            "arm": knee.arm,
            "direction": knee.direction,
            "offered_pps": sweep.asked_pps(
                record.point, record.definition, record.values["offered_pps"]
            ),
            "received_pps": finite(record.values["received_pps"]),
        }
        for knee in knees
        for record in sweep.records_of(records, knee)
    ]


def _marks(knees: Sequence[Knee], right: float) -> list[Row]:
    """Where the knees stand; labels keep out of each other's way by side and level."""
    rows: list[Row] = []
    for way in curve.directions(knees):
        own_knees = sorted((k for k in knees if k.direction == way), key=lambda k: k.knee_pps.value)
        for level, knee in enumerate(own_knees):
            text = _short(knee)  # its interval is drawn
            row: Row = {"arm": knee.arm, "direction": way, "label": f"{knee.arm} {text}"}
            left_from = RIGHTMOST if knee is own_knees[-1] else LEFTMOST
            side = "left" if knee.knee_pps.value > left_from * right else "right"
            rows.append(row | three("knee_pps", knee.knee_pps) | {"side": side, "level": level})
    return rows


def _short(knee: Knee) -> str:
    i = knee.knee_pps
    text = number.measured(i.value, i.lo, i.hi, "packets/s").removesuffix("packets/s").strip()
    return f"{number.AT_LEAST if knee.at_least else ''}{text}"


def _ends(rows: Sequence[Row]) -> list[Row]:
    """The last point of each line, where its arm's name stands: above the highest, else below."""
    last = {(row["arm"], row["direction"]): row for row in rows}
    best: dict[object, float] = {}
    for (_, way), row in last.items():
        best[way] = max(best.get(way, 0.0), float(row["received_pps"] or 0))
    names = ("arm", "direction", "offered_pps", "received_pps")
    return [
        {**{name: row[name] for name in names}, "top": float(row["received_pps"] == best[way])}
        for (_, way), row in last.items()
    ]


def _panel(
    name: str, way: str, rows: Sequence[Row], arms: Sequence[str], ceilings: Mapping[str, float]
) -> Part:
    right, top = most(rows, "offered_pps"), most(rows, "received_pps_hi") * 1.15
    near = {label: pps for label, pps in ceilings.items() if pps <= top * HEADROOM}
    top = max([top, *(pps * 1.08 for pps in near.values())])
    at = {"x": theme.offered_axis(right), "y": theme.received_axis(top)}
    ideal = [{"offered_pps": end, "received_pps": end} for end in (0, min(right, top))]
    dots = vega.rows(f"{name}-repeats", direction=way)
    layers = [vega.inline(*ideal).mark("line", **at, style="ideal", clip=True)]
    layers += [layer for each in near.items() for layer in _ceiling(*each, at["y"])]
    layers += _knees(vega.rows(f"{name}-marks", direction=way), arms, top)
    layers.append(dots.mark("circle", **at, color=theme.color(arms), size=12, opacity=0.45))
    layers += curve.line(vega.rows(name, direction=way), "received_pps", at, arms)
    for highest, dy in ((1, -12), (0, 16)) if theme.direct(arms) else ():
        ends = vega.rows(f"{name}-ends", direction=way, top=highest)
        look = {"style": "label", "align": "right", "dy": dy}
        layers.append(ends.mark("text", **at, text="arm:N", color=theme.color(arms), **look))
    return theme.panel(f"Received against offered rate, {traffic.heading(way)}", *layers)


def _ceiling(label: str, pps: float, y: Part) -> list[Part]:
    base = vega.inline({"received_pps": pps, "label": named(label, CEILING)})
    text = {"style": "note", "align": "left", "dx": 4, "dy": -6, "text": "label:N"}
    return [
        base.mark("rule", y=y, style="ceiling"),
        base.mark("text", x=vega.value(0), y=y, **text),
    ]


def _knees(base: Rows, arms: Sequence[str], top: float) -> list[Part]:
    color, x = theme.color(arms), channel("knee_pps:Q")
    rule = {"color": color, "strokeDash": theme.dash(arms), "strokeWidth": 1.5, "clip": True}
    layers = [
        base.span("rect", "x", "knee_pps", color=color, opacity=0.25),
        base.mark("rule", x=x, **rule),
    ]
    for side, align, dx in theme.SIDES if theme.direct(arms) else ():
        level = base.where(side=side).reckon(at=f"{top * 0.05} + {top * 0.08} * datum.level")
        text = {"text": "label:N", "color": color, "style": "label", "align": align, "dx": dx}
        layers.append(level.mark("text", x=x, y=channel("at:Q"), **text))
    return layers
