# SPDX-License-Identifier: Apache-2.0
"""What the page of a study is made of: what was printed, and the gateways with their runs."""

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gatemark.judge.change.reference import Beside, behind_tester
from gatemark.judge.point.mean import At, at, means
from gatemark.store.reference import Entry, entries, published
from gatemark.store.study.outline import Outline, Part
from gatemark.tell.chart.figure import Figure
from gatemark.tell.group.source import Source
from gatemark.tell.several import labelled

Means = Mapping[At, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Pair:
    """A value of one run beside a published one, with the arithmetic mean of the same trials."""

    beside: Beside
    mean: float | None  # None: the value is of no point
    run: str  # its letter; empty where there is one run


@dataclass(frozen=True, slots=True)
class Gateway:
    """One gateway, with all runs that measured it: a column of its own."""

    name: str  # its station's; with letters of its runs where two have the same
    sources: Sequence[Source]
    means: Sequence[Means]  # arithmetic means of each of these runs

    @property
    def label(self) -> str:
        """Head of its column."""
        kind = "virtual" if self.sources[0].run.station.virtual else "device"
        return f"ours, {self.name} ({kind})"

    def pairs(self, study: str, part: Part) -> list[Pair]:
        """Its values beside those of a part of a study."""
        return [
            Pair(
                pair,
                own.get(at(pair.plan, pair.arm, pair.point), {}).get(pair.quantity),
                source.label,
            )
            for source, own in zip(self.sources, self.means, strict=True)
            for pair in source.beside
            if pair.published.study == study and pair.published.experiment in part.experiments
        ]


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


def matter(
    outline: Outline, sources: Sequence[Source], shared: Source, drawn: Sequence[Figure]
) -> Matter:
    """What is known of a study and of these runs."""
    return Matter(
        study=outline.name,
        sources=sources,
        values=entries(outline.seed),
        plans=plans_of(outline),
        gateways=gateways(sources),
        figures=drawn,
        shared=shared,
        limited=frozenset(
            (value.experiment, value.parameter)
            for source in sources
            for value in behind_tester(source.judgement, published())
            if value.study == outline.name
        ),
    )


def plans_of(outline: Outline) -> frozenset[str]:
    """The plans of all parts of a study."""
    return frozenset(name for part in outline.part for name in part.plans)


def chosen(
    outline: Outline, sources: Sequence[Source]
) -> tuple[Sequence[Source], Sequence[Source]]:
    """The runs that have a plan of the study, with letters of their own; and the others.

    Other studies load a gateway otherwise: what they have in common with this one would mislead.
    Where no run has such a plan all are kept, and the page says what is missing.
    """
    plans = plans_of(outline)
    own = [s for s in sources if any(plan.name in plans for plan in s.run.plans)] or sources
    letters = labelled(len(own))
    kept = [_of_study(s, outline, label) for s, label in zip(own, letters, strict=True)]
    return kept, [source for source in sources if source not in own]


def _of_study(source: Source, outline: Outline, label: str) -> Source:
    """A run with its letter, beside what this study published alone."""
    pairs = [pair for pair in source.beside if pair.published.study == outline.name]
    return dataclasses.replace(source, label=label, beside=pairs)


def gateways(sources: Sequence[Source]) -> list[Gateway]:
    """The gateways of these runs, each with all that measured it."""
    known: dict[tuple[str, object], list[Source]] = {}
    for source in sources:
        known.setdefault(source.run.gateway, []).append(source)
    stations = Counter(own[0].run.station.name for own in known.values())
    return [Gateway(_name(own, stations), own, _means(own)) for own in known.values()]


def _means(sources: Sequence[Source]) -> list[Means]:
    return [means(source.records) for source in sources]


def _name(sources: Sequence[Source], stations: Mapping[str, int]) -> str:
    """A station's name; two gateways of one station are distinguished by their runs."""
    name = sources[0].run.station.name
    letters = ", ".join(filter(None, (source.label for source in sources)))
    return f"{name} {letters}" if stations[name] > 1 and letters else name
