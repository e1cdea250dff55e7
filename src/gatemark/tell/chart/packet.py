# SPDX-License-Identifier: Apache-2.0
"""Charts of what a packet takes, as stacked parts: by subsystem, estimated, by a capacity model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from gatemark.judge.capacity.model import Check, Model
from gatemark.judge.capacity.part import OTHERS, Parts, parts
from gatemark.judge.capacity.term import BASE
from gatemark.judge.judgement import Estimate, Judgement, Travel
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.estimate import beside
from gatemark.store import reference
from gatemark.store.published import Published
from gatemark.tell.answer import capacity, kernel_path
from gatemark.tell.answer import estimate as words
from gatemark.tell.chart import bars, curve, theme, vega
from gatemark.tell.chart.figure import Chart, Drawn, Row, heads, most, numbers, once, three, whole
from gatemark.tell.chart.vega import Part, channel
from gatemark.tell.group import sweep
from gatemark.tell.group.source import Source
from gatemark.tell.words import number, traffic

# By subsystem, arms side by side at each packet's size.

MOST_PARTS = 5  # with a colour of their own; the sixth is of all others
REST = "all others"


@dataclass(frozen=True, slots=True)
class Paths:
    """The paths of one plan in one unit: some gateways count instructions, some sample time."""

    plan: str
    unit: str
    name: str
    travels: Sequence[Travel]

    @property
    def ordered(self) -> list[Travel]:
        """Point by point."""
        return [travel for place in kernel_path.places(self.travels) for travel in place]

    @property
    def order(self) -> list[str]:
        """The keys of their bars and headings."""
        return bars.order([(kernel_path.point(travel), travel.arm) for travel in self.ordered])

    @property
    def largest(self) -> list[str]:
        """The subsystems that come to most somewhere, in the order of the file."""
        most: dict[str, int] = {}
        for travel in self.travels:
            for name, part in travel.subsystems.items():
                most[name] = max(most.get(name, 0), part.amount)
        largest = sorted(most, key=lambda name: -most[name])[:MOST_PARTS]
        return [name for name in kernel_path.subsystems(self.travels) if name in largest]


def paths(judgement: Judgement) -> Iterator[Paths]:
    """All of a run, plan by plan."""
    for plan, group in groupby(judgement.travels, key=lambda travel: travel.plan):
        travels = list(group)
        for count, unit in enumerate(dict.fromkeys(travel.unit for travel in travels), 1):
            name = f"subsystems-{sweep.plain(plan)}{f'-{count}' * (count > 1)}"
            yield Paths(plan, unit, name, [travel for travel in travels if travel.unit == unit])


def _keyed(of: Paths) -> Iterator[tuple[Travel, Row]]:
    for travel, key in zip(of.ordered, bars.places(of.order), strict=True):
        yield travel, {"arm": travel.arm, "packet": kernel_path.point(travel), "key": key}


def _subsystems(of: Paths) -> Iterator[Row]:
    kept = of.largest
    for travel, row in _keyed(of):
        for part, size in sorted(
            travel.subsystems.items(),
            key=lambda item: kept.index(item[0]) if item[0] in kept else len(kept),
        ):
            more: Row = {"subsystem": part, "part": part if part in kept else REST}
            yield row | more | {"amount": size.amount, "calls": size.calls}


def _totals(of: Paths, _: Sequence[Row]) -> Iterator[Row]:
    for travel, row in _keyed(of):
        yield row | {"amount": travel.total, "text": kernel_path.count(travel.total)}


def _path_panel(d: Drawn[Paths]) -> Part:
    parts, order = [*d.of.largest, REST], d.of.order
    title, y = f"{d.of.unit} a packet", bars.side(order)
    x = bars.stack_axis("amount", title, bars.across(d.extra["all"], "amount"))
    tips = vega.tips("arm", "packet", "subsystem", "calls")
    tips += vega.numbers(",.0f", {"amount": ""})
    base = vega.rows(d.name).reckon(place=f"indexof({parts!r}, datum.part)")
    layers = [
        bars.stacked(base, x, y, "part", parts, tooltip=tips, order="place:Q"),
        bars.behind(vega.rows(f"{d.name}-all"), "amount", title, y),
    ]
    return bars.down("What one packet runs, by subsystem", order, layers)


SUBSYSTEMS = Chart[Paths](
    name=lambda of: of.name,
    rows=_subsystems,
    columns=lambda of: (
        {"arm": "setup", "packet": "packet", "subsystem": "subsystem"}
        | {"amount": of.unit, "calls": "calls"}
    ),
    title=lambda d: kernel_path.finding(d.of.travels),
    caption=lambda d: (
        f"{d.of.unit.capitalize()} that the gateway runs for one packet, of packets sent one at a "
        "time, by subsystem: all of it, from the interrupt until the gateway idles again. "
        f"Seen as {'; '.join(dict.fromkeys(map(kernel_path.seen, d.of.travels)))}."
    ),
    form=whole(_path_panel),
    extra={"all": _totals},
)

# Estimated on devices, published beside.

TITLE = "ESTIMATED cycles of a packet"
TICK = "Hollow marker: cycles of a packet at the published peak rate, of kernel {}."
NONE = "Nothing was published of these setups."


@dataclass(frozen=True, slots=True)
class Estimated:
    """The estimates of one plan and point; `kernel` is the emulated gateway's."""

    estimates: Sequence[Estimate]
    known: Sequence[Published]
    kernel: str

    @property
    def plan(self) -> str:
        """The name of the plan."""
        return self.estimates[0].plan

    @property
    def order(self) -> list[str]:
        """The keys of their bars and headings."""
        return bars.order([(estimate.device.name, estimate.setup) for estimate in self.estimates])


