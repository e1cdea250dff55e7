# SPDX-License-Identifier: Apache-2.0
"""A study beside runs of ours, in the study's own order: one page.

Published values stand in columns by device, ours in columns by run. What cannot be reproduced has
a row all the same, with the reason.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from msgspec.structs import replace

from gatemark.plan.model import is_twin
from gatemark.report import gallery, html, script
from gatemark.report.answer import answers, reference
from gatemark.report.chart.figure import Figure
from gatemark.report.chart.palette import palette
from gatemark.report.group.source import Source
from gatemark.report.group.together import together
from gatemark.report.page import about, columns
from gatemark.report.several import called
from gatemark.report.study.narrow import narrowed
from gatemark.report.words import number, traffic
from gatemark.report.words.number import PERCENT
from gatemark.report.words.published import in_words
from gatemark.report.words.run import repeat_plan
from gatemark.report.words.table import NONE, Table
from gatemark.stats.change import gain
from gatemark.stats.change.claim import NAMES, claims
from gatemark.stats.change.cmp import clock_of
from gatemark.stats.change.reference import Beside, behind_tester
from gatemark.stats.coverage.boxes import Side, claimed, of_runs
from gatemark.stats.math.interval import Interval
from gatemark.stats.point.mean import At, at, means
from gatemark.stats.study import blocks
from gatemark.stats.study.blocks import Claim
from gatemark.store import file
from gatemark.store.published import REFERENCE_UNITS, Published
from gatemark.store.reference import Entry, entries, published
from gatemark.store.run import UNKNOWN
from gatemark.store.study.outline import Outline, Part

INVENTORY: Final = "device_inventory"
NO_LIKE: Final = "no run that was given has its like"
LIMITED: Final = "the tester was the bottleneck: use a faster one"
NO_SECOND: Final = "a ratio of two devices: give two runs that have it"
TEXT: Final = "text"  # the unit of a value in words
FRACTION: Final = "fraction"
NUMBER: Final = re.compile(r"\d+(\.\d+)?")
EVERYONE: Final = ("-", "all", "both", "all routers")  # devices of a value that is of the study
STUDY: Final = "the study"
Means = Mapping[At, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Section:
    """One table, figure or section of a study, with what of ours belongs to it."""

    part: Part
    anchor: str
    tables: Sequence[tuple[str, Table]]  # each with its anchor
    figures: Sequence[Figure]
    differs: Sequence[str]  # what is not alike, or not known to be
    commands: Sequence[str]  # that repeat its plans
    absent: Sequence[str]  # plans of it that no run has


@dataclass(frozen=True, slots=True)
class Pair:
    """A value of one run beside a published one, with the arithmetic mean of the same trials."""

    beside: Beside
    mean: float | None  # None: the value is of no point


@dataclass(frozen=True, slots=True)
class Gateway:
    """One gateway, with all runs that measured it: a column of its own."""

    sources: Sequence[Source]
    means: Sequence[Means]  # arithmetic means of each of these runs

    @property
    def label(self) -> str:
        """Head of its column."""
        first = self.sources[0]
        kind = "virtual" if first.run.station.virtual else "device"
        letters = ", ".join(filter(None, (source.label for source in self.sources)))
        name = called(first) if len(self.sources) == 1 else first.run.station.name
        return f"{letters + ': ' if letters else ''}ours, {name} ({kind})"

    def pairs(self, study: str, part: Part) -> list[Pair]:
        """Its values beside those of a part of a study."""
        return [
            Pair(pair, own.get(at(pair.plan, pair.arm, pair.point), {}).get(pair.quantity))
            for source, own in zip(self.sources, self.means, strict=True)
            for pair in _pairs(source, study, part)
        ]


def gateways(sources: Sequence[Source]) -> list[Gateway]:
    """The gateways of these runs, each with all that measured it."""
    known: dict[tuple[str, object], list[Source]] = {}
    for source in sources:
        known.setdefault(source.run.gateway, []).append(source)
    return [Gateway(own, [means(source.records) for source in own]) for own in known.values()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """What all sections are made of."""

    study: str  # its short name
    sources: Sequence[Source]
    values: Sequence[Entry]  # all that it printed
    plans: frozenset[str]  # of all its parts
    gateways: Sequence[Gateway]
    figures: Sequence[Figure]
    shared: Source  # all runs as one
    limited: frozenset[tuple[str, str]]  # experiment and parameter of what the tester limited


def write(outline: Outline, sources: Sequence[Source], path: Path) -> Path:
    """Write the page. Raises OSError."""
    file.write(path, render(outline, sources).encode())
    return path


def parts(outline: Outline, sources: Sequence[Source]) -> tuple[str, list[Section]]:
    """How much of the study these runs have, in a sentence; and its parts in its order."""
    shared = together(sources)
    own = sections(outline, sources, shared, gallery.figures(shared))
    return _sentence(outline, own, sources), own


def render(outline: Outline, sources: Sequence[Source]) -> str:
    """The page as text."""
    sentence, own = parts(outline, sources)
    figures = list({f.name: f for section in own for f in section.figures}.values())
    first = {f.name: s.anchor for s in reversed(own) for f in s.figures}
    return html.template("study.html").render(
        outline=outline,
        title=outline.title,
        sentence=sentence,
        abouts=[about(source) for source in sources],
        sections=own,
        figures=figures,
        first=first,
        readings={},
        commands={figure.name: [] for figure in figures},
        columns=columns,
        style=html.asset("style.css"),
        data=script.embedded(figures, palette(together(sources).judgement)),
        scripts=[script.library(), *map(html.asset, ("number.js", "table.js", "page.js"))],
    )


def sections(
    outline: Outline, sources: Sequence[Source], shared: Source, drawn: Sequence[Figure]
) -> list[Section]:
    """The study's parts in its order."""
    columns = gateways(sources)
    matter = Matter(
        study=outline.name,
        sources=sources,
        values=entries(outline.seed),
        plans=frozenset(name for part in outline.part for name in part.plans),
        gateways=columns,
        figures=drawn,
        shared=shared,
        limited=frozenset(
            (value.experiment, value.parameter)
            for source in sources
            for value in behind_tester(source.judgement, published())
            if value.study == outline.name
        ),
    )
    return [_section(part, f"part-{place}", matter) for place, part in enumerate(outline.part, 1)]


