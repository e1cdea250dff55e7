# SPDX-License-Identifier: Apache-2.0
"""A run for a program in Python: `gatemark.read` returns it."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

from gatemark.error import UnavailableError, UsageError
from gatemark.judge.judgement import Value
from gatemark.judge.values import values
from gatemark.printable import printable
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from gatemark.store.run import Run
from gatemark.tell.brief.lines import lines
from gatemark.tell.export.column import Column
from gatemark.tell.export.form import Rows, table
from gatemark.tell.export.moment import timed
from gatemark.tell.group.source import Source, judged
from gatemark.tell.html import template


@dataclass(frozen=True, slots=True, repr=False)
class Results:
    """What a run's directory holds, and what was judged of it."""

    run: Run  # what was asked, where, in which order
    records: Sequence[Record]  # every trial as it was measured, valid or not
    values: Sequence[Value]  # what `gatemark show --json` prints
    faults: Sequence[str]  # what is not whole in the directory, a sentence each
    source: Source  # all of this as the report has it

    def __repr__(self) -> str:
        """One line: which run, how much it holds, its first sentence."""
        held = f"{len(self.records)} trials, {len(self.values)} values"
        return printable(f"<{self.source.label}: {held}: {self.source.judgement.sentence}>")

    def _repr_html_(self) -> str:
        """The cell of a notebook: the answer as `gatemark show` prints it."""
        return template("cell.html").render(lines=lines(self.source, page=None))

    def frame(self, rows: Rows = "values") -> Any:
        """A data frame of pandas or Polars; its rows are `values`, `points` or `records`.

        The columns are those of `gatemark export`, of `--wide`, of `--raw`. Raises UsageError for
        other rows, UnavailableError where neither library is installed.
        """
        if rows not in get_args(Rows):
            raise UsageError(f"rows={rows!r}: name {', '.join(get_args(Rows))}")
        return frame(table([self.source], rows))


def read(path: Path) -> Results:
    """The run in a directory. Raises GatemarkError where there is none, or none to read."""
    contents = RunDirectory.open(path).contents()
    source = judged(contents, path, contents.run.run or str(path), drawn=False)
    every = values(source.judgement)
    return Results(contents.run, contents.records, every, contents.faults, source)


def frame(columns: Sequence[Column]) -> Any:
    """The data frame; times are in UTC. Raises UnavailableError where neither is installed."""
    typed = timed(columns)
    cells = {column.name: column.cells for column in typed}
    if find_spec("pandas"):
        return import_module("pandas").DataFrame(cells)
    if find_spec("polars"):
        polars = import_module("polars")
        time = polars.Datetime(time_zone="UTC")
        kinds = {bool: polars.Boolean, int: polars.Int64, float: polars.Float64, str: polars.String}
        schema = {column.name: kinds.get(column.kind, time) for column in typed}
        return polars.DataFrame(cells, schema=schema, strict=False)
    raise UnavailableError("a frame needs pandas or Polars: pip install pandas, or polars")
