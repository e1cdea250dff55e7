# SPDX-License-Identifier: Apache-2.0
"""Markdown to paste into an issue or a wiki: the answer, its conditions and its tables."""

from collections.abc import Iterator, Sequence

from gatemark.tell.about import condition
from gatemark.tell.answer.answers import ANSWERS
from gatemark.tell.fact import warned
from gatemark.tell.group.source import Source
from gatemark.tell.words.markdown import fenced, table, text
from gatemark.tell.words.refusal import not_measured
from gatemark.tell.words.run import repeat_command


def export(sources: Sequence[Source]) -> bytes:
    """One section for each run."""
    return "\n".join(line for source in sources for line in _lines(source)).encode()


def _lines(source: Source) -> Iterator[str]:
    run, judgement = source.run, source.judgement
    yield from (f"## {text(run.title)}", "")
    yield from (f"**{text(judgement.sentence)}**", "")
    for line in not_measured(run, judgement, source.records):
        yield from (text(line), "")
    facts = condition.conditions(run, source.records, judgement)
    faults = [("Not whole", list(source.faults))] if source.faults else []
    for name, texts in [("Run", [f"{source.label}, {run.started}"]), *facts, *faults]:
        yield from _facts(name, texts)
    for each, where in warned.warnings(judgement):
        place = f", {where}" if where else ""
        yield from _facts(f"Warning {each.code}{place}", [warned.text(each)])
    yield ""
    for answer in ANSWERS:
        for _, made in answer.made(source):
            yield from table(made) if made.rows else ()
        for heading, lines in answer.texts(source):
            yield from (f"**{text(heading)}**", "", *fenced("text", lines), "")
    yield from ("Repeat it:", "", *fenced("sh", [repeat_command(run)]), "")


def _facts(name: str, texts: Sequence[str]) -> Iterator[str]:
    """One fact beside its name, several below it."""
    if len(texts) == 1:
        yield f"- {text(name)}: {text(texts[0])}"
        return
    yield f"- {text(name)}:"
    yield from (f"  - {text(fact)}" for fact in texts)
