# SPDX-License-Identifier: Apache-2.0
"""Advice against a warning: a key of the plan or a command, and nothing that the plan has."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from gatemark.judge.fact import Fact, fact
from gatemark.judge.judgement import Warning_
from gatemark.plan.model import Repeat

ENOUGH = 6  # repeats for a 95 % interval of the median
MOST: Final = 1000  # repeats that a plan may ask for
NARROW: Final = 0.02  # of the value, to either side: less than what `spread` warns of


def enough(repeat: Repeat, resume: str = "") -> Fact:
    """Advise repeats for a 95 % interval; `resume` goes on with a run that was cut."""
    key, asked = ("boots", repeat.boots) if repeat.boots else ("times", repeat.times)
    if asked < ENOUGH:
        return fact("advice.enough", key=key, times=ENOUGH)
    if resume:
        return fact("advice.resume", command=resume)
    return fact("advice.more", key=key, times=2 * asked)


def narrow(repeat: Repeat) -> Fact:
    """Advise more repeats than a plan has."""
    return fact("advice.narrow", setting=_more(repeat))


def small(repeat: Repeat) -> Fact:
    """Advise what tells a small step from chance."""
    return fact("advice.small", setting=_more(repeat))


def _more(repeat: Repeat) -> str:
    """The setting by which points are measured more often."""
    if repeat.boots:
        return f"repeat.boots={2 * repeat.boots}"
    if repeat.spread:
        return f"repeat.most={min(MOST, 2 * repeat.most)}"
    if repeat.times > repeat.most:
        return f"repeat.times={min(MOST, 2 * repeat.times)}"
    return f"repeat.spread={NARROW}"


def warm(repeat: Repeat) -> Fact:
    """Advise a warm-up, or one more."""
    return fact("advice.warm", setting=f"repeat.warmup={repeat.warmup + 1}")


def steady(repeat: Repeat) -> Fact:
    """Advise what makes repeats alike."""
    return fact("advice.steady", setting=_longer(repeat))


def cool(repeat: Repeat) -> Fact:
    """Advise a processor that is as fast in all repeats."""
    return fact("advice.cool", setting=_longer(repeat))


def _longer(repeat: Repeat) -> str:
    return f"repeat.warmup={max(ENOUGH, 2 * repeat.warmup)}"


BY_CODE: Final[Mapping[str, Callable[[Repeat], Fact]]] = {
    "spread": narrow,
    "twin-differs": small,
    "first-run-slow": warm,
    "drift": steady,
    "throttled": cool,
}


def fitted(warned: Warning_, repeat: Repeat, resume: str = "") -> Warning_:
    """The warning with advice that fits its plan; the rule that gave it knows no plan."""
    if warned.code == "few-repeats":
        return replace(warned, advice=enough(repeat, resume))
    advise = BY_CODE.get(warned.code)
    return replace(warned, advice=advise(repeat)) if advise else warned
