# SPDX-License-Identifier: Apache-2.0
"""What would a packet take on devices that were not there?"""

from gatemark.judge.judgement import Estimate
from gatemark.judge.point.estimate import FETCHES, FILLS, INSTRUCTIONS, PIPELINE, WRITE_BACKS
from gatemark.tell.sentence.case import Case
from gatemark.tell.sentence.who import does

UNDER_LOAD = "instructions under load"  # a quantity of records
SPENT = {
    INSTRUCTIONS: "for instructions",
    PIPELINE: "for what waits in the pipeline",
    FETCHES: "for misses of the instruction cache",
    FILLS: "for misses of the data cache",
    WRITE_BACKS: "for lines written back",
}


def applies(case: Case) -> bool:
    """Return True of estimates alone."""
    alone = all(record.definition.quantity == UNDER_LOAD for record in case.records)
    return bool(case.judgement.estimates) and alone


def say(case: Case) -> str:
    """Answer for the first setup, on each device."""
    estimates = case.judgement.estimates
    first = [
        estimate
        for estimate in estimates
        if estimate.arm == estimates[0].arm and estimate.point == estimates[0].point
    ]
    text = "; ".join(_clause(estimate) for estimate in first)
    return f"ESTIMATE, not measured: to {does(estimates[0].setup)} a packet takes {text}."


def _clause(estimate: Estimate) -> str:
    k = [bound / 1e3 for bound in (estimate.cycles.value, estimate.cycles.lo, estimate.cycles.hi)]
    dear = max(estimate.parts, key=lambda name: estimate.parts[name].value)
    text = f"{k[0]:.1f} k cycles ({k[1]:.1f} to {k[2]:.1f} k) on {estimate.device.name}"
    share = 100 * estimate.parts[dear].value / estimate.cycles.value
    return f"{text}, {share:.0f} % of them {SPENT[dear]}"