def _section(part: Part, anchor: str, matter: Matter) -> Section:
    sources = matter.sources
    pairs = [gateway.pairs(matter.study, part) for gateway in matter.gateways]
    made = [
        _devices(part, matter),
        _values(part, matter, pairs),
        *(_gains(source, part) for source in sources if part.gains),
        *(_claims(source, part) for source in sources if part.claims),
        *([_of_boxes(matter.gateways, part)] if part.claims and len(matter.gateways) > 1 else ()),
        *_own(part, matter.shared),
    ]
    return Section(
        part=part,
        anchor=anchor,
        tables=[(f"{anchor}-{at}", table) for at, table in enumerate(made) if table.rows],
        figures=_figures(part, matter.figures),
        differs=list(dict.fromkeys(text for run in pairs for text in _differences(run, part))),
        commands=list(_commands(part, sources)),
        absent=[name for name in part.plans if not any(_has(s, name) for s in sources)],
    )


def _has(source: Source, plan: str) -> bool:
    return any(kept.name == plan for kept in source.run.plans)


def _commands(part: Part, sources: Sequence[Source]) -> Iterator[str]:
    for source in sources:
        texts = (repeat_plan(source.run, name) for name in part.plans if _has(source, name))
        yield from (text for text in texts if text)


def _figures(part: Part, drawn: Sequence[Figure]) -> list[Figure]:
    return [f for f in drawn if f.plan in part.plans and f.name.startswith(part.figures or ("?",))]


