# SPDX-License-Identifier: Apache-2.0
"""Data on stdout: one JSON object a line with --json, else aligned columns."""

import json
from collections.abc import Iterable, Mapping, Sequence

import typer


def lines(rows: Iterable[Mapping[str, object]]) -> None:
    """One JSON object a line."""
    for row in rows:
        typer.echo(json.dumps(row, ensure_ascii=False))


def columns(rows: Sequence[Sequence[str]]) -> None:
    """Rows as aligned columns; the last column is as long as it is."""
    if not rows:
        return
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]) - 1)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        typer.echo("  ".join([*cells, row[-1]]).rstrip())