def estimated(source: Source) -> list[Estimated]:
    """All of a run, beside what was published."""
    known, kernel = tuple(reference.published()), words.kernels(source)
    return [Estimated(own, known, kernel) for _, own in words.setups(source.judgement.estimates)]


def _of_devices(of: Estimated) -> Iterator[tuple[Estimate, Row]]:
    for each, key in zip(of.estimates, bars.places(of.order), strict=True):
        yield each, {"device": each.device.name, "setup": each.setup, "key": key}


def _estimates(of: Estimated) -> Iterator[Row]:
    for each, row in _of_devices(of):
        for at, (part, cycles) in enumerate(each.parts.items()):
            yield row | {"part": words.PARTS[part], "at": at} | three("cycles", cycles)


def _ends(of: Estimated, _: Sequence[Row]) -> Iterator[Row]:
    for each, row in _of_devices(of):
        theirs = beside(each, of.known)
        row |= {"published": theirs[1] if theirs else None}
        yield row | three("cycles", each.cycles) | {"text": f"{words.within(each.cycles)} k"}


def _estimate_caption(d: Drawn[Estimated]) -> str:
    compared = [e.device.reference for e in d.of.estimates if beside(e, d.of.known)]
    kernels = sorted({reference.kernel for reference in compared if reference})
    return (
        "An ESTIMATE, not a measurement. Instructions of a packet at overload and what they did to "
        f"the device's caches are counted in an emulated gateway, kernel {d.of.kernel}; what a "
        "miss costs follows from the device's STREAM figures. Number: the likely, and the span of "
        f"what is not known. {TICK.format(', '.join(kernels)) if kernels else NONE}"
    )


def _estimate_panel(d: Drawn[Estimated]) -> Part:
    ends = d.extra["whole"]
    end = theme.end(most(ends, "cycles_hi", "published"), bars.room(once(ends, "text")))
    x, y = bars.stack_axis("cycles", TITLE, end), bars.side(d.of.order)
    tips = vega.tips("device", "setup", "part")
    tips += vega.numbers(",.0f", {"cycles": "", "cycles_lo": "", "cycles_hi": ""})
    total = vega.rows(f"{d.name}-whole")
    published = total.where("isValid(datum.published)")
    hollow = {"style": ["published", "hollow"], "shape": "diamond", "size": 80}
    names = list(words.PARTS.values())
    layers = [
        bars.stacked(vega.rows(d.name), x, y, "part", names, tooltip=tips, order="at:Q"),
        total.span("rule", "x", "cycles", TITLE, y=y, style="whisker"),
        published.mark("point", x=channel("published:Q", title=TITLE), y=y, **hollow),
        bars.behind(total, "cycles_hi", TITLE, y),
    ]
    text = "Estimated cycles of a packet by what they are spent on"
    return bars.down(text, d.of.order, layers)


