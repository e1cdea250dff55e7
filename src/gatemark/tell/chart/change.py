# SPDX-License-Identifier: Apache-2.0
"""Charts of changes: arms against the first arm, old and new boot by boot, a row of builds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from gatemark.judge.change import trend
from gatemark.judge.change.gate import Row as Measured
from gatemark.judge.change.gate import middle
from gatemark.judge.change.sampled import KNEE
from gatemark.judge.change.trend import Step
from gatemark.judge.judgement import Comparison
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.boot import medians
from gatemark.plan.model import NEW, OLD
from gatemark.quantity import UNITS
from gatemark.quantity import words as in_words
from gatemark.store.record import Record
from gatemark.tell.chart import bars, curve, scatter, theme, vega
from gatemark.tell.chart.figure import (
    Chart,
    Drawn,
    Row,
    each,
    finite,
    heads,
    numbers,
    three,
    whole,
)
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.group import cost, sweep
from gatemark.tell.group.source import Source
from gatemark.tell.words import number, traffic
from gatemark.tell.words.change import verdict
from gatemark.tell.words.number import Scale

# Each arm against the first: the change with its interval, beside zero and the noise.

Comparisons = Sequence[Comparison]
# What the dot beside zero and the noise does not say.
DOUBT = {"inconclusive": "inconclusive", "within noise": "noise"}
NARROW = 400  # pixels: a panel below that has no room for doubts in words
MARGIN = 1.06  # of the axis beyond the widest interval
TIPS = vega.tips("arm", "baseline", "point", "verdict")
TIPS += [*vega.interval("change", "+.2%"), *vega.numbers("+.2%", {"mde": "mde"})]
WHAT = {
    "received_pps": "the received rate",
    "goodput_bps": "goodput",
    KNEE: "the knee",
    "received_l4_bps": "the received payload",
    "delay_p50_ns": "the median one-way delay",
}


def _ordered(comparisons: Comparisons) -> list[tuple[Comparison, tuple[str, str]]]:
    """Up before down, under their headings, with heading and name."""
    ways = list(traffic.ARROW)
    ordered = sorted(comparisons, key=lambda own: ways.index(own.definition.direction))
    places = [(own, cost.place(own, comparisons)) for own in ordered]
    headings = list(dict.fromkeys(heading for _, (heading, _) in places))
    return sorted(places, key=lambda pair: headings.index(pair[1][0]))


def _order(comparisons: Comparisons) -> list[str]:
    return bars.order([place for _, place in _ordered(comparisons)])


def _rows(comparisons: Comparisons) -> Iterator[Row]:
    keys = bars.places(_order(comparisons))
    for (own, _), key in zip(_ordered(comparisons), keys, strict=True):
        change, doubt, short = own.change, _doubt(own), cost.percent(own.change.change)
        row: Row = {"arm": own.arm, "baseline": own.baseline, "point": traffic.point(own.point)}
        row |= three("change", change.change)
        row |= {"noise": finite(change.noise), "mde": finite(change.mde)}
        row |= {"verdict": verdict(change, at_least=own.at_least), "key": key}
        text = ", ".join(filter(None, (short, doubt)))
        yield row | {"text": text, "short": short, "doubt": doubt}


def _doubt(comparison: Comparison) -> str:
    if comparison.at_least:
        return "tester-limited"
    if cost.is_sparse(comparison):
        return cost.TOO_FEW
    return DOUBT.get(comparison.change.verdict, "")


def _caption(d: Drawn[Comparisons]) -> str:
    what = dict.fromkeys(WHAT.get(c.quantity, f"the {in_words(c.quantity)}") for c in d.of)
    bases = {comparison.baseline for comparison in d.of}
    # A page may show several runs.
    baseline = "the first arm of its own run" if len(bases) > 1 else traffic.does(bases.pop())
    doubts = ", ".join(filter(None, d.once("doubt")))
    return (
        f"Change of {' and '.join(what)} against {baseline}, at the same point of the same run, "
        "the arms interleaved. Dot: Hodges-Lehmann estimate"
        f"{f' (hollow: {doubts})' if doubts else ''}; whisker: {_whisker(d.of)}; grey band: noise, "
        "from which a change is not told."
    )


def _whisker(comparisons: Comparisons) -> str:
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


def _panel(d: Drawn[Comparisons]) -> Part:
    order, arms = _order(d.of), [d.of[0].baseline, *cost.arms(d.of)]
    low, high = _ends(d.rows)
    wide, narrow = (bars.room(d.once(name)) for name in ("text", "short"))
    room = f"(width < {NARROW} ? {narrow} : {wide})"
    end = vega.expression(f"{low:g} + {high - low:g} * width / max(width - {room}, 40)")
    axis = {"format": "+.0%" if high - low > 0.05 else "+.1%", "tickCount": 5}
    axis |= {"labelExpr": bars.ZERO, "labelOverlap": True, "labelSeparation": 8}
    x = channel("change:Q", title="change", axis=axis, scale=between(low, end))
    y, color, base = bars.side(order), theme.color(arms, []), vega.rows(d.name)
    dot = {"x": x, "y": y, "color": color, "shape": theme.shape(arms, []), "tooltip": TIPS}
    text = {"text": "printed:N", "style": "value", "align": "left", "dx": 9}
    printed = base.reckon(printed=f"width < {NARROW} ? datum.short : datum.text")
    layers = [
        *bars.differing(base, "low", x, y, color),
        curve.dots(base.where("!datum.doubt"), **dot, size=70),
        base.where("datum.doubt").mark("point", **dot, style="hollow", size=60, opacity=1),
        *printed.haloed(x=channel("change_hi:Q", title="change"), y=y, **text),
    ]
    return bars.down("Change against the first arm", order, layers)


def _ends(rows: Sequence[Row]) -> tuple[float, float]:
    """The axis: zero, the noise and all intervals."""
    noise = max(float(row["noise"] or 0) for row in rows)
    low = min([-noise, 0.0, *numbers(rows, "change_lo")])
    high = max([noise, 0.0, *numbers(rows, "change_hi")])
    room = (MARGIN - 1) * max(high - low, 0.001)
    return low - room, high + room


CHANGE = Chart[Comparisons](
    name=cost.anchor,
    rows=_rows,
    columns={"arm": "setup", "baseline": "against", "point": "point"}
    | heads("change", "change", "ratio")
    | {"noise": "noise (ratio)", "mde": "minimum detectable effect (ratio)", "verdict": "verdict"},
    title=lambda d: cost.finding(d.of),
    caption=_caption,
    form=whole(_panel),
)

# An A/B test boot by boot: every trial, and the median of each boot, old beside new.

ARMS = (OLD, NEW)
ROOM = 0.04  # of the axis beyond the outermost trials


@dataclass(frozen=True, slots=True)
class Booted:
    """A point that is compared, and its valid trials by arm."""

    of: Comparison
    trials: dict[str, list[Record]]
    to: Scale

    @property
    def plan(self) -> str:
        """The name of the plan."""
        return self.of.plan


def boots(source: Source) -> Iterator[Booted]:
    """All points that are compared; a knee is of many trials, and has none."""
    for of in source.judgement.comparisons:
        if of.arm != NEW or not of.change.paired or of.quantity == KNEE:
            continue
        own = [
            record
            for record in source.records
            if (record.status, record.pass_) == ("ok", "outside")
            and record.boot
            and (record.plan, record.point) == (of.plan, of.point)
            and of.quantity in record.values
        ]
        half = median(record.values[of.quantity] for record in own)
        trials = {arm: [record for record in own if record.arm == arm] for arm in ARMS}
        yield Booted(of, trials, number.scale([half], UNITS[of.quantity]))


def _booted(of: Booted) -> Iterator[Row]:
    quantity = of.of.quantity
    for arm, trials in of.trials.items():
        for trial in trials:
            yield _boot("trial", arm, trial.boot, trial.values[quantity] / of.to.factor)
    for arm, trials in of.trials.items():
        for boot, value in medians(trials, quantity).items():
            yield _boot("median", arm, boot, value / of.to.factor)


def _boot(what: str, arm: str, boot: int, value: float) -> Row:
    return {"what": what, "arm": arm, "boot": float(boot), "value": value}


def _distance(rows: Sequence[Row]) -> str:
    """How far the boots of one arm lie from each other: what a single boot would have hidden."""
    spans = []
    for arm in ARMS:
        own = [row for row in rows if (row["what"], row["arm"]) == ("median", arm)]
        values = numbers(own, "value")
        if values and min(values) > 0:
            spans.append(max(values) / min(values) - 1)
    if not spans:
        return "no value"
    return f"one arm's boots lie up to {number.quantity(max(spans), 'ratio')} apart"


def _boot_panel(d: Drawn[Booted]) -> Part:
    values = numbers(d.rows, "value")
    room = ROOM * (max(values) - min(values) or 1.0)
    scale = between(min(values) - room, max(values) + room, zero=False)
    axis, order = {"labelAngle": 0, "format": "d"}, sorted({*numbers(d.rows, "boot")})
    x = channel("boot:O", title="boot", axis=axis, sort=order)
    more = {"y": channel("value:Q", title=d.of.to.unit, scale=scale), "shape": theme.shape(ARMS)}
    base = scatter.side_by_side(vega.rows(d.name), x, ARMS, theme.color(ARMS), **more)
    tips = [*vega.tips("arm"), channel("boot:Q"), *vega.numbers(".4s", {"value": ""})]
    return theme.panel(
        "Each boot of old and new",
        base.where("datum.what == 'trial'").mark("point", size=24, opacity=0.6),
        curve.dots(base.where("datum.what == 'median'"), tooltip=tips, size=80),
    )


BOOTS = Chart[Booted](
    name=lambda b: sweep.plain(f"boots-{b.plan}-{b.of.quantity}-{traffic.point(b.of.point)}"),
    rows=_booted,
    columns=lambda booted: (
        {"what": "what", "arm": "arm", "boot": "boot", "value": f"value ({booted.to.unit})"}
    ),
    title=lambda d: f"Boot by boot, {d.of.of.change.change.n} of each: {_distance(d.rows)}",
    caption=lambda d: (
        f"{d.of.of.quantity}, {traffic.load(d.of.of.definition)}. "
        "Small: a trial; large: the median of a boot, which is the sample. "
        "Old and new of one number are a pair."
    ),
    form=whole(_boot_panel),
)

# A row of builds against the first one: a dot a build, a rule where the level has a step.

LONGEST_NAME = 120  # pixels of a build's name below the axis


@dataclass(frozen=True, slots=True)
class Trend:
    """The rows of one model and suite, over builds in their order."""

    name: str
    rows: Sequence[Measured]
    builds: Sequence[str]


def series(row: Measured, builds: Sequence[str]) -> list[Interval]:
    """Build / first build - 1, median over blocks; nothing where a build is missing."""
    shifts = [middle(row, build, builds[0]) for build in builds]
    return [shift for shift in shifts if shift] if all(shifts) else []


def steps(row: Measured, builds: Sequence[str]) -> list[Step]:
    """The steps of a row; fewer than eight builds have none."""
    return trend.steps([1 + shift.value for shift in series(row, builds)])


def signed(change: float) -> str:
    """In per cent, with its sign."""
    return ("+" if change > 0 else "") + number.plain(100 * change, 1)


def trends(rows: Sequence[Measured], builds: Sequence[str]) -> list[Trend]:
    """One for each model and suite, where there are enough builds for a step."""
    if len(builds) < trend.FEWEST:
        return []
    places: dict[tuple[str, str], list[Measured]] = {}
    for row in rows:
        if series(row, builds):
            places.setdefault((row.model, row.suite), []).append(row)
    return [Trend(f"trend-{at}", own, builds) for at, own in enumerate(places.values(), 1)]


def _shifts(of: Trend) -> Iterator[Row]:
    for row in of.rows:
        for build, shift in zip(of.builds, series(row, of.builds), strict=True):
            yield {"what": row.what, "build": build, **three("change", shift)}


def _steps(of: Trend, _: Sequence[Row]) -> Iterator[Row]:
    for row in of.rows:
        for step in steps(row, of.builds):
            text = f"{signed(step.change)} %"
            yield {"what": row.what, "build": of.builds[step.at], "text": text}


def _finding(d: Drawn[Trend]) -> str:
    texts = dict.fromkeys(f"{mark['text']} from {mark['build']} on" for mark in d.extra["steps"])
    return f"{d.of.rows[0].model}, {d.of.rows[0].suite}: {'; '.join(texts) or 'no step'}"


def _trend_panel(d: Drawn[Trend], what: str) -> Part:
    first, builds = d.of.builds[0], d.of.builds
    base, marks = (vega.rows(of, what=what) for of in (d.name, f"{d.name}-steps"))
    axis = {"labelAngle": -40, "labelLimit": LONGEST_NAME, "labelOverlap": True}
    x = scatter.names("build", builds, axis=axis, scale=vega.names(builds))
    y = channel("change:Q", title=f"change against {first}", axis={"format": "+.1%"})
    tips = vega.tips("build")
    tips += vega.numbers("+.2%", {"change": "change", "change_lo": "low", "change_hi": "high"})
    text = {"text": "text:N", "style": "value", "align": "left", "dx": 5, "dy": 8}
    return theme.panel(
        f"{what}: change of each build against {first}",
        curve.level("change", 0, "zero", y=y),
        marks.mark("rule", x=x, style="ceiling", strokeDash=[4, 3]),
        base.span("rule", "y", "change", y["title"], x=x, style="whisker"),
        curve.dots(base, x=x, y=y, tooltip=tips, size=50),
        *marks.haloed(x=x, y=vega.value(0), **text),
    )


TREND = Chart[Trend](
    name=lambda of: of.name,
    rows=_shifts,
    columns={"what": "what", "build": "build", **heads("change", "change", "ratio")},
    title=_finding,
    caption=lambda d: (
        f"Each build against {d.of.builds[0]} of the same block. Dot: median over blocks; "
        "whisker: its 95 % interval; rule: a lasting step, by a rank scan (1 %)."
    ),
    form=each("what", _trend_panel),
    extra={"steps": _steps},
)
