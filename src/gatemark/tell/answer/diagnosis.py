# SPDX-License-Identifier: Apache-2.0
"""What is wrong with each arm, one row each, with what was seen of it."""

from collections.abc import Iterable

from gatemark.judge.finding import Diagnosis
from gatemark.tell.fact import say
from gatemark.tell.words import column, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.shape import NAMES
from gatemark.tell.words.table import Table

ANCHOR = "wrong"
CAPTION = "What is wrong: the shape of what was lost, and what the gateway's counters name"


def table(diagnoses: Iterable[Diagnosis]) -> Table:
    """A row for each shape but overload, which is no fault."""
    return column.table(
        CAPTION,
        [(diagnosis, fault) for diagnosis in diagnoses for fault in diagnosis.wrong],
        Column("setup", lambda row: row[0].setup),
        Column("direction", lambda row: traffic.way(row[0].direction)),
        Column("at", lambda row: traffic.at(row[0])),
        Column("fault", lambda row: NAMES[row[1].shape]),
        Column("what was seen", lambda row: say.words(row[1].fact)),
    )
