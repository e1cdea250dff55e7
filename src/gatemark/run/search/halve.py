# SPDX-License-Identifier: Apache-2.0
"""Binary search: throughput as RFC 2544 section 26.1 has it, and the longest burst (RFC 9004)."""

from typing import Final

from gatemark.plan.model import Search
from gatemark.plan.search import LOSS
from gatemark.run.search.ask import Ask, Bounds, Steps
from gatemark.run.search.overload import above, highest_pps, overload

NDR: Final = "ndr"


def throughput(terms: Search) -> Steps:
    """The highest rate without loss, to within `width` of it.

    Each trial has its full time. A rate without loss raises the next one, a loss lowers it. A
    single trial decides: the RFC asks for no more.
    """
    most = yield from highest_pps(terms)
    upper = Ask(most, terms.trial_s)
    if (yield upper).passes(LOSS[NDR]):
        return [Bounds(NDR, upper, None, most)]
    lower: Ask | None = None
    while upper.rate_pps > terms.min_pps:
        low = lower.rate_pps if lower else 0.0
        if upper.rate_pps - low <= terms.width * upper.rate_pps:
            break
        ask = Ask(max(terms.min_pps, (low + upper.rate_pps) / 2), terms.trial_s)
        if (yield ask).passes(LOSS[NDR]):
            lower = ask
        else:
            upper = ask
    return [Bounds(NDR, lower, upper, lower.rate_pps if lower else 0.0)]


def burst(terms: Search) -> Steps:
    """The throughput, then the longest burst without loss at `max_pps`, or as fast as it goes.

    RFC 9004 section 6.4 corrects the buffer time by the throughput of the same gateway. A burst
    lasts `trial_s` at most (RFC 2544 section 26.4: 2 s).
    """
    from gatemark.run.search import mlr  # late, as in ongoing.py

    seen = yield from overload(terms)
    bounds = yield from mlr.search(terms, (NDR,), terms.max_pps or above(terms, seen))
    rate_pps = terms.max_pps
    # So long that the sender has time for all of them also where it is slower than just now.
    lasts_s = 2 * terms.trial_s
    high = max(2, round((rate_pps or seen.offered_pps) * terms.trial_s))
    upper = Ask(rate_pps, lasts_s, high)
    if (yield upper).passes(LOSS["burst"]):
        return [*bounds, Bounds("burst", upper, None)]
    lower: Ask | None = None
    low = 0
    while high - low > max(1, round(terms.width * high)):
        ask = Ask(rate_pps, lasts_s, (low + high) // 2)
        if (yield ask).passes(LOSS["burst"]):
            lower, low = ask, ask.packets
        else:
            upper, high = ask, ask.packets
    return [*bounds, Bounds("burst", lower, upper)]
