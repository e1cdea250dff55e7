# SPDX-License-Identifier: Apache-2.0
"""Markdown to paste into an issue or a wiki: the answer, its conditions and its tables."""

import re
from collections.abc import Iterable, Iterator, Sequence

from gatemark.report.answer import condition, warning
from gatemark.report.answer.answers import ANSWERS
from gatemark.report.group.source import Source
from gatemark.report.words.run import repeat_command
from gatemark.report.words.table import Table


def export(sources: Sequence[Source]) -> bytes:
    """One section for each run."""
    return "\n".join(line for source in sources for line in _lines(source)).encode()


def _lines(source: Source) -> Iterator[str]:
    run, judgement = source.run, source.judgement
    yield from (f"## {_text(run.title)}", "")
    yield from (f"**{_text(judgement.sentence)}**", "")
    facts = condition.conditions(run, source.records, judgement)
    faults = [("Not whole", list(source.faults))] if source.faults else []
    for name, texts in [("Run", [f"{source.label}, {run.started}"]), *facts, *faults]:
        yield from _facts(name, texts)
    for warned, where in warning.warnings(judgement):
        place = f", {where}" if where else ""
        yield from _facts(f"Warning {warned.code}{place}", [warned.text])
    yield ""
    for answer in ANSWERS:
        for _, made in answer.tables(source):
            yield from table(made) if made.rows else ()
        for heading, lines in answer.texts(source):
            yield from (f"**{_text(heading)}**", "", *_fenced("text", lines), "")
    yield from ("Repeat it:", "", *_fenced("sh", [repeat_command(run)]), "")


def _fenced(kind: str, lines: Sequence[str]) -> Iterator[str]:
    """Lines as they are, between fences that none of them can be (CommonMark 0.31, 4.5)."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"{fence}{kind}", *lines, fence)


def _facts(name: str, texts: Sequence[str]) -> Iterator[str]:
    """One fact beside its name, several below it."""
    if len(texts) == 1:
        yield f"- {_text(name)}: {_text(texts[0])}"
        return
    yield f"- {_text(name)}:"
    yield from (f"  - {_text(fact)}" for fact in texts)


def table(made: Table) -> Iterator[str]:
    """A table with its caption."""
    rule = ("---:" if place in made.numeric else "---" for place in range(len(made.head)))
    yield from (f"**{_text(made.caption)}**", "")
    yield _row(map(_text, made.head))
    yield _row(rule)
    yield from (_row(map(_text, row)) for row in made.rows)
    yield ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text(words: str) -> str:
    """Words that stay words: on one line, nothing of them a mark."""
    return re.sub(r"([\\`*\[\]<|])", r"\\\1", " ".join(words.split()))