def _own(part: Part, shared: Source) -> Iterator[Table]:
    """Tables of ours, of the part's own plans."""
    if part.tables:
        for name, table in answers.tables(narrowed(shared, part.plans)):
            if name.startswith(part.tables):
                yield table


def _pairs(source: Source, study: str, part: Part) -> Iterator[Beside]:
    for pair in source.beside:
        if pair.published.study == study and pair.published.experiment in part.experiments:
            yield pair


def _differences(pairs: Sequence[Pair], part: Part) -> Iterator[str]:
    """Each way in which a published value is not known to be like ours, with what it is of."""
    texts: dict[str, dict[str, None]] = {}
    for pair in (pair.beside for pair in pairs):
        if (text := reference.differs(pair)) != number.DASH:
            texts.setdefault(text, {})[_what(pair.published, part)] = None
    yield from (f"{', '.join(whats)}: {text}" for text, whats in texts.items())


def _devices(part: Part, matter: Matter) -> Table:
    """The devices of the study, and ours by their inventory."""
    values = matter.values
    facts = [v for v in values if v.experiment == INVENTORY and v.parameter in part.inventory]
    devices = list(dict.fromkeys(value.device for value in facts))
    rows = []
    for parameter, key in part.inventory.items():
        theirs = [_cell(facts, INVENTORY, parameter, device) for device in devices]
        ours = (_fact(gateway.sources[0], key) for gateway in matter.gateways)
        rows.append((in_words(parameter), *theirs, *ours))
    head = ("", *devices, *(gateway.label for gateway in matter.gateways))
    return Table("Devices: as printed, and ours by inventory", head, tuple(rows), frozenset())


def _fact(source: Source, key: str) -> str:
    """A fact of our gateway; a namespace has the processor of the machine that it runs on."""
    known = (source.run.before.get("gateway") or {}).get(key, UNKNOWN)
    text = NONE if known in ("", UNKNOWN) else " ".join(str(known).split())
    return f"{float(text):.0f} MHz" if key.endswith("_mhz") and NUMBER.fullmatch(text) else text


def _values(part: Part, matter: Matter, pairs: Sequence[Sequence[Pair]]) -> Table:
    """What was published, by device, with ours beside it; or why nothing of ours is."""
    kept = [value for value in matter.values if value.experiment in part.experiments]
    devices = list(dict.fromkeys(_device(value) for value in kept))
    rows, values = [], dict[tuple[str, str, str], Entry]()
    for value in kept:
        pair = value.device if value.ratio else ""
        values.setdefault((value.experiment, value.parameter, pair), value)
    for (*_, pair), value in values.items():
        own = [v for v in kept if pair in ("", v.device)]
        theirs = [_cell(own, value.experiment, value.parameter, device) for device in devices]
        ours = _beside(value, matter, pairs)
        lacking = "" if any(text != NONE for text in ours) else _lacking(value, matter)
        reason = value.why or lacking
        what = ", ".join(filter(None, (_what(value, part), pair)))
        rows.append((what, *theirs, *ours, reason))
    labels = (gateway.label for gateway in matter.gateways)
    head = ("what", *devices, *labels, "why there is none of ours")
    caption = "As published, and ours: median with interval, and the arithmetic mean"
    return Table(caption, head, tuple(rows), frozenset())


def _lacking(value: Entry, matter: Matter) -> str:
    """Why nothing of ours stands beside a value that could have something."""
    if value.ratio:
        return NO_SECOND
    return LIMITED if (value.experiment, value.parameter) in matter.limited else NO_LIKE


def _beside(value: Entry, matter: Matter, pairs: Sequence[Sequence[Pair]]) -> list[str]:
    """What each gateway has beside a published value."""
    if value.claim:
        return [_verdicts(gateway, value.claim, matter.plans) for gateway in matter.gateways]
    if value.ratio and value.ratio.kernels:
        return _by_kernels(matter.gateways, value.ratio.kernels)
    parameter = value.ratio.of if value.ratio else value.parameter
    alike = [[p for p in run if _is_of(p, value.experiment, parameter)] for run in pairs]
    return _divided(alike) if value.ratio else [_ours(own) for own in alike]


