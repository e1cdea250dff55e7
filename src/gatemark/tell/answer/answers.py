# SPDX-License-Identifier: Apache-2.0
"""The answers of a run: one list, which terminal, page and Markdown print.

A new kind of answer is a module of this folder and a line here. A kind of workload brings its own
(kind/NAME/answer.py).
"""

from collections.abc import Iterable, Iterator
from typing import Final

from gatemark.judge.point.load import loads, rates_at
from gatemark.kind.kinds import entries
from gatemark.store.reference import published
from gatemark.tell.answer import (
    capacity,
    crosscheck,
    diagnosis,
    estimate,
    exact,
    expect,
    flow,
    kernel_path,
    ladder,
    listed,
    load,
    pareto,
    payload,
    priced,
    queue,
    rates,
    reference,
    search,
    sized,
    trials,
    verdict,
    watched,
)
from gatemark.tell.answer.answer import Answer, Tables
from gatemark.tell.group.source import Source
from gatemark.tell.words.table import Table


def _numbered(name: str, tables: Iterable[Table]) -> Tables:
    return [(f"{name}-{place}", table) for place, table in enumerate(tables)]


def _payloads(source: Source, *, side_by_side: bool) -> Tables:
    """The tables of several arms, or those of one."""
    made = _numbered("payload", payload.tables(source))
    return [(name, table) for name, table in made if (len(table.head) > 2) == side_by_side]


def _estimates(source: Source) -> Tables:
    table = estimate.table(source.judgement, published(), estimate.kernels(source))
    return [(estimate.ANCHOR, table)]


def _capacity(source: Source) -> Tables:
    """What a packet costs, and how that sum was tested."""
    if not source.model:
        return []
    return [("costs", capacity.terms(source.model)), ("checks", capacity.checks(source.model))]


def _paths(source: Source) -> Tables:
    judgement = source.judgement
    return [
        ("paths", kernel_path.summary(judgement)),
        *_numbered("subsystems", kernel_path.by_subsystem(judgement)),
        *_numbered("more", kernel_path.more(judgement)),
    ]


# In the order in which they are printed.
ANSWERS: Final = (
    Answer(lambda s: [(expect.ANCHOR, expect.table(s.parts or [s]))]),
    Answer(lambda s: [(diagnosis.ANCHOR, diagnosis.table(s.judgement.diagnoses))]),
    Answer(verdict.tables),
    Answer(lambda s: search.tables(s.judgement)),
    Answer(lambda s: [("shapers", search.shaped(s.judgement))]),
    Answer(lambda s: [("watched", watched.table(s.judgement))]),
    Answer(lambda s: [("knees", rates.knees(s.judgement))], folded=True),
    Answer(lambda s: [(flow.ANCHOR, flow.table(s))]),
    Answer(lambda s: [("delays", rates.delays(s))]),
    Answer(lambda s: queue.tables(s.judgement)),
    Answer(lambda s: queue.folded(s.judgement), folded=True),
    Answer(lambda s: _numbered("steps", ladder.tables(s.judgement))),
    Answer(lambda s: _numbered("instructions", exact.tables(s.judgement))),
    Answer(lambda s: _numbered("fronts", pareto.tables(s.judgement))),
    Answer(_paths, texts=kernel_path.trees),
    Answer(_estimates),
    Answer(lambda s: [("priced", priced.table(s.parts or [s]))]),
    Answer(lambda s: _payloads(s, side_by_side=True)),
    Answer(lambda s: _payloads(s, side_by_side=False), folded=True),
    Answer(lambda s: [("single-points", rates.singles(s.judgement, s.run.plans))], folded=True),
    *entries("answer", Answer).values(),
    *listed.answers(),
    Answer(lambda s: [("comparisons", payload.comparisons(s.judgement))]),
    Answer(lambda s: [("rates-at-load", load.rates(rates_at(s.groups)))]),
    Answer(lambda s: [("loads", load.loads(loads(s.groups)))], folded=True),
    Answer(lambda s: [("memory-left", trials.memory(s.groups))], folded=True),
    Answer(_capacity, folded=True),
    Answer(lambda s: sized.tables(s.groups), folded=True),
    Answer(lambda s: [("interrupts", trials.interrupts(s.records))], folded=True),
    Answer(lambda s: [("drops", trials.drops(s.records))], folded=True),
    Answer(lambda s: [("packets", trials.kept(s.records))]),
    Answer(lambda s: [("cross-checks", crosscheck.table(s.judgement))]),
    Answer(lambda s: [("ceilings", rates.ceilings(s.judgement))], folded=True),
    Answer(
        lambda s: [("published", reference.table(s.beside))],
        most=reference.MOST,
        option="--reference",
    ),
)


def tables(source: Source, *, folded: bool | None = None) -> Iterator[tuple[str, Table]]:
    """Every table with its anchor; those before or behind the page's fold alone, if asked for."""
    for answer in ANSWERS:
        if folded is None or answer.folded == folded:
            yield from ((name, table) for name, table in answer.made(source) if table.rows)