ESTIMATE = Chart[Estimated](
    name=lambda of: sweep.plain(
        "-".join(("estimate", of.plan, *map(str, of.estimates[0].point.values())))
    ),
    rows=_estimates,
    columns={"device": "device", "setup": "setup", "part": "spent on"}
    | heads("cycles", "estimated", "cycles"),
    title=lambda d: words.finding(d.of.estimates),
    caption=_estimate_caption,
    form=whole(_estimate_panel),
    extra={"whole": _ends},
)

# What the capacity model predicts against what was measured.

KINDS = ("fitted", "held out")
COUNTED = "Instructions of one packet"
FULL = "Packets/s at which the gateway's CPU is full"
ROOM = 1.25  # around the points


def models(source: Source) -> list[Model]:
    """The model of a run that checked it."""
    return [source.model] if source.model and source.model.checks else []


def _unit(model: Model) -> str:
    return model.measured.unit if model.measured.is_count else "packets/s"


def _checks(model: Model) -> Iterator[Row]:
    for check in model.checks:
        row: Row = {"setup": check.case.setup.words}
        row |= {"direction": traffic.way(check.case.direction)}
        row |= {"frame_bytes": check.case.frame_bytes, "kind": KINDS[check.held_out]}
        row |= three("measured", _rate(model, check.measured))
        row |= three("predicted", _rate(model, check.predicted))
        yield row | {"error": capacity.error(model, check)}


def _rate(model: Model, takes: Interval) -> Interval:
    """Packets/s; instructions stand as they are."""
    if model.measured.is_count:
        return takes
    return Interval(1e9 / takes.value, 1e9 / takes.hi, 1e9 / takes.lo, takes.n, takes.level)


def _predicted(d: Drawn[Model]) -> Part:
    unit, margin, ends = _unit(d.of), d.of.margin, numbers(d.rows, "measured", "predicted")
    span = min(ends) / ROOM, max(ends) * ROOM
    axes = {"axis": theme.si(5, labelOverlap=True), "scale": theme.logarithmic(*span)}
    x = channel("measured:Q", title=f"measured, {unit}", **axes)
    y = channel("predicted:Q", title=f"predicted, {unit}", **axes)
    kinds = [kind for kind in KINDS if kind in d.once("kind")]
    color = channel("kind:N", scale=vega.names(kinds), legend={})
    shape = channel("kind:N", scale=vega.names(kinds, range=theme.SHAPES[: len(kinds)]))
    tips = vega.tips("setup", "direction", "frame_bytes")
    tips += vega.numbers(".4s", {"measured": "measured", "predicted": "predicted"})
    tips += vega.numbers("+.1%", {"error": "off by"})
    base, look = vega.rows(d.name), {"size": 45, "opacity": 0.9, "shape": shape, "tooltip": tips}
    lines = [
        vega.inline(*({"measured": end, "predicted": end * times} for end in span)).mark(
            "line", x=x, y=y, style="ceiling" if times == 1 else "ideal", clip=True
        )
        for times in dict.fromkeys((1.0, margin, 1 / margin))
    ]
    return theme.panel(
        f"Predicted against measured {unit}",
        *lines,
        base.span("rule", "y", "predicted", y["title"], x=x, color=color, strokeWidth=1.5),
        curve.dots(base, x=x, y=y, color=color, **look),
    )


PREDICTED = Chart[Model](
    name="predicted",
    rows=_checks,
    columns=lambda model: (
        {"setup": "setup", "direction": "direction", "frame_bytes": "frame (B)"}
        | {"kind": "in the model"}
        | heads("measured", "measured", _unit(model))
        | heads("predicted", "predicted", _unit(model))
        | {"error": "off by (ratio)"}
    ),
    title=lambda d: capacity.sentence(d.of),
    caption=lambda d: (
        f"{COUNTED if d.of.measured.is_count else FULL}: predicted by the sum of what each term "
        "costs, against measured. On the line both are equal; the dotted lines beside it are "
        f"{number.quantity(d.of.margin - 1, 'ratio')} off. Whisker: the prediction's interval."
    ),
    form=whole(_predicted),
    plan=capacity.plan,
)

# What a packet's time is of, at the direction and size at which most setups were measured.


