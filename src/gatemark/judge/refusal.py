# SPDX-License-Identifier: Apache-2.0
"""The arms that were skipped, in whole or in part, and why."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from gatemark.error import NOT_HERE
from gatemark.judge.judgement import Refusal
from gatemark.plan.model import Plan
from gatemark.store.record import Record


class Skipped(NamedTuple):
    """A trial, and why it is skipped; "": it is not."""

    plan: str
    arm: str
    reason: str


def refusals(trials: Iterable[Skipped], plans: Iterable[Plan]) -> tuple[Refusal, ...]:
    """Count the skipped trials of each arm by their reason, in the order of the plans."""
    every = list(trials)
    of = Counter((trial.plan, trial.arm) for trial in every)
    arms = [(plan.name, arm.name or arm.setup) for plan in plans for arm in plan.arm]
    places = {arm: place for place, arm in enumerate(arms)}
    counts = Counter(trial for trial in every if trial.reason)
    ordered = sorted(counts, key=lambda trial: places.get((trial.plan, trial.arm), len(arms)))
    return tuple(
        Refusal(
            plan=trial.plan,
            arm=trial.arm,
            reason=trial.reason,
            trials=counts[trial],
            of=of[trial.plan, trial.arm],
        )
        for trial in ordered
    )


def skipped(record: Record) -> Skipped:
    """Return what a record says of its trial."""
    is_skipped = record.status == "skipped"
    reason = cause(record.reason, record.definition.features) if is_skipped else ""
    return Skipped(record.plan, record.arm, reason)


def cause(reason: str, features: Collection[str]) -> str:
    """A reason without the words before it: that of a search, and the feature that is refused.

    So arms that lack the same have the same reason.
    """
    text = reason
    for word in (NOT_HERE, *(f"{feature}: " for feature in features)):
        text = text.rpartition(word)[2]
    return text.rstrip(".") or "no reason given"