def _device(value: Entry) -> str:
    """Its column; a ratio of two devices is in none of theirs."""
    return STUDY if value.ratio or value.device in EVERYONE else value.device


def _is_of(pair: Pair, experiment: str, parameter: str) -> bool:
    published = pair.beside.published
    return (published.experiment, published.parameter) == (experiment, parameter)


def _cell(values: Iterable[Entry], experiment: str, parameter: str, device: str) -> str:
    texts = [
        _printed(value)
        for value in values
        if (value.experiment, value.parameter) == (experiment, parameter)
        and device in (value.device, _device(value))
    ]
    return "; ".join(dict.fromkeys(texts)) or NONE


def _printed(value: Entry) -> str:
    sign = next((sign for sign in reference.SIGN if value.value.startswith(sign)), "")
    text = f"{reference.SIGN.get(sign, '')}{value.value.removeprefix(sign)}"
    unit = "" if value.unit in (TEXT, FRACTION) else f" {value.unit}"
    return f"{reference.ABOUT.get(value.kind, '')}{text}{unit}"


def _ours(pairs: Sequence[Pair]) -> str:
    """Each point of ours that is like a published value, once."""
    return "; ".join(dict.fromkeys(_measured(pair.beside, pair.mean) for pair in pairs)) or NONE


def _measured(ours: Beside, mean: float | None) -> str:
    unit = REFERENCE_UNITS[ours.quantity]
    text = number.quantity_interval(ours.measured, unit, at_least=ours.at_least)
    if mean is None:
        return text
    to = number.scale([ours.measured.value], unit)
    return f"{text} (mean {number.value_alone(replace(ours.measured, value=mean), to)})"


def _gains(source: Source, part: Part) -> Table:
    """Arms against the first of their plan: from what to what, by how much, in per cent."""
    rows: list[tuple[str, ...]] = []
    for comparison in source.judgement.comparisons:
        first = gain.base(source.judgement, comparison)
        if comparison.plan not in part.plans or is_twin(comparison.arm):
            continue
        if first is None or not first.value:
            continue
        at = traffic.point(comparison.point) if comparison.point else NONE
        about = f"{comparison.plan}: {comparison.arm}", comparison.baseline, at
        if comparison.at_least:
            rows.append((*about, NONE, NONE, NONE, "the tester was the bottleneck"))
            continue
        more = gain.absolute(comparison, first)
        to = number.scale([first.value], gain.unit(comparison))
        rows.append(
            (
                *about,
                f"{number.interval(first, to)} {to.unit}",
                f"{number.interval(more, to)} {to.unit}",
                f"{number.interval(comparison.change.change, PERCENT)} %",
                comparison.change.verdict,
            )
        )
    head = ("setup", "against", "at", "that has", "gain", "gain, relative", "verdict")
    whose = f"{source.label}: " if source.label else ""
    return Table(f"{whose}what is gained against the first setup", head, tuple(rows), frozenset())


def _divided(gateways: Sequence[Sequence[Pair]]) -> list[str]:
    """Each gateway's value over the first one's, at the same setup and point.

    A bound has no ratio to anything.
    """
    base, *others = [of_runs(_measured_at(pair.beside for pair in own)) for own in gateways]
    texts = [NONE]
    for own in others:
        ratios = (own[at] / base[at] for at in own if base.get(at))
        texts.append("; ".join(number.quantity(ratio, "times") for ratio in ratios) or NONE)
    return texts


def _measured_at(pairs: Iterable[Beside]) -> Iterator[tuple[At, float]]:
    """The value at each point that the tester did not limit."""
    for pair in pairs:
        if not pair.at_least:
            yield at(pair.plan, pair.arm, pair.point), pair.measured.value


