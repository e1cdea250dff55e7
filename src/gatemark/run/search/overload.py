# SPDX-License-Identifier: Apache-2.0
"""Where a search begins: a rate above what the gateway delivers when it is sent too much.

The tester's own rate does not matter here: where a port makes it wait, a sender without a schedule
goes at the pace of the gateway. One with a schedule does not; it reports what it missed.
"""

from collections.abc import Generator
from typing import Final

from gatemark.plan.model import Search
from gatemark.run.search.ask import Answer, Ask

LONGEST_S: Final = 1.0  # of this trial: it decides nothing
# Times what came through at overload. A gateway that collapses delivers less there than below its
# knee: the wrt54's of the studies kept 60 %, so twice finds most knees, at a step of the search.
MARGIN: Final = 2.0


def overload(terms: Search) -> Generator[Ask, Answer, Answer]:
    """One trial as fast as it goes (the maximum receive rate of CSIT)."""
    return (yield Ask(0.0, min(LONGEST_S, terms.trial_s)))


def highest_pps(terms: Search) -> Generator[Ask, Answer, float]:
    """The highest rate to try: the plan's, or by overload."""
    if terms.max_pps:
        return terms.max_pps
    seen = yield from overload(terms)
    return above(terms, seen)


def above(terms: Search, seen: Answer) -> float:
    """The highest rate to try after overload was seen."""
    return max(MARGIN * seen.received_pps, 2 * terms.min_pps)
