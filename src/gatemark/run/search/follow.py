# SPDX-License-Identifier: Apache-2.0
"""Trials whose rate comes from a search: at shares of its result, and just above it."""

from collections.abc import Iterable

from msgspec.structs import replace

from gatemark.plan.model import TrialSpec
from gatemark.plan.search import GOAL, SHARE, base
from gatemark.plan.shaper.shaping import HELD
from gatemark.run.search import shaping
from gatemark.store.record import Record


def is_outcome(spec: TrialSpec) -> bool:
    """Return whether this record comes from the search itself, not from a trial after it."""
    return spec.search is not None and GOAL in spec.point and spec.pass_ == "outside"


def following(spec: TrialSpec, records: Iterable[Record]) -> tuple[TrialSpec, str]:
    """The trial with its rate put in, or why it cannot run.

    A share is of the result of the search of the same repeat. An instrumented trial has the rate
    that was too fast there: the gateway's own counters then show what was short.
    """
    assert spec.search is not None
    goal = spec.point.get(GOAL, spec.search.of)
    point = base(spec.point) | {GOAL: goal}
    parent = next((r for r in records if _is(r, spec) and r.point == point), None)
    if parent is None or parent.status != "ok":
        why = parent.reason if parent else "it was not searched for"
        return spec, f"no {goal} was found: {why}"
    if goal == HELD:
        held_bps = parent.values["held_bps"]
        return shaping.rated(spec, parent.values.get("too_fast_bps", held_bps) / 1e6), ""
    share = spec.point.get(SHARE)
    over = parent.values.get("too_fast_pps", parent.values["throughput_pps"])
    rate_pps = over if share is None else parent.values["throughput_pps"] * float(share)
    ways = 2 if spec.workload.direction == "both" else 1
    return replace(spec, workload=replace(spec.workload, rate_pps=rate_pps / ways)), ""


def _is(record: Record, spec: TrialSpec) -> bool:
    return (
        record.plan == spec.plan
        and record.arm == spec.arm.name
        and record.repeat == spec.repeat
        and record.pass_ == "outside"
    )
