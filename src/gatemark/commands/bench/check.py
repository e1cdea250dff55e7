# SPDX-License-Identifier: Apache-2.0
"""A station checked, row by row, as `station check` and the interview do it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from gatemark.commands.console import output

if TYPE_CHECKING:
    from gatemark.run.survey import Look, Row


def checked(station: str, show: "Callable[[Row], None]", look: "Look | None" = None) -> bool:
    """Check a station by name or file; returns whether all is sound. Raises GatemarkError.

    `look` is given the station while it is up.
    """
    from functools import partial

    from gatemark.run import stop
    from gatemark.run.survey import survey
    from gatemark.station import lock
    from gatemark.station.load import load
    from gatemark.station.recover import recover

    bench = load(station)
    bench.enter()
    tell = partial(output.say, err=True)
    for line in stop.later(recover):
        tell(line)
    with lock.machine(tell):
        return stop.run(survey(bench, show, look), tell)


def as_json(row: "Row") -> None:
    """A row as data."""
    from dataclasses import asdict

    output.lines([asdict(row)])


def as_line(row: "Row") -> None:
    """Print each row as it is known: the checks last some twenty seconds."""
    output.say(row.line)
