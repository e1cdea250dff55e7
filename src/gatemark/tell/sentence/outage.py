# SPDX-License-Identifier: Apache-2.0
"""What does an action break: which flows stop, for how long, and which are dead after it?"""

from collections.abc import Iterator, Sequence
from typing import Final

from gatemark.judge.judgement import PointResult
from gatemark.judge.point.warn import UNFINISHED
from gatemark.kind.outage.plan import DEFAULT_PPS, OUTAGE
from gatemark.store.record import Record
from gatemark.tell.sentence.case import Case
from gatemark.tell.words import number
from gatemark.tell.words.figure import upper

# What people call a flow: its gaps, and the value that says that it died.
FLOWS: Final = {
    "a call": (("outage_call_up_ns", "outage_call_down_ns"), "outage_call_died"),
    "busy TCP": (("outage_busy_up_ns", "outage_busy_down_ns"), "outage_busy_died"),
    "idle TCP": ((), "outage_idle_died"),
    "new flows": (("outage_new_ns",), "outage_new_died"),
}
PACKET_NS: Final = 1.5e9 / DEFAULT_PPS  # one lost packet is no stop


def applies(case: Case) -> bool:
    """Return True where actions were tried beside flows."""
    return any(point.definition.quantity == OUTAGE for point in case.judgement.points)


def say(case: Case) -> str:
    """Say of each arm what stops and what dies; of those that break nothing in one."""
    points = [point for point in case.judgement.points if "outage_kept" in point.values]
    ok = [each for each in case.records if each.status == "ok" and "outage_kept" in each.values]
    broken = {
        point.arm: ", ".join(_broken(point, [each for each in ok if each.arm == point.arm]))
        for point in points
    }
    texts = [f"{arm}: {words}" for arm, words in broken.items() if words]
    late = [
        arm for arm in broken if any(_is_late(each) for each in case.records if each.arm == arm)
    ]
    if whole := [arm for arm, words in broken.items() if not words and arm not in late]:
        texts.append(f"nothing stops: {', '.join(whole)}")
    if late:
        texts.append(f"not seen to its end: {', '.join(late)}")
    text = "; ".join(texts)
    return f"{upper(text)}." if text else ""


def _broken(point: PointResult, trials: Sequence[Record]) -> Iterator[str]:
    """Yield what stops by the middle of the trials, and what dies in any of them."""
    for flow, (gaps, death) in FLOWS.items():
        if dead := sum(each.values.get(death, 0) > 0 for each in trials):
            some = "" if dead == len(trials) else f" in {dead} of {len(trials)}"
            yield f"{flow} {'do not come back' if flow.endswith('s') else 'dies'}{some}"
            continue
        longest = max((point.values[name].value for name in gaps), default=0.0)
        if longest > PACKET_NS:
            yield f"{flow} {'stop' if flow.endswith('s') else 'stops'} for {_time(longest)}"


def _is_late(trial: Record) -> bool:
    """Return whether the action was due, or not over, as the trial ended."""
    return any(each.action in UNFINISHED for each in trial.evidence.programs)


def _time(ns: float) -> str:
    return number.quantity(ns, "ns")
