# SPDX-License-Identifier: Apache-2.0
"""What does the gateway carry?"""

from collections.abc import Collection, Sequence

from gatemark.judge.judgement import PointResult
from gatemark.judge.point.timed import SHARE
from gatemark.judge.speed import RATE
from gatemark.number import AT_LEAST
from gatemark.tell.sentence.bottleneck import limits_of
from gatemark.tell.sentence.case import Case
from gatemark.tell.sentence.delay import delays_of
from gatemark.tell.sentence.fault import NOTHING
from gatemark.tell.sentence.rate import (
    BURST,
    MOST_SETUPS,
    Rate,
    choose,
    of_knee,
    of_points,
    rates_of,
    searched,
)
from gatemark.tell.sentence.who import gateway
from gatemark.tell.words.shape import NAMES


def applies(case: Case) -> bool:
    """Return True where there is a rate: one that was searched for, of a knee, or another."""
    return bool(_chosen(case))


def say(case: Case) -> str:
    """Answer with that rate, and what else was searched for: bursts, delays at shares of it."""
    text = _carried(case)
    delays = delays_of([point for point in case.timed if SHARE in point.point])
    more = filter(None, (bursts(case.points), f"It {delays}." if delays else ""))
    return " ".join((text, *more))


def _chosen(case: Case) -> list[Rate]:
    """Return rates of a search, else of knees, else the most that came through."""
    kept_rates = [of_knee(knee) for knee in case.knees if knee.knee_pps.value]  # 0: it always lost
    return choose(of_points(searched(case.points)) or kept_rates or of_points(case.plain))


def _carried(case: Case) -> str:
    rates = _chosen(case)
    if not any(rate.value for rate in rates) and rates[0].definition.headline == RATE:
        return NOTHING
    who = gateway(case.run, [rate.definition for rate in rates])
    faulty = {(each.plan, each.arm) for each in case.judgement.diagnoses if each.wrong}
    untold = [rate for rate in rates[:MOST_SETUPS] if not _is_told(rate, faulty)]
    limits = limits_of(untold, case.records)
    return f"{who} {rates_of(rates)}{f'; {limits}' if limits else ''}."


def _is_told(rate: Rate, faulty: Collection[tuple[str, str]]) -> bool:
    """Return True if what is wrong with its arm names or denies what holds a rate back."""
    is_vague = rate.limit in ("unknown", "none") or rate.limit in NAMES
    return is_vague and (rate.plan, rate.arm) in faulty


def bursts(points: Sequence[PointResult]) -> str:
    """The longest burst of each setup, of its first load."""
    first: dict[str, str] = {}
    for point in points:
        if point.definition.quantity == BURST and point.definition.headline in point.values:
            packets = f"{point.values[point.definition.headline].value:.0f}"
            first.setdefault(point.setup, f"{AT_LEAST if point.at_least else ''}{packets}")
    clauses = [f"{packets} ({setup})" for setup, packets in [*first.items()][:MOST_SETUPS]]
    shown = " and ".join(clauses)
    return f"Of a burst it passes {shown} packets with none lost." if shown else ""
