# SPDX-License-Identifier: Apache-2.0
"""Advice against a warning: a key of the plan or a command, and nothing that the plan has."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from gatemark.judge.judgement import Warning_
from gatemark.plan.model import Repeat

ENOUGH = 6  # repeats for a 95 % interval of the median
MOST: Final = 1000  # repeats that a plan may ask for
NARROW: Final = 0.02  # of the value, to either side: less than what `spread` warns of


def enough(repeat: Repeat, resume: str = "") -> str:
    """Advise repeats for a 95 % interval; `resume` goes on with a run that was cut."""
    key, asked = ("boots", repeat.boots) if repeat.boots else ("times", repeat.times)
    if asked < ENOUGH:
        return f"Ask for {ENOUGH}: `--set repeat.{key}={ENOUGH}`."
    if resume:
        return f"Go on with the run: `{resume}`."
    return f"Ask for more, as some did not count: `--set repeat.{key}={2 * asked}`."


def narrow(repeat: Repeat) -> str:
    """Advise more repeats than a plan has."""
    return f"Quiet the machine, or measure until the interval is narrow: `{_more(repeat)}`."


def small(repeat: Repeat) -> str:
    """Advise what tells a small step from chance."""
    return f"Steps as small may be chance: quiet the machine, or repeat more: `{_more(repeat)}`."


def _more(repeat: Repeat) -> str:
    """The setting by which points are measured more often."""
    if repeat.boots:
        return f"--set repeat.boots={2 * repeat.boots}"
    if repeat.spread:
        return f"--set repeat.most={min(MOST, 2 * repeat.most)}"
    if repeat.times > repeat.most:
        return f"--set repeat.times={min(MOST, 2 * repeat.times)}"
    return f"--set repeat.spread={NARROW}"


def warm(repeat: Repeat) -> str:
    """Advise a warm-up, or one more."""
    return f"Caches or tables were cold: `--set repeat.warmup={repeat.warmup + 1}`."


def steady(repeat: Repeat) -> str:
    """Advise what makes repeats alike."""
    return (
        "Heat, clock or a neighbour. Arms still compare, as they are interleaved. For steady "
        f"values quiet the machine, or warm up longer: `{_longer(repeat)}`."
    )


def cool(repeat: Repeat) -> str:
    """Advise a processor that is as fast in all repeats."""
    return f"Heat or power slowed it: cool it, or warm it up for all repeats: `{_longer(repeat)}`."


def _longer(repeat: Repeat) -> str:
    return f"--set repeat.warmup={max(ENOUGH, 2 * repeat.warmup)}"


BY_CODE: Final[Mapping[str, Callable[[Repeat], str]]] = {
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
