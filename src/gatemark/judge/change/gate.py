# SPDX-License-Identifier: Apache-2.0
"""Gates of a campaign: builds compared block by block, Holm over every gated row.

A block holds every build of a model once, on one station, so a ratio within it is of builds alone.
The test is the exact signed rank over blocks (Wilcoxon 1945), and nothing but it: with n blocks no
p is below 2 ** (1 - n). What was not measured fails no gate: it leaves it undecided.

The p holds for one look, at blocks whose number was fixed before. Who looks at the report after
each block looks many times, and alike builds fail at one of these looks more often than p says. So
a row in time fails no gate before its last block. A count is no test: it fails at once.
"""

from collections.abc import Mapping, Sequence
from math import ceil, expm1, log2
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from gatemark.judge.change.compare import ALPHA, Found, holm, judged, log_ratio, untold
from gatemark.judge.judgement import Change
from gatemark.judge.math import signed
from gatemark.judge.math.interval import Interval

Passing = Literal["passed", "failed", "undecided"]
PASSES: Final = ("no change", "within noise", "faster")
NOT_MEASURED: Final = "not measured"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity at one point of a suite on a model: a value of each build in each block."""

    model: str
    suite: str
    what: str  # the point and quantity in words
    quantity: str
    unit: str
    higher_is_better: bool
    values: Mapping[str, Mapping[int, float]]  # build -> block -> value
    bounded: frozenset[str] = frozenset()  # builds whose values claim nothing
    exact: bool = False  # in instructions


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A gate at one row."""

    row: Row
    build: str
    against: str
    allow: float  # a change up to this ratio passes
    undecided: Literal["fail", "pass"] = "fail"
    final: bool = True  # no block of its model and suite is open: it gets no more values


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """The decision on a claim."""

    claim: Claim
    change: Change | None  # None: no block has both builds
    verdict: str  # that of `ab`, or NOT_MEASURED
    passing: Passing


def needed(rows: int) -> int:
    """The fewest blocks with which a gate among so many rows can fire."""
    return 1 + ceil(log2(max(1, rows) / ALPHA))


def least_p(blocks: int) -> float:
    """The smallest p that so many blocks can have."""
    return min(1.0, 2.0 ** (1 - blocks))


def decide(claims: Sequence[Claim]) -> list[Decided]:
    """Every claim, in order. Holm's family is all timed ones of the campaign, measured or not."""
    changes = [_change(claim) for claim in claims]
    interim = _adjusted(claims, changes)
    # Holm spares a row where others have a smaller p. An open row may lose its own, so it counts as
    # not measured for those that are final: later it makes none of their verdicts go.
    closed = [
        change if claim.final else None for claim, change in zip(claims, changes, strict=True)
    ]
    final = _adjusted(claims, closed)
    return [
        _decided(claim, last if claim.final else so_far)
        for claim, last, so_far in zip(claims, final, interim, strict=True)
    ]


def _adjusted(claims: Sequence[Claim], changes: Sequence[Change | None]) -> list[Change | None]:
    """The changes with their verdicts in the family; None: not measured."""
    adjusted = list(changes)
    timed = [at for at, claim in enumerate(claims) if not claim.row.exact]
    missing = sum(changes[at] is None for at in timed)
    known = [(at, change) for at in timed if (change := changes[at])]
    # A row that is not measured yet counts as one of p = 1: later it makes no verdict come or go.
    blank = [_nothing() for _ in range(missing)]
    family = holm([change for _, change in known] + blank)[: len(known)]
    for (at, _), change in zip(known, family, strict=True):
        adjusted[at] = change
    return adjusted


def ratios(row: Row, build: str, against: str) -> list[float]:
    """Return the ratio of each block that has both, as logarithms, in the order of the blocks."""
    old, new = row.values.get(against, {}), row.values.get(build, {})
    return [log_ratio(old[block], new[block]) for block in sorted(old.keys() & new.keys())]


def middle(row: Row, build: str, against: str) -> Interval | None:
    """build / against - 1 with its interval; None where no block has both."""
    logs = ratios(row, build, against)
    if not logs:
        return None
    shift = signed.middle(logs)
    return replace(shift, value=expm1(shift.value), lo=expm1(shift.lo), hi=expm1(shift.hi))


def _change(claim: Claim) -> Change | None:
    row = claim.row
    interval = middle(row, claim.build, claim.against)
    if interval is None:
        return None
    p = 0.0 if row.exact else signed.p_value(ratios(row, claim.build, claim.against))
    search = Found(interval, p, p, paired=True)
    change = judged(search, claim.allow, higher_is_better=row.higher_is_better)
    if {claim.build, claim.against} & row.bounded:
        return untold(change)
    if row.exact:
        return replace(change, verdict=_exactly(row, interval.value, claim.allow))
    return change


def _exactly(
    row: Row, ratio: float, allow: float
) -> Literal["no change", "within noise", "faster", "slower"]:
    """Return the verdict on numbers of instructions, which have no noise."""
    if abs(ratio) <= allow:
        return "within noise" if ratio else "no change"
    return "faster" if (ratio > 0) == row.higher_is_better else "slower"


def _nothing() -> Change:
    interval = Interval(0.0, 0.0, 0.0, 0, 0.0)
    return Change(
        change=interval, p=1.0, mde=0.0, noise=0.0, verdict="inconclusive", tail=1.0, paired=True
    )


def _decided(claim: Claim, change: Change | None) -> Decided:
    verdict = change.verdict if change else NOT_MEASURED
    passing: Passing = "passed" if verdict in PASSES else "undecided"
    if verdict == "slower" and (claim.final or claim.row.exact):
        passing = "failed"
    return Decided(claim=claim, change=change, verdict=verdict, passing=passing)
