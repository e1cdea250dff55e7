# SPDX-License-Identifier: Apache-2.0
"""`gatemark explain`: a word of an answer: its formula, what can fool you, its trials."""

from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Final

import typer

from gatemark.commands.console import output

if TYPE_CHECKING:
    from gatemark.tell.explain.entry import Entry
    from gatemark.tell.explain.sample import Sample
    from gatemark.tell.explain.text import Behind

WIDEST: Final = 100  # characters: a longer line is hard to read
LEAD: Final = 12  # characters in front of a paragraph
WORD_HELP: Final = "A quantity, warning, verdict or another term; or a page: docs/stations.md."


def explain(
    word: Annotated[
        str,
        typer.Argument(metavar="WORD", help=WORD_HELP),
    ] = "",
    json_: Annotated[bool, typer.Option("--json", help="One JSON object for each word.")] = False,
    all_: Annotated[bool, typer.Option("--all", help="Every point, and the whole page.")] = False,
) -> None:
    """Explain a word of an answer, with the trials behind it.

    How it is made, what can fool you, what the newest run measured of it, what to type. Without a
    word it lists all of them.
    """
    from gatemark.tell.explain import text
    from gatemark.tell.explain.entry import entries, find, guide

    if not word:
        _list(entries(), json_=json_)
        return
    if page := guide(word):
        output.lines([{"word": word, "text": page}]) if json_ else output.say(text.unlinked(page))
        return
    entry = find(word)
    behind = _behind(entry, word, None if all_ or json_ else text.FEW)
    if json_:
        output.lines([text.data(entry, behind)])
        return
    output.say(text.head(entry))
    for heading, paragraph in text.lines(entry, behind, whole=all_):
        _say(heading, paragraph)
    if all_:
        output.say(f"\n{text.unlinked(entry.text)}")


def _list(entries: "tuple[Entry, ...]", *, json_: bool) -> None:
    """Every word, by kind, and every page."""
    from itertools import groupby

    from gatemark.tell.explain.entry import guides

    if json_:
        output.lines({"word": e.word, "kind": e.kind, "title": e.title} for e in entries)
        return
    for kind, own in groupby(entries, key=lambda entry: entry.kind):
        _say(kind, ", ".join(entry.word for entry in own))
    _say("page", ", ".join(guides()))


def _behind(entry: "Entry", word: str, most: int | None) -> "Behind":
    """Return what the newest run has of a word, at the first `most` points."""
    from gatemark.commands.runs.locate import measured
    from gatemark.tell.explain.entry import TERM
    from gatemark.tell.explain.text import Behind

    runs = () if entry.kind == TERM else measured()
    if not runs:
        return Behind("")
    path = runs[0].path
    if entry.kind == "quantity":
        return _measured(path, entry, word)
    return Behind(path.name, *_judged(path, entry, most))


def _measured(path: Path, entry: "Entry", word: str) -> "Behind":
    """Read a quantity from the trials: the run need not be judged, which takes long."""
    from gatemark.store.catalog import outcomes
    from gatemark.tell.explain.sample import measured, points
    from gatemark.tell.explain.text import Behind

    asked = {word.rpartition(".")[2], word.replace(".", "")}  # `up.mos`, `p99.9`
    quantities = [key for key in entry.listed("keys") if asked & {key, *key.split("_")}]
    try:
        trials = points(outcomes(path))
        quantity, samples = measured(trials, quantities + entry.measured, entry.listed("at"))
    except FileNotFoundError:  # no trial has ended yet
        return Behind(path.name)
    return Behind(path.name, quantity, len(samples), samples)


def _judged(path: Path, entry: "Entry", most: int | None) -> "tuple[str, int, list[Sample]]":
    from gatemark.commands.runs import reading
    from gatemark.tell.explain.place import behind
    from gatemark.tell.explain.sample import points
    from gatemark.tell.group import source

    judged = source.judged(reading.read(path), path, drawn=False)
    return behind(judged.judgement, points(judged.records), entry, most)


def _say(heading: str, paragraph: str) -> None:
    """A paragraph beside its heading, wrapped; what is indented in it stays so."""
    room = min(WIDEST, get_terminal_size().columns) - LEAD
    indent = " " * (len(paragraph) - len(paragraph.lstrip()) + 2)
    lines = wrap(paragraph, room, subsequent_indent=indent, break_on_hyphens=False)
    for at, line in enumerate(lines):
        output.say(f"{'' if at else heading:{LEAD}}{line}".rstrip())
