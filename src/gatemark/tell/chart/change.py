# SPDX-License-Identifier: Apache-2.0
"""Arms against the first arm: the change of each with its interval, beside zero and the noise."""

from collections.abc import Sequence

from gatemark.judge.change.sampled import KNEE
from gatemark.judge.judgement import Comparison
from gatemark.quantity import words
from gatemark.tell.answer import diff
from gatemark.tell.chart import curve, ladder, theme, vega
from gatemark.tell.chart.figure import Figure, Row, finite, heads, once, three
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.group import cost
from gatemark.tell.words import traffic

# What the dot beside zero and the noise does not tell.
DOUBT = {"inconclusive": "inconclusive", "within noise": "noise"}
NARROW = 400  # pixels: a panel below that has no room for doubts in words
MARGIN = 1.06  # of the axis beyond the widest interval
TIPS = vega.tips("arm", "baseline", "point", "verdict")
TIPS += [*vega.interval("change", "+.2%"), *vega.numbers("+.2%", {"mde": "mde"})]


def figure(comparisons: Sequence[Comparison]) -> Figure:
    """One figure for the comparisons of one plan and quantity."""
    bases = list(dict.fromkeys(comparison.baseline for comparison in comparisons))
    several = "the first arm of its own run"  # where a page shows more than one
    name, baseline = (
        cost.anchor(comparisons),
        traffic.does(bases[0]) if len(bases) == 1 else several,
    )
    ordered = sorted(
        comparisons,
        key=lambda comparison: list(traffic.ARROW).index(comparison.definition.direction),
    )
    headings = list(dict.fromkeys(cost.place(comparison, comparisons)[0] for comparison in ordered))
    ordered.sort(key=lambda comparison: headings.index(cost.place(comparison, comparisons)[0]))
    order = ladder.keys(
        ladder.grouped([cost.place(comparison, comparisons) for comparison in ordered])
    )
    places = [key for key in order if not ladder.is_heading(key)]
    rows = [_row(comparison, key) for comparison, key in zip(ordered, places, strict=True)]
    columns = {"arm": "setup", "baseline": "against", "point": "point"}
    columns |= heads("change", "change", "ratio")
    columns |= {"noise": "noise (ratio)", "mde": "minimum detectable effect (ratio)"}
    return Figure(
        name=name,
        title=cost.finding(comparisons),
        definition=f"Change of {_what(comparisons)} against {baseline}, at the same point "
        f"of the same run, the arms interleaved. Dot: Hodges-Lehmann estimate{_hollow(rows)}; "
        f"whisker: {_whisker(comparisons)}; grey band: noise, from which a change is not told.",
        panels=(
            ("", _panel(name, rows, order, [comparisons[0].baseline, *cost.arms(comparisons)])),
        ),
        rows=rows,
        columns=columns | {"verdict": "verdict"},
        plan=comparisons[0].plan,
    )


def _what(comparisons: Sequence[Comparison]) -> str:
    texts = {"received_pps": "the received rate", "goodput_bps": "goodput", KNEE: "the knee"}
    texts |= {"received_l4_bps": "the received payload", "delay_p50_ns": "the median one-way delay"}
    names = dict.fromkeys(texts.get(c.quantity, f"the {words(c.quantity)}") for c in comparisons)
    return " and ".join(names)


def _whisker(comparisons: Sequence[Comparison]) -> str:
    """What the whiskers are: an interval, or where repeats are too few all that was seen."""
    if all(c.change.change.n == 1 for c in comparisons):
        return "none, as one repeat has no interval"
    levels = sorted({c.change.change.level for c in comparisons if cost.is_sparse(c)})
    if not levels:
        return "its 95 % interval"
    shown = " to ".join(dict.fromkeys(f"{level * 100:.0f}" for level in (levels[0], levels[-1])))
    ranges = f"the range of all ratios, a {shown} % interval"
    if all(map(cost.is_sparse, comparisons)):
        return f"{ranges} ({cost.TOO_FEW} for 95 %)"
    return f"its 95 % interval (with {cost.TOO_FEW}: {ranges})"


def _hollow(rows: Sequence[Row]) -> str:
    """What a hollow dot says here: ` (hollow: tester-limited, inconclusive)`."""
    doubts = ", ".join(dict.fromkeys(str(row["doubt"]) for row in rows if row["doubt"]))
    return f" (hollow: {doubts})" if doubts else ""


def _row(comparison: Comparison, key: str) -> Row:
    change = comparison.change
    verdict = diff.verdict(change, at_least=comparison.at_least)
    row: Row = {
        "arm": comparison.arm,
        "baseline": comparison.baseline,
        "point": traffic.point(comparison.point),
    }
    row |= three("change", change.change)
    row |= {"noise": finite(change.noise), "mde": finite(change.mde)}
    doubt = _doubt(comparison)
    short = cost.percent(change.change)
    text = ", ".join(filter(None, (short, doubt)))
    return row | {"verdict": verdict, "key": key, "text": text, "short": short, "doubt": doubt}


def _doubt(comparison: Comparison) -> str:
    if comparison.at_least:
        return "tester-limited"
    if cost.is_sparse(comparison):
        return cost.TOO_FEW
    return DOUBT.get(comparison.change.verdict, "")


def _panel(name: str, rows: Sequence[Row], order: Sequence[str], arms: Sequence[str]) -> Part:
    low, high = _ends(rows)
    wide, narrow = (ladder.room(once(rows, name)) for name in ("text", "short"))
    room = f"(width < {NARROW} ? {narrow} : {wide})"
    end = vega.expression(f"{low:g} + {high - low:g} * width / max(width - {room}, 40)")
    axis = {"format": "+.0%" if high - low > 0.05 else "+.1%", "tickCount": 5}
    axis |= {"labelExpr": "datum.value == 0 ? '0' : datum.label"}
    axis |= {"labelOverlap": True, "labelSeparation": 8}
    x = channel("change:Q", title="change", axis=axis, scale=between(low, end))
    y, color, base = ladder.side(order), theme.color(arms, []), vega.rows(name)
    band = {"x": channel("low:Q", title="change"), "x2": "noise", "style": "noise", "opacity": 0.7}
    dot = {"x": x, "y": y, "color": color, "shape": theme.shape(arms, []), "tooltip": TIPS}
    text = {"text": "printed:N", "style": "value", "align": "left", "dx": 9}
    printed = base.reckon(printed=f"width < {NARROW} ? datum.short : datum.text")
    layers = [
        base.reckon(low="-datum.noise").mark("rect", y=y, **band),
        vega.inline({"change": 0}).mark("rule", x=x, style="zero"),
        base.span("rule", "x", "change", "change", y=y, color=color, strokeWidth=2),
        curve.dots(base.where("!datum.doubt"), **dot, size=70),
        base.where("datum.doubt").mark("point", **dot, style="hollow", size=60, opacity=1),
        *printed.haloed(x=channel("change_hi:Q", title="change"), y=y, **text),
    ]
    return ladder.down("Change against the first arm", order, layers)


def _ends(rows: Sequence[Row]) -> tuple[float, float]:
    """The axis: zero, the noise and all intervals."""
    noise = max(float(row["noise"] or 0) for row in rows)
    low = min([-noise, 0.0, *(float(row["change_lo"] or 0) for row in rows)])
    high = max([noise, 0.0, *(float(row["change_hi"] or 0) for row in rows)])
    wide = max(high - low, 0.001)
    return low - (MARGIN - 1) * wide, high + (MARGIN - 1) * wide
