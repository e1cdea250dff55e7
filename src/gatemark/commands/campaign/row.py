# SPDX-License-Identifier: Apache-2.0
"""Which rows a block will have of each build, before it is measured: those of `answer.readings`."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gatemark.plan.model import Factor, Plan, TrialSpec


def points(plan: "Plan") -> "Iterator[dict[str, Factor]]":
    """The point of each row. The rates of a sweep are one row, its knee, whose point has no rate.

    A search has a row for each goal, and one for each share of what it finds.
    """
    from gatemark.judge.point.sweep import others

    sweeps: dict[tuple[tuple[str, Factor], ...], list[TrialSpec]] = {}
    for spec in _of_one_build(plan):
        sweeps.setdefault(others(spec.point), []).append(spec)
    for shared, specs in sweeps.items():
        yield from [dict(shared)] if _has_knee(plan, specs) else (spec.point for spec in specs)


def _of_one_build(plan: "Plan") -> "Iterator[TrialSpec]":
    """Its first trial of each point."""
    from gatemark.plan.feature import DIRECT
    from gatemark.plan.order import order

    build = next(arm.name for arm in plan.arm if arm.path != DIRECT)
    seen: list[dict[str, Factor]] = []
    for spec in order([plan], 0):
        if spec.arm.name == build and spec.pass_ == "outside" and spec.point not in seen:
            seen.append(spec.point)
            yield spec


def _has_knee(plan: "Plan", specs: "Sequence[TrialSpec]") -> bool:
    """Return whether these trials, which differ in their rate alone, are one knee."""
    from gatemark.judge.point.sweep import FEWEST_RATES, RATES

    # Where a plan asks for the delay at chosen rates each of them is a row (judge/point/timed.py).
    if plan.figure == "delay" or not RATES & specs[0].point.keys():
        return False
    return len(specs) >= FEWEST_RATES and all(spec.workload.kind == "udp" for spec in specs)
