# SPDX-License-Identifier: Apache-2.0
"""CSV as in RFC 4180, safe to open in a spreadsheet."""

import csv
import io
import re
from collections.abc import Sequence
from typing import Final

from gatemark.tell.export.column import Cell, Column

# What a spreadsheet takes for a formula; the last four are the full width forms of the first.
FORMULA: Final = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def export(columns: Sequence[Column]) -> bytes:
    """Head and rows; lines end with CR LF, what is not known is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([_field(column.name) for column in columns])
    for row in zip(*(column.cells for column in columns), strict=True):
        writer.writerow([_field(cell) for cell in row])
    return out.getvalue().encode()


def _field(cell: Cell) -> Cell:
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, str) and FORMULA.match(cell):
        return f"'{cell}"
    return cell
