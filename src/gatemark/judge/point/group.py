# SPDX-License-Identifier: Apache-2.0
"""The trials of one point: all its repeats, both passes."""

from collections.abc import Iterable, Sequence
from math import isfinite
from operator import attrgetter
from statistics import median

from gatemark.judge.subject import About, Subject
from gatemark.store.record import Record


class Group(About, frozen=True, kw_only=True):
    """One point of one arm. Invalid and skipped trials are counted and not used."""

    outside: tuple[Record, ...]  # in running order; these give the values
    instrumented: tuple[Record, ...]  # these give evidence only
    reasons: tuple[str, ...] = ()  # of trials that are invalid

    @property
    def invalid(self) -> int:
        """Return how many trials do not count."""
        return len(self.reasons)


def group(records: Iterable[Record]) -> list[Group]:
    """The points of these records, in the order in which they first ran.

    The steps of a search belong to none: what it found has a record of its own. Nor do closer
    looks, whose sizes are no point's, and warm-ups, which are never judged.
    """
    members: dict[tuple[object, ...], list[Record]] = {}
    own = (record for record in records if record.pass_ in ("outside", "instrumented"))
    same: dict[tuple[object, ...], list[Record]] = {}  # by what needs no sorting: most have that
    for record in sorted(own, key=attrgetter("sequence")):
        written = (record.plan, record.arm, *record.point.items())
        if (trials := same.get(written)) is None:
            key = (record.plan, record.arm, *sorted(record.point.items()))
            trials = same[written] = members.setdefault(key, [])
        trials.append(record)
    return [_gather(records) for records in members.values()]


def _gather(records: Sequence[Record]) -> Group:
    valid = [record for record in records if record.status == "ok"]
    first = next(iter(valid), records[0])
    passes: dict[str, list[Record]] = {"outside": [], "instrumented": []}
    for record in valid:
        passes[record.pass_].append(record)
    return Group(
        subject=Subject.of(first),
        outside=tuple(passes["outside"]),
        instrumented=tuple(passes["instrumented"]),
        reasons=tuple(record.reason for record in records if record.status == "invalid"),
    )


def readings(records: Iterable[Record], quantity: str) -> list[float]:
    """The finite values of a quantity; a trial that lacks it is left out."""
    return [
        value
        for record in records
        if (value := record.values.get(quantity)) is not None and isfinite(value)
    ]


def reading(record: Record, quantity: str) -> float | None:
    """The same of one trial."""
    value = record.values.get(quantity)
    return value if value is not None and isfinite(value) else None


def middle(values: Sequence[float]) -> float | None:
    """The median, or None of nothing."""
    return median(values) if values else None
