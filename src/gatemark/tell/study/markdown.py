# SPDX-License-Identifier: Apache-2.0
"""A study beside runs of ours as Markdown: its parts and tables, without figures."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Final

from gatemark.store import file
from gatemark.store.study.outline import Outline
from gatemark.tell.group.source import Source
from gatemark.tell.study.report import Section, parts
from gatemark.tell.words.markdown import fenced, line, table, text
from gatemark.tell.words.run import portable

WIDE: Final = 100  # characters of a line outside tables


def write(outline: Outline, sources: Sequence[Source], path: Path) -> Path:
    """Write the page. Raises OSError."""
    file.write(path, render(outline, sources).encode())
    return path


def render(outline: Outline, sources: Sequence[Source]) -> str:
    """The page as text."""
    page = parts(outline, sources)
    lines = [f"# {text(outline.title)}", "", *_prose(text(page.sentence)), ""]
    for source in page.sources:
        lines += _prose(f"- {text(_run(source))}", "  ")
    lines += ["", *_prose(text(page.others))] if page.others else []
    lines += ["", *(line for section in page.sections for line in _section(section))]
    return "\n".join(lines)


def _run(source: Source) -> str:
    kind = "virtual" if source.run.station.virtual else "device"
    name = f"{source.label}: " if source.label else ""
    missing = source.judgement.missing
    whole = f", stopped: {missing} of its trials were not run" if missing else ""
    return f"{name}{source.run.run}, station {source.run.station.name} ({kind}){whole}"


def _section(section: Section) -> Iterator[str]:
    part = section.part
    yield from (f"## {text(part.number)}: {text(part.title)}", "")
    notes = [f"**The study.** {text(part.says)}"] if part.says else []
    notes += [f"**{section.lacking}** {text(reason)}" for reason in part.cannot]
    if section.absent:
        notes.append(f"No run that was given has {', '.join(section.absent)}.")
    notes += [f"Figure on the page: {text(figure.title)}" for figure in section.figures]
    for note in notes:
        yield from (*_prose(note), "")
    for row in (row for _, own in section.tables for row in table(own)):
        yield from ([row] if row.startswith("|") else _prose(row) or [""])
    if section.differs:
        yield from ("In what published values are not known to be like ours:", "")
        yield from (row for words in section.differs for row in _prose(f"- {text(words)}", "  "))
        yield ""
    if section.commands:
        yield from (*fenced("sh", [portable(command) for command in section.commands]), "")


def _prose(words: str, below: str = "") -> list[str]:
    first, *others = wrap(
        words, WIDE - len(below), break_long_words=False, break_on_hyphens=False
    ) or [""]
    return [first, *(f"{below}{line(other)}" for other in others)] if first else []
