# SPDX-License-Identifier: Apache-2.0
"""Arms that were not measured, in words."""

from collections.abc import Iterable, Sequence

from gatemark.judge.judgement import Judgement, Refusal
from gatemark.store.run import Run


def not_measured(run: Run, judgement: Judgement) -> list[str]:
    """`Not measured: fq_codel, cake (why)`: a line for each reason."""
    plans = len(run.plans)
    return [f"Not measured: {text}" for text in by_reason(judgement.refusals, plans)]


def by_reason(refusals: Iterable[Refusal], plans: int) -> list[str]:
    """`fq_codel, cake (why)`, each reason once; with more than one of `plans`, in which plan."""
    alike: dict[str, list[Refusal]] = {}
    for refusal in refusals:
        alike.setdefault(refusal.reason, []).append(refusal)
    return [
        f"{', '.join(dict.fromkeys(map(_arm, same)))}{_place(same) if plans > 1 else ''} ({reason})"
        for reason, same in alike.items()
    ]


def _arm(refusal: Refusal) -> str:
    """Its name; `2 of 6 trials of cake` where others of it were measured."""
    if refusal.trials == refusal.of:
        return refusal.arm
    return f"{refusal.trials} of {refusal.of} trials of {refusal.arm}"


def _place(refusals: Sequence[Refusal]) -> str:
    plans = list(dict.fromkeys(refusal.plan for refusal in refusals))
    return f" in {plans[0]}" if len(plans) == 1 else f" in {len(plans)} plans"
