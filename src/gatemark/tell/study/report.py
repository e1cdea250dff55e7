# SPDX-License-Identifier: Apache-2.0
"""A study beside runs of ours, in the study's own order: one page.

Published values stand in columns by device, ours before them in columns by gateway. What cannot be
reproduced has a row all the same, with the reason. Runs of other studies have no place on it.
"""

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from gatemark.judge.change import gain
from gatemark.plan.model import is_twin
from gatemark.store import file
from gatemark.store.reference import tallies
from gatemark.store.study.outline import Outline, Part
from gatemark.tell import gallery, html, script
from gatemark.tell.answer import answers, reference
from gatemark.tell.chart.figure import Figure
from gatemark.tell.chart.palette import palette
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import together
from gatemark.tell.page import about, columns
from gatemark.tell.several import called
from gatemark.tell.study.claimed import claims, of_boxes
from gatemark.tell.study.matter import Matter, Pair, chosen, matter
from gatemark.tell.study.values import OURS, devices, values, what
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import PERCENT
from gatemark.tell.words.run import repeat_plan
from gatemark.tell.words.table import NONE, Table


@dataclass(frozen=True, slots=True)
class Section:
    """One table, figure or section of a study, with what of ours belongs to it."""

    part: Part
    anchor: str
    tables: Sequence[tuple[str, Table]]  # each with its anchor
    figures: Sequence[Figure]
    differs: Sequence[str]  # what is not alike, or not known to be
    commands: Sequence[str]  # that repeat its plans
    absent: Sequence[str]  # its plans, where no run has any of them
    has_ours: bool  # besides what was printed there is something of ours

    @property
    def lacking(self) -> str:
        """What stands before the reason why something of it is not here."""
        return "Left out." if self.has_ours else "Not reproduced."


@dataclass(frozen=True, slots=True)
class Parts:
    """A study in its own order, and the runs that its page is of."""

    sentence: str  # how much of the study they have
    sources: Sequence[Source]
    others: str  # the runs that have no plan of it, in a sentence; empty where there are none
    sections: Sequence[Section]


def write(outline: Outline, sources: Sequence[Source], path: Path) -> Path:
    """Write the page. Raises OSError."""
    file.write(path, render(outline, sources).encode())
    return path


def parts(outline: Outline, given: Sequence[Source]) -> Parts:
    """What these runs have of a study."""
    sources, others = chosen(outline, given)
    shared = together(sources)
    own = sections(outline, sources, shared, gallery.figures(shared))
    return Parts(_sentence(outline, own, sources), sources, _others(others), own)


def render(outline: Outline, given: Sequence[Source]) -> str:
    """The page as text."""
    page = parts(outline, given)
    figures = list({f.name: f for section in page.sections for f in section.figures}.values())
    first = {f.name: s.anchor for s in reversed(page.sections) for f in s.figures}
    return html.template("study.html").render(
        outline=outline,
        title=outline.title,
        sentence=page.sentence,
        others=page.others,
        abouts=[about(source) for source in page.sources],
        sections=page.sections,
        figures=figures,
        first=first,
        readings={},
        commands={figure.name: [] for figure in figures},
        columns=columns,
        style=html.asset("style.css"),
        data=script.embedded(figures, palette(together(page.sources).judgement)),
        scripts=[script.library(), *map(html.asset, ("number.js", "table.js", "page.js"))],
    )


def _others(sources: Sequence[Source]) -> str:
    if not sources:
        return ""
    names = ", ".join(map(called, sources))
    if len(sources) == 1:
        return f"1 run has no plan of this study and is left out: {names}."
    return f"{len(sources)} runs have no plan of this study and are left out: {names}."


def sections(
    outline: Outline, sources: Sequence[Source], shared: Source, drawn: Sequence[Figure]
) -> list[Section]:
    """The study's parts in its order."""
    of = matter(outline, sources, shared, drawn)
    return [_section(part, f"part-{place}", of) for place, part in enumerate(outline.part, 1)]


