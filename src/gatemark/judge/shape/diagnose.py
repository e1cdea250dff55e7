# SPDX-License-Identifier: Apache-2.0
"""Rules in the order in which they explain loss; what one explains, the next does not see.

The order: tester; nothing; first packets; flows; sizes; corruption; exchange; the trial's time;
stalls; the run's time; what a rate triggers; loss that comes and goes; constant share; limiter;
overload; slow flows, packets that wait; disorder; what remains. A level of a factor that is worse
than the others is told by several points (`factor`).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from msgspec.structs import replace as with_

from gatemark.judge.fact import fact
from gatemark.judge.finding import EXPLAINED, Diagnosis, Finding
from gatemark.judge.point.facts import on_line
from gatemark.judge.point.group import Group
from gatemark.judge.point.limit import HALF
from gatemark.judge.point.sweep import others
from gatemark.judge.shape import (
    at_times,
    disorder,
    first,
    flows,
    limiter,
    nothing,
    over_run,
    over_time,
    overload,
    remains,
    short,
    sizes,
    slow,
    stall,
    tester,
)
from gatemark.judge.shape import share as constant
from gatemark.judge.shape.sight import (
    Level,
    Sight,
    Sweep,
    inside,
    level,
    sights_of,
    unmarked,
)
from gatemark.store.record import Scalar

Factors = tuple[tuple[str, Scalar], ...]
BELOW: Final = 0.9  # of a limiter's rate: from there on it may be what drops
MOST: Final = 0.99  # of all packets: what is left of more says nothing
NEARLY: Final = 0.95  # of what some flows send: all
CLEARLY: Final = 0.1  # of the packets lost inside: no tester that pauses loses that there
LIMITERS: Final = ("policer", "shaper", "limiter")
ENDS: Final = (*LIMITERS, "triggered")  # from a rate on
RECEIVED: Final = "received rate"  # the quantity whose loss has a shape


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """What was found, and what each trial received with the explained part taken out."""

    diagnosis: Diagnosis
    sweep: Sweep
    received_pps: dict[str, float]  # trial -> packets/s


def diagnose(groups: Sequence[Group], alone: Sequence[Group]) -> list[Diagnosed]:
    """Every direction of every arm of which losses were kept; `alone` is the tester by itself."""
    return [_diagnosed(sweep) for sweep in sweeps(groups, alone)]


def without_explained(diagnosed: Iterable[Diagnosed]) -> dict[str, float]:
    """What trials received, packets/s, with the explained part of their loss taken out.

    A trial with two directions is told by neither of them.
    """
    received = [(trial, pps) for each in diagnosed for trial, pps in each.received_pps.items()]
    times = Counter(trial for trial, _ in received)
    return {trial: pps for trial, pps in received if times[trial] == 1}


def sweeps(groups: Iterable[Group], alone: Sequence[Group]) -> list[Sweep]:
    """The points that differ in their rate alone, put together."""
    members_of: dict[tuple[str, str, str, Factors], list[tuple[Group, Level]]] = {}
    for trials in groups:
        kind = trials.definition
        if kind.quantity != RECEIVED or kind.turn_ms or _by_line(trials):
            continue
        for direction in _directions(trials):
            if seen := level(trials, direction):
                key = (trials.plan, trials.arm, direction, others(trials.point))
                members_of.setdefault(key, []).append((trials, seen))
    made = []
    for (_, _, direction, factors), members in members_of.items():
        levels = sorted((seen for _, seen in members), key=lambda seen: seen.offered_pps)
        subject = members[0][0].subject.at(dict(factors))
        reference = tuple(s for trials in alone for s in sights_of(trials.outside, direction))
        made.append(Sweep(subject, direction, tuple(levels), reference))
    return made


def _by_line(trials: Group) -> bool:
    """Whether an emulated line dropped half or more of what was lost: its books tell all of it."""
    line = on_line(trials)
    return bool(line and line.drops and line.drops.loss_share >= HALF)


def _directions(trials: Group) -> list[str]:
    directions = (loss.direction for record in trials.outside for loss in record.evidence.loss)
    return list(dict.fromkeys(directions))


def _diagnosed(sweep: Sweep) -> Diagnosed:
    by_tester, nothings = list(tester.find(sweep)), list(nothing.find(sweep))
    seen = inside(sweep) if by_tester else sweep
    rest = [] if nothings else _beside_tester(seen) if by_tester else _findings(seen)
    findings = (*by_tester, *nothings, *rest)
    made = Diagnosis(subject=sweep.subject, direction=sweep.direction, findings=findings)
    return Diagnosed(made, sweep, _received(seen, made))


def _findings(sweep: Sweep) -> list[Finding]:
    """All but what is asked first."""
    rules = (first.find, _flows, sizes.find, disorder.corruption, disorder.exchanged)
    findings = [finding for find in rules for finding in find(sweep)]
    over = list(remains.triggered(sweep, is_outlasting=True))  # its end is no time of a trial
    over += over_time.find(sweep, over_time.ALL)
    silences = () if disorder.is_all_corrupt(sweep) else (stall.find,)
    for find in (*silences, over_time.find, over_run.find, remains.triggered, at_times.find):
        over += find(sweep)
    share, steady = _steady(sweep, is_over_time=bool(over))
    findings += (*over, *steady, *overload.find(sweep), *_slow(sweep, [*findings, *over, *steady]))
    is_exchanged = any(finding.shape == "exchange" for finding in findings)
    findings += () if is_exchanged else disorder.disorder(sweep)
    ends = [f.values["rate_pps"] for f in (*steady, *over) if f.shape in ENDS]
    below = min(ends, default=float("inf"))
    rest = [seen for seen in sweep.levels if seen.offered_pps <= BELOW * below]
    return [
        *findings,
        *remains.not_monotone(replace(sweep, levels=tuple(rest)) if ends else sweep),
        *remains.unexplained(rest, share),
    ]


def _beside_tester(sweep: Sweep) -> list[Finding]:
    """Find what is lost inside the gateway, whenever the sender paused."""
    rules = (_flows, sizes.find, disorder.corruption, disorder.exchanged)
    findings = [finding for find in rules for finding in find(sweep)]
    times = (over_time.find, over_run.find, remains.triggered, at_times.find)
    over = [finding for find in times for finding in find(sweep)]
    share, steady = _steady(sweep, is_over_time=bool(over))
    made = [*findings, *over, *steady, *slow.find(sweep)]
    # Little that nothing explains may come of the pauses; half of the packets do not.
    rest = () if made else remains.unexplained(sweep.levels, share)
    return made + [finding for finding in rest if finding.values["share"] >= CLEARLY]


def _flows(sweep: Sweep) -> list[Finding]:
    """Find flows that lose; where they lose all from a time into the trial on, that time."""
    named = list(flows.find(unmarked(sweep)))
    part = named[0].values["flows"] / named[0].values["of_flows"] if named else 0.0
    if named and named[0].values["share"] < NEARLY:
        over = list(over_time.find(unmarked(sweep)))
        if over and over[0].values["share"] >= NEARLY * part:
            (timed,) = over_time.find(sweep)
            both = fact("with", finding=timed.fact, more=named[0].fact)
            return [with_(timed, fact=both)]
    return list(flows.find(sweep))


def _steady(sweep: Sweep, *, is_over_time: bool) -> tuple[float, list[Finding]]:
    """Find the same share at any rate, which is returned, and a limit, by all trials alike."""
    shares = list(constant.find(sweep))
    share = shares[0].values.get("share", 0.0) if shares else 0.0
    limits = list(limiter.find(sweep, share)) or ([] if is_over_time else list(short.find(sweep)))
    return share, [*shares, *limits]


def _slow(sweep: Sweep, others: Sequence[Finding]) -> list[Finding]:
    """Find flows that are slow; or packets that wait, where no queue and no stall is known."""
    shapes = {finding.shape for finding in others}
    losing = [finding.values["flows"] for finding in others if finding.shape == "some-flows"]
    if named := list(slow.find(sweep)):
        return [finding for finding in named if finding.values["flows"] not in losing]
    return [] if shapes & {*LIMITERS, "stalls"} else list(slow.waiting(sweep))


def _received(sweep: Sweep, made: Diagnosis) -> dict[str, float]:
    """What would have been received without what is explained: the knee is judged by it."""
    if made.get(*EXPLAINED):
        return {sight.record.trial: _without_explained(sight) for sight in sweep.sights}
    if limit := made.get("policer"):
        over = [sight for sight in sweep.sights if sight.taken_pps > limit.values["rate_pps"]]
        settled = {sight.record.trial: sight.settled_pps() for sight in over if sight.lost}
        return {trial: pps for trial, pps in settled.items() if pps is not None}
    return {}


def _without_explained(sight: Sight) -> float:
    whole = sight.record.values.get("received_pps", 0.0)
    received = sight.open_pps if sight.masked else whole
    return received / (1 - min(MOST, sight.explained))
