# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the rows that plans claim."""

from collections.abc import Iterator, Mapping, Sequence

from gatemark.judge.coverage.coverage import UNCLAIMED, unique
from gatemark.judge.coverage.declared import declared
from gatemark.judge.coverage.offer import Offer, joined, lacking, yields_any
from gatemark.plan.model import Plan
from gatemark.store.study.requirement import Requirement


def faults(requirements: Sequence[Requirement], plans: Sequence[Plan]) -> list[str]:
    """Return what is wrong with the claims; `plans` holds the variants of each plan too.

    A row is answered by plans as they are, or by the variant that it names.
    """
    return [
        *_of_plans({row.name for row in requirements}, unique(plans)),
        *(fault for row in requirements for fault in _of_row(row, plans)),
    ]


def _of_plans(known: set[str], plans: Mapping[str, Plan]) -> Iterator[str]:
    for plan in plans.values():
        yield from (f"{plan.name}: no row {row}" for row in plan.rows if row not in known)
        for row in plan.lacks:
            if row not in plan.rows:
                yield f"{plan.name}: lacks {row}, and does not claim it"


def _of_row(row: Requirement, plans: Sequence[Plan]) -> Iterator[str]:
    claiming = [plan for plan in plans if row.name in plan.rows]
    declared_absent = row.need.not_here or row.need.missing
    if claiming and (declared_absent or row.need.every):
        yield f"{row.name}: {claiming[0].name} claims it, and rows.toml says that no plan does"
        return
    if not claiming and not declared_absent and not row.need.every:
        yield f"{row.name}: {UNCLAIMED}, and rows.toml does not say why"
    asked = [plan for plan in claiming if plan.variant == row.need.variant]
    for name in dict.fromkeys(plan.name for plan in claiming):
        offer = joined([declared(plan) for plan in asked if plan.name == name])
        if not yields_any(row.need, offer):
            yield f"{row.name}: {name} claims it and yields no {', '.join(row.need.yields)}"
    yield from _of_suites(row, [plan for plan in asked if row.name not in plan.lacks])


def _of_suites(row: Requirement, whole: Sequence[Plan]) -> Iterator[str]:
    """Plans of one suite answer a row together; one suite is enough."""
    suites: dict[str, list[Offer]] = {}
    for plan in whole:
        suites.setdefault(plan.name.partition("/")[0], []).append(declared(plan))
    absent = {suite: lacking(row.need, joined(offers)) for suite, offers in suites.items()}
    for suite, texts in absent.items():
        if texts:
            yield f"{row.name}: {suite} claims it whole: {', '.join(texts)}"
