# SPDX-License-Identifier: Apache-2.0
"""How long does a packet take?"""

from collections.abc import Sequence

from gatemark.judge.judgement import PointResult
from gatemark.judge.point.timed import MEDIAN
from gatemark.number import duration, si
from gatemark.plan.model import is_twin
from gatemark.tell.sentence.case import Case
from gatemark.tell.sentence.rate import MOST_SETUPS
from gatemark.tell.sentence.who import does, gateway


def applies(case: Case) -> bool:
    """Return True where delays were asked for."""
    return bool(case.timed)


def say(case: Case) -> str:
    """Answer over the first line, else at the highest rate that was timed."""
    run, timed = case.run, case.timed
    if lined := [point for point in timed if point.definition.line]:
        return _over_line(lined)
    delays = delays_of(timed)
    return f"{gateway(run, [point.definition for point in timed])} {delays}." if delays else ""


def _over_line(lined: Sequence[PointResult]) -> str:
    """Of the first line: how long a packet takes, with the line's own queue; a clause a setup."""
    first = lined[0].definition
    setups: dict[str, PointResult] = {}
    for point in lined:
        same = (point.definition.line, point.definition.beside) == (first.line, first.beside)
        if same and MEDIAN in point.values and not is_twin(point.arm):
            setups.setdefault(point.setup, point)
    clauses = [
        f"{duration(point.values[MEDIAN].value)} through {setup}"
        for setup, point in [*setups.items()][:MOST_SETUPS]
    ]
    if not clauses:
        return ""
    return f"Over a line ({first.line}) a packet takes {' and '.join(clauses)} (median, one way)."


def delays_of(timed: Sequence[PointResult]) -> str:
    """The median at the highest rate that was timed, a clause for each setup."""
    points = [p for p in timed if {MEDIAN, "offered_pps"} <= p.values.keys() and not is_twin(p.arm)]
    most: dict[str, PointResult] = {}
    for point in sorted(points, key=lambda p: -p.values["offered_pps"].value):
        most.setdefault(point.setup, point)
    shown = [p for p in points if p is most[p.setup]][:MOST_SETUPS]
    rates = [si(p.values["offered_pps"].value, "packets/s") for p in shown]
    same = len(set(rates)) == 1
    clauses = [
        f"{duration(p.values[MEDIAN].value)} to {does(p.setup)} a packet"
        f"{'' if same else f' at {at}'}"
        for p, at in zip(shown, rates, strict=True)
    ]
    at = f" at {rates[0]}" if same else ""
    return f"takes {' and '.join(clauses)}{at} (median, one way)" if clauses else ""
