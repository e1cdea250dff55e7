# SPDX-License-Identifier: Apache-2.0
"""Data on stdout: one JSON object a line with --json, else aligned columns."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap

import typer

from gatemark.error import UsageError
from gatemark.printable import json_safe, printable

NARROWEST = 20  # characters: a last column is not wrapped to fewer


def say(text: object = "", *, err: bool = False) -> None:
    """A line on stdout, or on stderr; all that verbs print goes this way."""
    typer.echo(printable(str(text)), err=err)


def anew(text: str, *, last: bool) -> None:
    """A line on a terminal's stderr, over the one before; the last one stays."""
    typer.echo(f"\r\x1b[K{printable(text)}", err=True, nl=last)


def lines(rows: Iterable[Mapping[str, object]], *, err: bool = False) -> None:
    """One JSON object a line."""
    for row in rows:
        typer.echo(json_safe(json.dumps(row, ensure_ascii=False)), err=err)


def columns(rows: Sequence[Sequence[str]]) -> None:
    """Rows as aligned columns; a terminal has the last one wrapped, a pipe has a line for a row."""
    if not rows:
        return
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]) - 1)]
    before = sum(widths) + 2 * len(widths)
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        first, *rest = _wrapped(row[-1], before) or [""]
        say("  ".join([*cells, first]).rstrip())
        for line in rest:
            say(f"{'':{before}}{line}")


def prose(*paragraphs: str) -> None:
    """Text, wrapped where a terminal reads it."""
    for paragraph in paragraphs:
        say("\n".join(_wrapped(printable(paragraph), 0)))


def _wrapped(text: str, before: int) -> list[str]:
    room = get_terminal_size().columns - before
    terminal = sys.stdout and sys.stdout.isatty()  # none where it was closed: `>&-`
    return wrap(text, room, break_on_hyphens=False) if terminal and room >= NARROWEST else [text]


def place(path: Path | None) -> None:
    """UsageError where a file could not be written at the end: its folder is not there."""
    if path and not path.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}: make it, or name another file")


def write(path: Path, data: bytes) -> None:
    """A file, whole or not at all."""
    from gatemark.store import file
    from gatemark.store.directory import telling

    with telling(path):
        file.write(path, data)
