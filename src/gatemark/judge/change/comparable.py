# SPDX-License-Identifier: Apache-2.0
"""Which values of several runs have like definitions, and by what the others differ."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import msgspec

from gatemark.judge.change.sampled import ASKED, Sampled
from gatemark.store.record import Definition

FIELDS = (*Definition.__struct_fields__, *ASKED)  # what a definition and a workload tell
Row = tuple[Sampled | None, ...]  # one place a run; None: that run has nothing like it


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which two values, or two runs, differ."""

    field: str
    old: object
    new: object

    def __str__(self) -> str:
        return f"{self.field} {in_words(self.old)} against {in_words(self.new)}"


def in_words(value: object) -> str:
    """A field's value in print; none is a dash."""
    if isinstance(value, tuple | list):
        return " + ".join(map(str, value)) or "none"
    return "none" if value is None or value == "" else str(value)


def fields(row: Sampled) -> dict[str, object]:
    """All that must agree for two values to be alike, beside their quantity."""
    return {**msgspec.structs.asdict(row.definition), **row.asked}


def differing(old: Sampled, new: Sampled) -> list[Difference]:
    """The fields in which two values differ; a knee has no rate, so the rate is none of them."""
    first, second = fields(old), fields(new)
    names = [name for name in FIELDS if name in first and name in second]
    return [Difference(n, first[n], second[n]) for n in names if first[n] != second[n]]


def nearest(old: Iterable[Sampled], new: Sequence[Sampled]) -> list[Difference]:
    """Return how the two most similar values of one quantity differ; empty if none share one."""
    pairs = (differing(a, b) for a in old for b in new if a.quantity == b.quantity)
    return min(pairs, key=len, default=[])


def aligned(runs: Sequence[Sequence[Sampled]], across: Collection[str] = ()) -> list[Row]:
    """One row for each definition, in the order of the first run that has it.

    Definitions may differ in the fields `across`; where a run then has several that would do, each
    goes to the one that it is like in all fields, and the others in the order of their run. The
    names of plans and arms need not agree.
    """
    groups: dict[tuple[object, ...], list[list[Sampled]]] = {}
    for place, run in enumerate(runs):
        for row in run:
            groups.setdefault(_key(row, across), [[] for _ in runs])[place].append(row)
    return [row for members in groups.values() for row in _rows(members)]


def _key(row: Sampled, across: Collection[str]) -> tuple[object, ...]:
    kept = ((name, value) for name, value in fields(row).items() if name not in across)
    return row.quantity, *kept


def _rows(members: Sequence[list[Sampled]]) -> list[Row]:
    """First what is alike in all fields, then whatever is left."""
    rows: list[list[Sampled | None]] = []
    for lead in list(members[0]):
        exact = [_exact(lead, others) for others in members[1:]]
        if any(exact):
            rows.append([lead, *exact])
            for place, taken in enumerate(rows[-1]):
                if taken:
                    members[place].remove(taken)
    for row in rows:
        _fill(row, members)
    while any(members):
        rows.append([None] * len(members))
        _fill(rows[-1], members)
    return [tuple(row) for row in rows]


def _fill(row: list[Sampled | None], members: Sequence[list[Sampled]]) -> None:
    for place, left in enumerate(members):
        if row[place] is None and left:
            row[place] = left.pop(0)


def _exact(lead: Sampled, others: Sequence[Sampled]) -> Sampled | None:
    """The like value of the plan of the same name, else of any."""
    sampleds = [row for row in others if not differing(lead, row)]
    return min(sampleds, key=lambda row: (row.plan != lead.plan, row.arm != lead.arm), default=None)