def _by_kernels(gateways: Sequence[Gateway], kernels: Sequence[str]) -> list[str]:
    """Operations a second of each gateway over the first one's: the median of all points, and all.

    A slowdown is told as a number below 1.
    """
    rates = [of_runs(_operations(gateway, kernels)) for gateway in gateways]
    base, *others = rates
    texts = [NONE]
    for own in others:
        shares = sorted(own[at] / base[at] for at in own if base.get(at))
        texts.append(_share(shares) if shares else NONE)
    return texts


def _share(shares: Sequence[float]) -> str:
    """The median, and the least and the most."""
    every = Interval(median(shares), shares[0], shares[-1], len(shares), 0.0)
    points = "point" if len(shares) == 1 else "points"
    return f"{number.quantity_interval(every, 'times')}, {len(shares)} {points}"


def _operations(gateway: Gateway, kernels: Sequence[str]) -> Iterator[tuple[At, float]]:
    """Operations a second at each point of these kernels."""
    for source in gateway.sources:
        for point in source.judgement.points:
            kernel = (point.definition.kernel or "").partition(" ")[0]
            if kernel in kernels and "ops_s" in point.values:
                yield at(point.plan, point.arm, point.point), point.values["ops_s"].value


def _tested(source: Source) -> list[Claim]:
    """Each claim at each setup of a run."""
    judgement = source.judgement
    return [*claims(source.records, judgement.points), *blocks.claims(judgement.travels)]


def _verdicts(gateway: Gateway, name: str, plans: frozenset[str]) -> str:
    """How often a claim holds at setups of ours."""
    every = (claim for source in gateway.sources for claim in _tested(source))
    own = [c for c in every if c.claim in NAMES[name] and c.plan in plans]
    counts = Counter(claim.holds for claim in own)
    return "; ".join(f"{word} in {n} of {len(own)}" for word, n in counts.items()) or NONE


def _claims(source: Source, part: Part) -> Table:
    """What the study claims, at each setup of ours."""
    rows = tuple(
        (
            claim.claim,
            f"{claim.plan}: {claim.arm}",
            f"{traffic.way(claim.direction)}, {traffic.protocol(claim.between)}",
            f"{number.interval(claim.change, PERCENT)} %",
            claim.holds,
        )
        for claim in _tested(source)
        if claim.plan in part.plans
    )
    head = ("claim", "setup", "traffic", "change", "here")
    whose = f"{source.label}: " if source.label else ""
    return Table(f"{whose}what the study claims, tested", head, rows, frozenset())


def _of_boxes(gateways: Sequence[Gateway], part: Part) -> Table:
    """What the study claims of several boxes: of their clocks."""
    sides = [
        Side(
            gateway.label,
            clock_of(gateway.sources[0].run),
            [p for s in gateway.sources for p in s.judgement.points if p.plan in part.plans],
        )
        for gateway in gateways
    ]
    rows = tuple(
        (row.claim, row.between, number.quantity(row.rate, "times"), row.beside, row.holds)
        for row in claimed(sides)
    )
    head = ("claim", "gateways", "payload, the median of all points", "beside", "here")
    return Table("What the study claims of several boxes, tested", head, rows, frozenset())


def _what(value: Entry | Published, part: Part) -> str:
    """What was measured: `UDP, routed: peak throughput`."""
    return f"{part.experiments[value.experiment]}: {in_words(value.parameter)}"


def _sentence(outline: Outline, made: Sequence[Section], sources: Sequence[Source]) -> str:
    """How much of the study these runs have."""
    values = {
        (p.published.experiment, p.published.parameter, p.published.device)
        for source in sources
        for p in source.beside
        if p.published.study == outline.name
    }
    answered = sum(bool(section.commands) for section in made)
    return (
        f"Of the {len(made)} parts of the study {answered} have a measurement here; "
        f"{len(values)} of its {len(entries(outline.seed))} printed values have one of ours beside "
        "them."
    )
