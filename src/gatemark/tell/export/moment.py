# SPDX-License-Identifier: Apache-2.0
"""Times of a run and of its trials as times, for formats that have such a type."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from gatemark.tell.export.column import Cell, Column

NAMES: Final = ("started",)


def timed(columns: Sequence[Column]) -> list[Column]:
    """The columns with their times as such, in UTC; what is no time is empty."""
    return [
        replace(column, kind=datetime, cells=[moment(cell) for cell in column.cells])
        if column.name in NAMES
        else column
        for column in columns
    ]


def moment(text: Cell) -> datetime | None:
    """A time of ISO 8601; without an offset it is in UTC."""
    with suppress(ValueError):
        time = datetime.fromisoformat(str(text))
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    return None
