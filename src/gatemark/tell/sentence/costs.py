# SPDX-License-Identifier: Apache-2.0
"""What does each step of a ladder cost, or a packet in instructions?"""

from collections.abc import Sequence

from gatemark.judge.change.ladder import INSTRUCTIONS, PACKET
from gatemark.judge.judgement import Ladder, PointResult
from gatemark.number import duration
from gatemark.tell.sentence.case import Case
from gatemark.tell.sentence.rate import MOST_SETUPS, OWN, searched
from gatemark.tell.sentence.who import does, gateway


def applies(case: Case) -> bool:
    """Return True where no rate was looked for."""
    return not (searched(case.points) or any(knee.knee_pps.value for knee in case.knees))


def say(case: Case) -> str:
    """Answer by the dearest steps, else by the instructions of each setup."""
    run, points, ladders = case.run, case.points, case.judgement.ladders
    text = _steps(ladders) or _executes(points)
    foot = [ladder.definition for ladder in ladders[:1]] or [p.definition for p in points[:1]]
    return f"{gateway(run, foot)} {text}." if text else ""


def _steps(ladders: Sequence[Ladder]) -> str:
    """What a packet takes at the foot of the first ladder, and what its dearest steps add."""
    first = next(iter(ladders), None)
    name = next((n for n in (PACKET, INSTRUCTIONS) if first and n in first.values), "")
    if first is None or not name:
        return ""
    says = duration if name == PACKET else _plain
    dear = [(step, step.costs[name]) for step in first.steps if name in step.costs]
    dear = [(step, cost) for step, cost in dear if cost.verdict == "slower"]
    dear.sort(key=lambda pair: -pair[1].difference.value)
    takes = f"takes {says(first.values[name].value)} of its CPU"
    if name == INSTRUCTIONS:
        takes = f"executes {says(first.values[name].value)} instructions"
    text = f"{takes} to {does(first.setup)} a packet"
    if not dear:
        return f"{text}; {nothing_clear(first, name)}"
    adds = [f"{step.arm} {says(cost.difference.value)}" for step, cost in dear[:MOST_SETUPS]]
    return f"{text}; the dearest steps add {', '.join(adds)}"


def nothing_clear(ladder: Ladder, quantity: str) -> str:
    """Return why no step costs: none does, or so few repeats cannot decide."""
    costs = [step.costs[quantity] for step in ladder.steps if quantity in step.costs]
    open_ = [cost for cost in costs if cost.verdict == "inconclusive"]
    if not open_:
        return f"no step costs more than {'chance does' if quantity == PACKET else 'nothing'}"
    repeats = min(cost.difference.n for cost in open_)
    return f"{repeats} repeat{'' if repeats == 1 else 's'} cannot decide what a step costs"


def _executes(points: Sequence[PointResult]) -> str:
    """Instructions of each setup's first point; "" where other things were measured as well."""
    first: dict[str, PointResult] = {}
    for point in points:
        if point.definition.quantity != INSTRUCTIONS:
            return ""
        if INSTRUCTIONS in point.values:
            first.setdefault(point.setup, point)
    shown_points = list(first.values())
    if not shown_points:
        return ""
    lead = shown_points[0]
    way = OWN.get(lead.definition.direction)
    doing = f"a packet that it {way}" if way else f"to {does(lead.setup)} a packet"
    size = f" of {lead.definition.frame_bytes} bytes" if lead.definition.frame_bytes else ""
    more = [
        f"{p.setup} {_plain(p.values[INSTRUCTIONS].value)}" for p in shown_points[1:MOST_SETUPS]
    ]
    text = f"executes {_plain(lead.values[INSTRUCTIONS].value)} instructions {doing}{size}"
    return "; ".join([text, ", ".join(more)] if more else [text])


def _plain(count: float) -> str:
    return f"{count:.0f}"
