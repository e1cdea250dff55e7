# SPDX-License-Identifier: Apache-2.0
"""Which settings make this gateway faster, by how much, or is it to be left?"""

from typing import Final

from gatemark.judge.math.interval import Interval
from gatemark.judge.tuning import CPU, DELAY, RATE, SHARE, Advice, advice, goal
from gatemark.store.run import Tune
from gatemark.tell.sentence.case import Case
from gatemark.tell.words import number
from gatemark.tell.words.number import PERCENT

NAMES: Final = {
    RATE: "rate at overload",
    DELAY: "delay (p50) at the paced rate",
    CPU: "CPU load at the paced rate",
    SHARE: "instructions a packet of the busiest CPU",
}
TYPE: Final = ". Type:"
LEAVE: Final = "Leave it"


def applies(case: Case) -> bool:
    """Return True where settings were searched."""
    return case.run.tune is not None


def say(case: Case) -> str:
    """Say what is to be set, or to leave it."""
    assert case.run.tune
    tune = case.run.tune
    text = headline(tune, advice(tune, case.run.plans[0], case.records))
    typed = text.removesuffix(TYPE)
    lines = f" Its lines: `gatemark tune --resume {case.run.run}`." if typed != text else ""
    return f"{typed}.{lines}"


def headline(tune: Tune, outcome: Advice) -> str:
    """The answer in a sentence."""
    if not outcome.best:
        return "Nothing could be compared: see the run's skipped and invalid trials"
    name = goal(tune)
    if name not in outcome.gains:
        return f"{LEAVE}: too few trials of {outcome.best} are sound to tell"
    gain = outcome.gains[name]
    if outcome.worth:
        return f"{outcome.best}: {change(name, gain)} in {NAMES[name]}{TYPE}"
    if outcome.worse:
        lost = ", ".join(
            f"{change(each, outcome.gains[each])} in {NAMES[each]}" for each in outcome.worse
        )
        return f"{LEAVE}: {outcome.best} changes {NAMES[name]} by {change(name, gain)}, but {lost}"
    least = number.quantity(tune.least, "ratio")
    why = (
        f"not certain that it is {least}" if gain.hi > tune.least else f"{least} would be worth it"
    )
    return (
        f"{LEAVE}: the best of {outcome.able} combinations, {outcome.best}, changes "
        f"{NAMES[name]} by {change(name, gain)}; {why}"
    )


def change(name: str, gain: Interval) -> str:
    """Return a gain as a change: of delay and load less is better."""
    if name != RATE:  # the gain is of 1/value
        low, high = (1 / (1 + end) - 1 for end in (gain.hi, gain.lo))
        gain = Interval(1 / (1 + gain.value) - 1, low, high, gain.n, gain.level)
    sign = "+" if gain.value > 0 else ""
    return f"{sign}{number.interval(gain, PERCENT)} %"
