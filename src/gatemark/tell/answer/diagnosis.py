# SPDX-License-Identifier: Apache-2.0
"""What is wrong with each arm, one row each, with what was seen of it."""

from collections.abc import Iterable

from gatemark.judge.finding import NAMES, Diagnosis
from gatemark.tell.words import traffic
from gatemark.tell.words.table import Table

ANCHOR = "wrong"
CAPTION = "What is wrong: the shape of what was lost, and what the gateway's counters name"
HEAD = ("setup", "direction", "at", "fault", "what was seen")


def table(diagnoses: Iterable[Diagnosis]) -> Table:
    """A row for each shape but overload, which is no fault."""
    rows = tuple(
        (
            diagnosis.setup,
            traffic.way(diagnosis.direction),
            _at(diagnosis),
            NAMES[finding.shape],
            finding.words,
        )
        for diagnosis in diagnoses
        for finding in diagnosis.wrong
    )
    return Table(CAPTION, HEAD, rows, frozenset())


def _at(diagnosis: Diagnosis) -> str:
    """What was sent, with the level of each factor that this does not have."""
    sent = traffic.point_words(diagnosis)
    factors = (traffic.factor(*factor) for factor in diagnosis.point.items())
    return ", ".join((sent, *(words for words in factors if words not in sent)))