def _section(part: Part, anchor: str, of: Matter) -> Section:
    sources = of.sources
    pairs = [gateway.pairs(of.study, part) for gateway in of.gateways]
    printed = values(part, of, pairs)
    ours = [
        devices(part, of),
        *(gains(source, part) for source in sources if part.gains),
        *(claims(source, part) for source in sources if part.claims),
        *([of_boxes(of.gateways, part)] if part.claims and len(of.gateways) > 1 else ()),
        *_own(part, of.shared),
    ]
    first, *more = ours
    made = [first, printed, *more]
    figures = _figures(part, of.figures)
    beside = bool(printed.rows) and OURS not in printed.head  # then a gateway has a column
    return Section(
        part=part,
        anchor=anchor,
        tables=[(f"{anchor}-{at}", table) for at, table in enumerate(made) if table.rows],
        figures=figures,
        differs=list(dict.fromkeys(text for run in pairs for text in _differences(run, part))),
        commands=list(_commands(part, sources)),
        absent=_absent(part, sources),
        has_ours=beside or bool(figures) or any(table.rows for table in ours),
    )


def _absent(part: Part, sources: Sequence[Source]) -> list[str]:
    """The part's plans, where no run has any of them: a single one may be enough."""
    is_there = any(_has(source, name) for source in sources for name in part.plans)
    return [] if is_there else list(part.plans)


def _has(source: Source, plan: str) -> bool:
    return any(kept.name == plan for kept in source.run.plans)


def _commands(part: Part, sources: Sequence[Source]) -> Iterator[str]:
    for source in sources:
        texts = (repeat_plan(source.run, name) for name in part.plans if _has(source, name))
        yield from (text for text in texts if text)


def _figures(part: Part, drawn: Sequence[Figure]) -> list[Figure]:
    """The figures that a part asks for; their names end in the rate of a line, if they have."""
    over = f"-{part.line_mbit:g}" if part.line_mbit else ""
    own = [f for f in drawn if f.plan in part.plans and f.name.endswith(over)]
    return [figure for figure in own if figure.name.startswith(part.figures or ("?",))]


def _own(part: Part, shared: Source) -> Iterator[Table]:
    """Tables of ours, of the part's own plans."""
    if part.tables:
        for name, table in answers.tables(narrowed(shared, part.plans, part.line_mbit * 1e6)):
            if name.startswith(part.tables):
                yield table


def _differences(pairs: Sequence[Pair], part: Part) -> Iterator[str]:
    """Each way in which a published value is not known to be like ours, with what it is of."""
    texts: dict[str, dict[str, None]] = {}
    for pair in (pair.beside for pair in pairs):
        if (text := reference.differs(pair)) != number.DASH:
            texts.setdefault(text, {})[what(pair.published, part)] = None
    yield from (f"{', '.join(whats)}: {text}" for text, whats in texts.items())


def _sentence(outline: Outline, made: Sequence[Section], sources: Sequence[Source]) -> str:
    """How much of the study these runs have; what describes its devices is no value."""
    values = {
        (p.published.experiment, p.published.parameter, p.published.device)
        for source in sources
        for p in source.beside
        if p.published.study == outline.name
    }
    answered = sum(section.has_ours for section in made)
    tally = tallies()[outline.name]
    printed = tally.rows - tally.describing
    return (
        f"Of the {len(made)} parts of the study {answered} have something of ours; {len(values)} "
        f"of the {printed} values that it printed have one of ours beside them."
    )


def gains(source: Source, part: Part) -> Table:
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


def narrowed(source: Source, plans: Collection[str], line_bps: float = 0.0) -> Source:
    """The same of these plans alone; what is judged of no plan stays.

    With `line_bps` only the queues of a line of this rate.
    """
    judgement, kept = source.judgement, {None, *plans}
    every: dict[str, Any] = {n: getattr(judgement, n) for n in judgement.__struct_fields__}
    own = {
        name: tuple(each for each in judged if getattr(each, "plan", None) in kept)
        for name, judged in every.items()
        if isinstance(judged, tuple)
    }
    if line_bps:
        own["queues"] = tuple(queue for queue in own["queues"] if queue.line_bps == line_bps)
    return dataclasses.replace(
        source,
        records=[record for record in source.records if record.plan in plans],
        judgement=replace(judgement, **own),
    )
