# SPDX-License-Identifier: Apache-2.0
"""The highest rate that a shaper of the gateway holds, to within `width` of it.

    first      the highest rate; what came through there is tried next
    outwards   from that by steps of a quarter, up or down, until the end lies between two rates
    inwards    between these, by halves of their ratio

A trial is judged by run/search/shaping.py; a rate by the first two trials that agree.
"""

from collections.abc import Generator
from typing import Final

from gatemark.plan.model import Search
from gatemark.plan.shaper.shaping import HELD, VOTES
from gatemark.run.search.ask import Answer, Ask, Bounds, Steps

STEP: Final = 1.25  # outwards, of the rate
MBIT: Final = 1e6
PLACES: Final = 3  # of Mbit/s, as the feature's word has them


def highest(terms: Search) -> Steps:
    """Search from `max_mbit` downwards, to `min_mbit` at the lowest."""
    upper, came_mbit = yield from _judged(terms, terms.max_mbit)
    if upper is None:
        return [Bounds(HELD, Ask(0.0, terms.trial_s, mbit=terms.max_mbit), None)]
    lower: Ask | None = None
    guess = min(came_mbit, upper.mbit / STEP)
    while upper.mbit > terms.min_mbit:
        low = lower.mbit if lower else 0.0
        if upper.mbit - low <= terms.width * upper.mbit:
            break
        failed, _ = yield from _judged(terms, max(terms.min_mbit, guess))
        if failed:
            upper = failed
        else:
            lower = Ask(0.0, terms.trial_s, mbit=round(max(terms.min_mbit, guess), PLACES))
        guess = _next(lower.mbit if lower else 0.0, upper.mbit)
    return [Bounds(HELD, lower, upper)]


def _next(low: float, high: float) -> float:
    """A step outwards where the end is not known to be near, else the middle of the ratio."""
    if not low:
        return high / STEP
    return min(low * STEP, float((low * high) ** 0.5))


def _judged(terms: Search, mbit: float) -> Generator[Ask, Answer, tuple[Ask | None, float]]:
    """The rate if it was not held, None if it was; and the most that came through, in Mbit/s."""
    ask = Ask(0.0, terms.trial_s, mbit=round(mbit, PLACES))
    answers: list[Answer] = []
    while True:
        answers.append((yield ask))
        held = sum(bool(answer.held) for answer in answers)
        if max(held, len(answers) - held) == VOTES:
            return None if held == VOTES else ask, max(answer.came_mbit for answer in answers)
