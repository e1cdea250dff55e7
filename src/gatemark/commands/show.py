# SPDX-License-Identifier: Apache-2.0
"""`gatemark show`: the answer of a run, each of its values as data, or one row to paste."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.console import output
from gatemark.commands.diff import REGRESSION
from gatemark.commands.option.line import line_rates
from gatemark.commands.runs import answer, locate, reading

if TYPE_CHECKING:
    from gatemark.judge.judgement import Judgement
    from gatemark.store.contents import Contents
    from gatemark.tell.group.source import Source
    from gatemark.tell.transcript import Transcript

REFERENCE_HELP = "Published values of other devices beside these."
SUBSYSTEMS_HELP = "Your own names of the kernel's parts, for paths (docs/kernel-path.md)."
ALL_HELP = "Every table and warning."
LINE_HELP = "Say whether it is enough for this line, in Mbit/s: 1000/500."
ROW_HELP = "One row of a Markdown table, to paste into a wiki or forum."


def show(
    run: Annotated[Path | None, typer.Argument(metavar="RUN", help=locate.RUN_HELP)] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object for each value.")] = False,
    reference: Annotated[bool, typer.Option("--reference", help=REFERENCE_HELP)] = False,
    row: Annotated[bool, typer.Option("--row", help=ROW_HELP)] = False,
    all_: Annotated[bool, typer.Option("--all", help=ALL_HELP)] = False,
    line: Annotated[str, typer.Option(metavar="DOWN/UP", help=LINE_HELP)] = "",
    header: Annotated[bool, typer.Option("--header", help="The table's head above --row.")] = False,
    subsystems: Annotated[Path | None, typer.Option(metavar="FILE", help=SUBSYSTEMS_HELP)] = None,
) -> None:
    """Show what a run found.

    Exit code 3 if it missed an expectation of its plan.
    """
    path = locate.newest([run] if run else None)[0]
    if reference or row:
        from gatemark.tell.transcript import is_missed

        source = _judged(path, line, subsystems)
        if reference:
            _beside(source.judgement, json_=json_)
        else:
            _row(source, header=header)
        missed = is_missed(source)
    else:
        made = _asked(path, line, subsystems) if line or subsystems else answer.of_run(path)
        answer.tell(made, json_=json_, whole=all_)
        missed = made.missed
    if missed:
        raise typer.Exit(REGRESSION)


def _asked(path: Path, line: str, subsystems: Path | None) -> "Transcript":
    """The answer of a run, made for what was asked besides."""
    from gatemark.tell.transcript import transcript

    return transcript(_judged(path, line, subsystems), answer.page(path))


def _judged(path: Path, line: str, subsystems: Path | None) -> "Source":
    """A run, judged for what was asked besides."""
    from gatemark.store.naming import read
    from gatemark.tell.group import source

    contents = reading.read(path)
    if line:
        contents = asked_to_carry(contents, line)
    named = read(subsystems) if subsystems else ()
    return source.judged(contents, path, subsystems=named, drawn=False)


def _row(source: "Source", *, header: bool) -> None:
    """The run as a row of a Markdown table."""
    from gatemark.tell.about import row

    head = [row.head()] if header else []
    output.say("\n".join([*head, row.row(source.run, source.judgement)]))


def _none_alike() -> str:
    """Which suites have published values; each study that is mapped has the name of one."""
    from gatemark.plan.load import suites
    from gatemark.store.reference import published

    studies = {value.study for value in published()}
    names = [name for name in suites() if name in studies]
    return (
        "no published value is like one of this run; these suites have some: "
        f"{', '.join(names)} (`gatemark list {names[0]}`)"
    )


def _beside(judgement: "Judgement", *, json_: bool) -> None:
    """Every published value beside ours; where there is none, that is said on stderr."""
    import msgspec

    from gatemark.judge.change.reference import beside
    from gatemark.store.reference import published
    from gatemark.tell.answer.reference import table
    from gatemark.tell.fact import say
    from gatemark.tell.verb import diff
    from gatemark.tell.words import fold

    pairs = beside(judgement, published())
    if json_:
        differs = ([*map(say.words, pair.differs)] for pair in pairs)
        each = zip(pairs, differs, strict=True)
        output.lines({**msgspec.to_builtins(pair), "differs": words} for pair, words in each)
        return
    if not pairs:
        output.say(_none_alike(), err=True)
        return
    diff.tell(fold.styled(table(pairs), fold.room()))


def asked_to_carry(contents: "Contents", text: str) -> "Contents":
    """The same run, asked for another line. Raises UsageError."""
    from dataclasses import replace

    from msgspec.structs import replace as replace_field

    command = list(contents.run.command)
    if "--line" in command:
        command[command.index("--line") + 1] = text
    run = replace_field(contents.run, line=line_rates(text), command=tuple(command))
    return replace(contents, run=run)
