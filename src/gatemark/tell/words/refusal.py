# SPDX-License-Identifier: Apache-2.0
"""Arms that were not measured, in words."""

from collections.abc import Iterable, Iterator, Sequence

from gatemark.judge.judgement import Judgement, Refusal
from gatemark.store.record import Record
from gatemark.store.run import Run


def not_measured(run: Run, judgement: Judgement, records: Iterable[Record]) -> list[str]:
    """`Not measured: fq_codel, cake (why)`: a line for each reason; arms without a value too."""
    plans = len(run.plans)
    return [
        *(f"Not measured: {text}" for text in by_reason(judgement.refusals, plans)),
        *(f"No valid trial: {text}" for text in by_reason(_without_valid(records), plans)),
    ]


def _without_valid(records: Iterable[Record]) -> Iterator[Refusal]:
    """Yield the arms that ran and have no valid trial, with the reason of the first one."""
    arms: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if record.status != "skipped":
            arms.setdefault((record.plan, record.arm), []).append(record)
    for (plan, arm), ran in arms.items():
        if all(record.status == "invalid" for record in ran):
            count = len(ran)
            yield Refusal(plan=plan, arm=arm, reason=ran[0].reason, trials=count, of=count)


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
