# SPDX-License-Identifier: Apache-2.0
"""How long a search takes, roughly: in all, and from where it is now."""

from math import ceil, log2
from typing import Final

from gatemark.plan.model import Search
from gatemark.plan.shaper.shaping import PROFILE, VOTES

OVERHEAD_S: Final = 0.35  # of a trial besides sending: agents, checks, draining
FIRST: Final = 6  # csit: trials that find the neighbourhood
DECIDE: Final = 0.85  # csit: of `sum_s` for each goal; a bound is decided by half of it or less
SEEN: Final = 40  # csit: trials that gateways took which waver, 13 to 71, however short `sum_s`
OPEN: Final = 2.0  # of the highest rate to the one that is found: where a binary search begins
VOTED: Final = 1.2 * VOTES  # trials of a rate that a shaper is to hold: at times three
BURSTS: Final = 20  # trials of rfc9004 besides its throughput search; they end in milliseconds


def expected_s(terms: Search) -> float:
    """Seconds that a whole search is likely to take."""
    if terms.profile == PROFILE:
        return VOTED * (1 + halvings(OPEN, terms.width)) * one_s(terms)
    if not terms.sum_s:
        return (1 + halvings(OPEN, terms.width)) * one_s(terms)
    goals = sum(goal != "burst" for goal in terms.goals)
    trials = max(SEEN, FIRST + DECIDE * goals * terms.sum_s / terms.trial_s)
    bursts = BURSTS * (terms.wait_s + OVERHEAD_S) if "burst" in terms.goals else 0.0
    return trials * one_s(terms) + bursts


def left_s(terms: Search, apart: float, spent_s: float) -> float:
    """Seconds that remain, from the relative distance of the bounds and the time sent so far."""
    if not terms.sum_s:
        trials = VOTED if terms.profile == PROFILE else 1.0
        return trials * halvings(apart, terms.width) * one_s(terms)
    whole = expected_s(terms)
    return max(0.1 * whole, whole - spent_s * one_s(terms) / terms.trial_s)


def halvings(apart: float, width: float) -> int:
    """Trials until bounds that far apart are within the width."""
    return max(1, ceil(log2(max(1.0, apart / width))))


def one_s(terms: Search) -> float:
    """Of one trial at the end of the search, with its wait."""
    return terms.trial_s + terms.wait_s + OVERHEAD_S
