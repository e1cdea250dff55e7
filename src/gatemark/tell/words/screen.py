# SPDX-License-Identifier: Apache-2.0
"""Lines of an answer on stdout: in their style on a terminal, plain in a pipe.

A table stays one until here, since it becomes as wide as the terminal.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, TextIO

from gatemark.printable import printable

if TYPE_CHECKING:
    from gatemark.tell.words.table import Table

Line = tuple[str, str]  # style, text
STYLES: Final[dict[str, dict[str, Any]]] = {
    "bold": {"bold": True},
    "dim": {"dim": True},
    **{colour: {"fg": colour} for colour in ("cyan", "green", "red", "yellow")},
}


def tell(lines: "Iterable[Line | Table]", stream: TextIO | None = None) -> None:
    """Print on stdout (or `stream`); styles only on a terminal without NO_COLOR."""
    from typer import echo, style

    screen = stream or sys.stdout  # none where it was closed: `>&-`
    styled = screen and screen.isatty() and os.environ.get("TERM") != "dumb"
    styled = styled and not os.environ.get("NO_COLOR")
    for name, text in folded(lines):
        shown = printable(text)
        echo(style(shown, **STYLES.get(name, {})) if styled and name else shown, file=stream)


def folded(lines: "Iterable[Line | Table]") -> Iterator[Line]:
    """The same with each table in lines, as wide as stdout's terminal."""
    for line in lines:
        if isinstance(line, tuple):
            yield line
        else:
            from gatemark.tell.words import fold  # here: most answers have their lines already

            yield from fold.styled(line, fold.room())
