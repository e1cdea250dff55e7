# SPDX-License-Identifier: Apache-2.0
"""What does the kernel run to carry one packet?"""

from gatemark.judge.change.exact import counted
from gatemark.judge.judgement import Travel
from gatemark.judge.point.path import base
from gatemark.tell.sentence.case import Case
from gatemark.tell.sentence.who import does, gateway

OWN_DOES = {"send": "send", "receive": "receive"}


def applies(case: Case) -> bool:
    """Return True of paths of packets, and of nothing else but counts of these."""
    points = case.judgement.points
    return bool(case.judgement.travels) and all(counted(point.definition) for point in points)


def say(case: Case) -> str:
    """Answer for the first arm, and the arm that takes most at the same point."""
    run, travels = case.run, case.judgement.travels
    first = travels[0]
    same = [travel for travel in travels if travel is first or base(travels, travel) is first]
    most = max(same, key=lambda travel: travel.own.calls)
    verb = OWN_DOES.get(first.definition.direction) or does(first.definition.path)
    text = (
        f"{gateway(run, [first.definition])} runs {_ran(first)} to {verb} one packet ({first.arm})"
    )
    if most is first:
        return f"{text}."
    if not first.in_order:
        return f"{text}; {most.arm}: {_ran(most)}."
    share = 100 * most.netfilter.calls / max(1, most.own.calls)
    return f"{text}; {most.arm}: {_ran(most)}, {share:.0f} % of them netfilter's."


def _ran(travel: Travel) -> str:
    amount = f"{travel.total:,}".replace(",", "\N{NO-BREAK SPACE}")
    return f"{amount} {travel.unit}" + (f" in {travel.own.calls} calls" if travel.in_order else "")
