# SPDX-License-Identifier: Apache-2.0
"""The terminal: `Live` while a run goes on (stderr), the answer at its end (stdout).

At first the brief one; with `whole` every table, warning and condition.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gatemark.plan.model import Plan
from gatemark.tell.about import condition
from gatemark.tell.answer import line, verdict
from gatemark.tell.answer.answer import Answer
from gatemark.tell.answer.answers import ANSWERS
from gatemark.tell.brief import lines as brief
from gatemark.tell.fact import warned
from gatemark.tell.group.source import Source
from gatemark.tell.live import Live
from gatemark.tell.words import screen
from gatemark.tell.words.refusal import not_measured
from gatemark.tell.words.run import counts, deviations, repeat_command, resume_command
from gatemark.tell.words.screen import Line
from gatemark.tell.words.table import Table

__all__ = ["Live", "answer", "lines"]


def answer(source: Source, page: Path | None, *, whole: bool = False) -> str:
    """The answer as plain text."""
    made = lines(source, page) if whole else brief.lines(source, page)
    return "\n".join(text for _, text in screen.folded(made)) + "\n"


def lines(source: Source, page: Path | None) -> Iterator[Line | Table]:
    """Sentence, conditions, tables, warnings, where it lies, how to repeat it."""
    run, judgement = source.run, source.judgement
    yield "bold", judgement.sentence
    yield from (("yellow", text) for text in not_measured(run, judgement, source.records))
    yield from (("bold", text) for text in verdict.lines(source))
    yield "dim", _conditions(source)
    yield from (("yellow", f"missing  {lack}") for lack in run.station.missing)
    yield from (("yellow", f"trials  {why}") for why in condition.uncounted(source.records))
    yield from (("dim", f"differs  {text}") for text in deviations(run))
    yield from (("bold", text) for text in line.lines(source))
    for kind in ANSWERS:
        yield from _answer(kind, source)
    yield from warned.lines(judgement)
    yield "", ""
    yield "", f"folder  {source.folder}"
    if page is not None:
        yield "", f"page    {page}"
    if judgement.missing:
        yield "", f"resume  {resume_command(source.folder)}"
    yield "", f"repeat  {repeat_command(run)}"


def _conditions(source: Source) -> str:
    station, slowed = source.run.station, _slowed(source.run.plans)
    virtual = "virtual gateway" if station.virtual else "real gateway"
    return "; ".join([f"station {station.name}", virtual, *slowed, counts(source.judgement)])


def _slowed(plans: Sequence[Plan]) -> Iterator[str]:
    """Yield each rate that the gateway is slowed to, with its plans where not all are."""
    rates = {plan.gateway.slow_to_pps for plan in plans}
    for rate in sorted(rates - {0}):
        own = [plan.name for plan in plans if plan.gateway.slow_to_pps == rate]
        of = f"{', '.join(own)} " if len(rates) > 1 else ""
        yield f"{of}slowed to about {rate / 1000:g} k packets/s"


def _answer(kind: Answer, source: Source) -> Iterator[Line | Table]:
    """The tables of one kind, and what it has as text."""
    for _, table in kind.made(source):
        if table.rows:
            yield from _table(kind, table, source)
    for heading, lines in kind.texts(source):
        yield from _block(heading, lines)


def _table(kind: Answer, table: Table, source: Source) -> Iterator[Line | Table]:
    rows = table.rows[: kind.most or None]
    yield replace(table, rows=rows)
    if more := len(table.rows) - len(rows):
        command = shlex.join(("gatemark", "show", str(source.folder), kind.option))
        yield "dim", f"  and {more} more: {command}"


def _block(heading: str, lines: Iterable[str]) -> Iterator[Line]:
    head, *rows = lines
    yield "", ""
    yield "bold", heading
    yield "dim", f"  {head}"
    yield from (("", f"  {row}") for row in rows)
