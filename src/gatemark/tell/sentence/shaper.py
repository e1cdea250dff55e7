# SPDX-License-Identifier: Apache-2.0
"""Which rate does a shaper hold?"""

from gatemark.judge.verdict import shaping
from gatemark.number import quantity
from gatemark.tell.sentence.bottleneck import LIMITS
from gatemark.tell.sentence.case import Case
from gatemark.tell.sentence.who import gateway


def applies(case: Case) -> bool:
    """Return True where a search found one."""
    return bool(shaping.held(case.points))


def say(case: Case) -> str:
    """Answer with the highest, of the shaper that holds most."""
    run, shapers = case.run, shaping.held(case.points).values()
    best = max(shapers, key=lambda point: point.values["held_bps"].value)
    bound = "at least " if best.at_least else ""
    rate = f"{bound}{quantity(best.values['held_bps'].value, 'bit/s')}"
    end = "" if best.at_least else f"; {LIMITS.get(best.limit, 'the bottleneck is not known')}"
    return f"{gateway(run, [best.definition])} shapes up to {rate} ({best.arm}){end}."
