# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a run, behind its answer."""

from collections.abc import Collection, Sequence
from typing import Final

from gatemark.judge.finding import Diagnosis, Shape
from gatemark.store.record import REPLAYED, Record
from gatemark.tell.fact import say

TESTERS: Final[tuple[Shape, ...]] = ("tester",)
MOST_WRONG: Final = 3  # shapes of loss that it names
NOTHING: Final = "Nothing came through."


def wrong(diagnoses: Sequence[Diagnosis], but: Collection[Shape] = ()) -> str:
    """What is wrong of the first arms, in short: `route loses 2.0 % at any rate`."""
    first: dict[tuple[str, str], str] = {}  # of a setup the same may be wrong at many points
    for diagnosis in diagnoses:
        for finding in (finding for finding in diagnosis.wrong if finding.shape not in but):
            first.setdefault((diagnosis.setup, finding.shape), say.clause(finding.fact))
    setups: dict[str, dict[str, None]] = {}  # of each clause, in their order
    for (setup, _), clause in first.items():
        setups.setdefault(clause, {})[setup] = None
    texts = [
        f"{'each of ' if len(names) > 1 else ''}{' and '.join(names)} {clause}"
        for clause, names in list(setups.items())[:MOST_WRONG]
    ]
    return "; ".join(texts)


def with_wrong(text: str, faults: str) -> str:
    """The answer, and what is wrong; where nothing came through there is no more to say."""
    if text != NOTHING or not faults:
        return f"{text}{f' But {faults}.' if faults else ''}"
    return f"{faults[:1].upper()}{faults[1:]}."


def replayed(records: Sequence[Record]) -> list[str]:
    """Which share of each capture was replayed, where it was not all of it."""
    notes = (note for record in records for note in record.notes)
    return list(dict.fromkeys(f"{note}." for note in notes if note.startswith(REPLAYED)))
