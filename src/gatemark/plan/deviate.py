# SPDX-License-Identifier: Apache-2.0
"""In what a searched plan departs from RFC 2544, by its terms: so each variant tells its own."""

from collections.abc import Iterator
from typing import Final

from gatemark.plan.expand import points, workload_at
from gatemark.plan.mix import frames
from gatemark.plan.model import Plan, Search
from gatemark.plan.search import EXCEED, terms
from gatemark.plan.shaper import shaping

SIZES: Final = (64, 128, 256, 512, 1024, 1280, 1518)  # RFC 2544 section 9.1
STANDS_FOR: Final = {80: 64}  # IPv6 with a test header has no smaller frame
TRIAL_S: Final = 60.0  # RFC 2544 section 24
WAIT_S: Final = 7.0  # section 23: 2 s for what is on its way, 5 s for the gateway


def deviations(plan: Plan) -> tuple[str, ...]:
    """Return the plan's own deviations, then what its search and its points leave undone."""
    if plan.search is None or plan.search.profile == shaping.PROFILE:
        return plan.deviations
    return (*plan.deviations, *_trials(terms(plan.search)), *_traffic(plan))


def _trials(search: Search) -> Iterator[str]:
    if search.trial_s < TRIAL_S:
        yield (
            f"RFC 2544 section 24 asks for trials of 60 s; these last {search.trial_s:g} s, and N "
            f"packets that a queue holds at the end raise a rate by N / {search.trial_s:g} s"
        )
    if search.sum_s:
        yield (
            "RFC 2544 section 26.1 lets one trial decide; here trials of "
            f"{search.sum_s:g} s together do, of which {100 * EXCEED:g} % may lose more than the "
            "goal allows (RFC 9971)"
        )
    if search.wait_s < WAIT_S:
        yield (
            f"RFC 2544 section 23 asks for 7 s between trials; here {search.wait_s:g} s, and until "
            "nothing arrives any more"
        )


def _traffic(plan: Plan) -> Iterator[str]:
    loads = [workload_at(plan, point) for point in points(plan)]
    if all(load.direction != "both" for load in loads):
        yield "RFC 2544 section 14 asks for both directions at once; this is one"
    sent = {STANDS_FOR.get(size, size) for load in loads for size in frames(load)}
    if missing := [str(size) for size in SIZES if size not in sent]:
        asked = ", ".join(map(str, SIZES))
        yield (
            f"RFC 2544 section 9.1 asks for frames of {asked} bytes; without {', '.join(missing)}"
        )
