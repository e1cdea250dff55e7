# SPDX-License-Identifier: Apache-2.0
"""Faults of a gateway's delegated prefix: it is not in use, or its renewals are lost."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from gatemark.judge.fact import fact
from gatemark.judge.finding import Finding
from gatemark.judge.point.group import Group, middle, readings
from gatemark.judge.point.kind import by_share
from gatemark.kind.delegation.plan import KIND as RULES
from gatemark.store.record import Record

HELD: Final = 0.99  # of the questions: one of a hundred may be lost by a loaded port


def find(groups: Sequence[Group]) -> Iterator[Finding]:
    """Name a prefix that does not answer, and renewals that half of the trials lose."""
    for group in groups:
        held = middle(readings(group.outside, "pd_held"))
        if held is not None and held < HELD:
            gap_ns = middle(readings(group.outside, "pd_gap_ns")) or 0.0
            seen = fact("pd.gone", share=1 - held, ns=gap_ns)
            yield Finding(shape="prefix-gone", fact=seen, values={"share": 1 - held})
        shown = [trial for trial in group.outside if _count(trial, "renewals lost")]
        if shown and 2 * len(shown) >= len(group.outside):
            yield _lost(shown)


def _lost(shown: Sequence[Record]) -> Finding:
    count = sum(_count(trial, "renewals lost") for trial in shown)
    of = sum(_count(trial, "renewals") for trial in shown)
    worst = max(shown, key=lambda trial: _count(trial, "renewals lost"))
    how = str(worst.evidence.service.get("renewals lost, how", ""))
    return Finding(
        shape="prefix-not-renewed",
        fact=fact("pd.lost", count=float(count), of=float(of), how=fact(f"pd.{how}")),
        values={"share": count / max(1, of)},
    )


def _count(trial: Record, name: str) -> int:
    return int(trial.evidence.service.get(name, 0) or 0)


KIND: Final = replace(by_share(RULES), find=find)
