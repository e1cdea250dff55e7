# SPDX-License-Identifier: Apache-2.0
"""The whole parts of a run on disk; of what is not whole, a plain sentence each."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.store.record import Record
from gatemark.store.run import Run
from gatemark.store.trials import NAME, Trials

MOST: Final = 10  # faults of one kind that are told one by one


@dataclass(frozen=True, slots=True)
class Contents:
    """A run as far as it is whole."""

    run: Run
    records: list[Record]  # in the order of their writing, each trial once
    faults: tuple[str, ...]  # what is not whole, a sentence each
    is_going: bool  # somebody measures it just now


def faults(
    run: Run, trials: Trials | None, series: Collection[str], *, is_going: bool
) -> tuple[str, ...]:
    """Return the faults. `trials` is None without a trials.jsonl; `series` are files."""
    if trials is None:
        # A run that was cut before its first trial ended has none, and lacks nothing.
        lost = not is_going and (run.finished or series)
        return (f"{NAME} is missing: no trial of this run is left",) if lost else ()
    return (*_unread(run, trials, is_going=is_going), *_few(trials.twice), *_series(trials, series))


def _unread(run: Run, trials: Trials, *, is_going: bool) -> Iterator[str]:
    """Lines without a record, and what follows from it."""
    kept = {record.trial for record in trials.records}
    is_missed = any(spec.trial not in kept for spec in run.trials)
    then = "its trial counts as not measured" if is_missed else "no planned trial is missing"
    yield from _few([f"{fault}: {then}" for fault in trials.unread])
    for schema, lines in trials.newer.items():
        count = "1 line" if lines == 1 else f"{lines} lines"
        yield f"{count} of {NAME} with the newer schema {schema} cannot be read: update gatemark"
    if trials.is_cut and not is_going:
        yield f"the last line of {NAME} was cut: {then}"


def _series(trials: Trials, kept: Collection[str]) -> Iterator[str]:
    lost = [name for record in trials.records if (name := record.series) and name not in kept]
    if lost:
        more = f" and {len(lost) - 1} more files are" if len(lost) > 1 else " is"
        yield f"series/{lost[0]}{more} missing: values are whole, what was seen over time is lost"


def _few(faults: Sequence[str]) -> Iterator[str]:
    yield from faults[:MOST]
    if len(faults) > MOST:
        yield f"the same is so of {len(faults) - MOST} more lines of {NAME}"
