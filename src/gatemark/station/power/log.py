# SPDX-License-Identifier: Apache-2.0
"""A list of times and watts in a CSV file: read off a meter by hand, or written by its program.

time,watts
2026-11-21T14:03:00,4.1
"""

import csv
import time
from datetime import datetime
from pathlib import Path

from gatemark.error import NodeError
from gatemark.station.power.meter import Reading, finite

HEAD = ["time", "watts"]


class Typed:
    """The file, read as a trial ends: rows of this trial that are written later are not in it."""

    name = "csv"

    def __init__(self, path: Path) -> None:
        self.path = path
        self._since_ns = 0
        self._ahead_ns = 0  # of CLOCK_MONOTONIC, which no one sets

    def start(self) -> None:
        """Begin to count rows. Raises NodeError if there is no such file."""
        self._since_ns = time.monotonic_ns()
        self._ahead_ns = _ahead_ns()
        if not self.path.is_file():
            raise NodeError(f"{self.path}: no such file; make one with the line `time,watts`")

    def stop(self) -> list[Reading]:
        """The rows since `start`. Raises NodeError with file and line for one that is wrong.

        And where the clock was set meanwhile: nobody knows which rows were written before that.
        """
        set_s = round((_ahead_ns() - self._ahead_ns) / 1e9)
        if set_s:
            raise NodeError(f"{self.path}: the clock was set by {set_s} s during the trial")
        return [reading for reading in self.readings() if reading[0] >= self._since_ns]

    def readings(self) -> list[Reading]:
        """All rows. A time without a zone is this machine's local time."""
        ahead_ns = _ahead_ns()
        try:
            with self.path.open(newline="", encoding="utf-8") as file:
                rows = csv.reader(file)
                if next(rows, []) != HEAD:
                    raise NodeError(f"{self.path}:1: write `{','.join(HEAD)}`")
                return [self._reading(row, rows.line_num, ahead_ns) for row in rows if row]
        except (OSError, UnicodeDecodeError) as error:
            raise NodeError(f"{self.path}: {error}") from None

    def _reading(self, row: list[str], line: int, ahead_ns: int) -> Reading:
        try:
            at, watts = row
            at_ns = round(datetime.fromisoformat(at).timestamp() * 1e9) - ahead_ns
            return at_ns, finite(float(watts))
        except ValueError:
            raise NodeError(
                f"{self.path}:{line}: write a time and watts: 2026-11-21T14:03:00,4.1"
            ) from None


def _ahead_ns() -> int:
    """Return the time by which the clock of the rows is ahead of the trial's, ns."""
    return time.time_ns() - time.monotonic_ns()