def _alike(model: Model) -> list[Check]:
    """The checks of one direction and size, quickest first; of as many small frames upwards."""
    kinds = [(check.case.direction, check.case.frame_bytes) for check in model.checks]
    kind = max(set(kinds), key=lambda item: (kinds.count(item), item[0] == "up", -item[1]))
    own = [c for c in model.checks if (c.case.direction, c.case.frame_bytes) == kind]
    return sorted(own, key=lambda check: check.measured.value)


def _made(model: Model) -> list[tuple[str, Check, Parts]]:
    """The key of each check, and the parts of its time."""
    checks, kept = _alike(model), _largest(model)
    keys = bars.keys([bars.Rung(check.case.setup.words) for check in checks])
    pairs = zip(keys, checks, strict=True)
    return [(key, check, parts(model, check.case, kept)) for key, check in pairs]


def _largest(model: Model) -> list[str]:
    """The parts that come to most somewhere, base first."""
    most: dict[str, float] = {}
    for check in _alike(model):
        for name, ns in parts(model, check.case).items():
            most[name] = max(most.get(name, 0.0), abs(ns.value))
    rest = sorted((name for name in most if name != BASE), key=lambda name: -most[name])
    return [BASE, *rest[: MOST_PARTS - 1]]


def _terms(model: Model) -> Iterator[Row]:
    for key, check, made in _made(model):
        for name, ns in made.items():
            row: Row = {"setup": check.case.setup.words, "key": key}
            yield row | {"term": capacity.part(name, model.base_path)} | three("ns", ns)


def _measured(model: Model, _: Sequence[Row]) -> Iterator[Row]:
    for key, check, _made_of in _made(model):
        takes = check.measured
        ns = number.quantity_interval(takes, "ns")
        text = number.plain(takes.value, 0) if model.measured.is_count else ns
        row: Row = {"setup": check.case.setup.words, "key": key, "text": text}
        yield row | three("ns", takes)


def _dearest(d: Drawn[Model]) -> str:
    """What the dearest setup spends most on."""
    _, last, made = _made(d.of)[-1]
    name, ns = max(made.items(), key=lambda item: item[1].value)
    share = number.quantity(ns.value / last.predicted.value, "ratio")
    of = "instructions are" if d.of.measured.is_count else "time is"
    what = capacity.part(name, d.of.base_path)
    return f"{last.case.setup.words}: {share} of a packet's {of} {what}"


def _head(model: Model) -> str:
    return "a packet" if model.measured.is_count else "time per packet"


def _spent(d: Drawn[Model]) -> str:
    what = "Instructions" if d.of.measured.is_count else "Time of the gateway's CPU"
    case = _alike(d.of)[0].case
    return (
        f"{what} for each packet, and what it is spent on by the model: "
        f"{traffic.way(case.direction)}, frames of {case.frame_bytes:.0f} B. Tick and number: "
        "measured. Where terms cost less together, that part is left of zero."
    )


def _packet_panel(d: Drawn[Model]) -> Part:
    made, ends = _made(d.of), d.extra["measured"]
    order, title = [key for key, _, _ in made], f"{_head(d.of)}, {d.of.measured.unit}"
    x, y = bars.stack_axis("ns", title, bars.across(ends, "ns_hi")), bars.side(order)
    names = [*_largest(d.of), *([OTHERS] if any(OTHERS in parts for _, _, parts in made) else [])]
    terms = [capacity.part(name, d.of.base_path) for name in names]
    tips = vega.tips("setup", "term") + vega.numbers(",.0f", {"ns": "", "ns_lo": "", "ns_hi": ""})
    measured = vega.rows(f"{d.name}-measured")
    tick = {"style": "whisker", "thickness": 2, "size": bars.ROW - 4}
    layers = [
        bars.stacked(vega.rows(d.name), x, y, "term", terms, tooltip=tips),
        measured.mark("tick", x=channel("ns:Q", title=title), y=y, **tick),
        bars.behind(measured, "ns_hi", title, y),
    ]
    return bars.down(f"{title} by what it is spent on", order, layers)


PACKET = Chart[Model](
    name="time-per-packet",
    rows=_terms,
    columns=lambda model: (
        {"setup": "setup", "term": "term"} | heads("ns", _head(model), model.measured.unit)
    ),
    title=_dearest,
    caption=_spent,
    form=whole(_packet_panel),
    extra={"measured": _measured},
    plan=capacity.plan,
)
