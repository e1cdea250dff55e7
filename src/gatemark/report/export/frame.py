# SPDX-License-Identifier: Apache-2.0
"""Columns as a data frame of pandas or, where that is not installed, of Polars."""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gatemark.error import UnavailableError
from gatemark.report.export.column import Column
from gatemark.report.export.moment import timed


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
