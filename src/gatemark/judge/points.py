# SPDX-License-Identifier: Apache-2.0
"""The points of a run, each judged from all its trials: of the tester alone, and of gateways."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Final

from gatemark.judge.change import exact
from gatemark.judge.change.arms import DIRECT
from gatemark.judge.fact import Text, fact
from gatemark.judge.finding import Diagnosis
from gatemark.judge.judgement import Limit, PointResult, Warning_
from gatemark.judge.math.interval import Interval, median_interval
from gatemark.judge.order import place
from gatemark.judge.point import cornered, warn
from gatemark.judge.point.boot import samples as each
from gatemark.judge.point.ceiling import ceiling, highest
from gatemark.judge.point.facts import gather, late, link, tester_cpu
from gatemark.judge.point.group import Group, group, middle, readings
from gatemark.judge.point.kind import Judge, Marked, by_share
from gatemark.judge.point.limit import ON_SCHEDULE, Verdict, decide
from gatemark.judge.point.sweep import RATES, Judged, common
from gatemark.judge.point.timed import is_timed
from gatemark.judge.subject import About
from gatemark.kind.kinds import entries
from gatemark.plan.kind import RULES
from gatemark.plan.model import WHOLE
from gatemark.quantity import UNITS, is_own
from gatemark.store.record import INSTRUMENTED, Record
from gatemark.store.run import Run

# Of what is searched for, the value that says that there is an upper bound.
TOO_FAST: Final = {"throughput": "too_fast_pps", "held rate": "too_fast_bps"}
# Kinds that are not judged by the rules for packets, by what their definitions are about.
_OWN = entries("point", Judge)
_SHARES = [by_share(rules) for kind, rules in RULES.items() if rules.whole and kind not in _OWN]
_KINDS = (*_OWN.values(), *_SHARES)
JUDGES = {about: kind for kind in _KINDS for about in kind.quantities}


@dataclass(frozen=True)
class Points:
    """All points of a run with their trials, in the order of the plans."""

    run: Run
    alone: Sequence[Judged]  # the tester without a gateway
    through: Sequence[Judged]  # all the others

    @cached_property
    def floors(self) -> Sequence[Judged]:
        """Points of the tester alone at a rate that it keeps."""
        floors = _floors(results(self.alone))
        return [pair for floor in floors for pair in self.alone if pair[1] is floor]

    @cached_property
    def ceilings(self) -> Sequence[Judged]:
        """Points of the tester alone at its limit."""
        floors = {id(pair) for pair in self.floors}
        return [pair for pair in self.alone if id(pair) not in floors]

    @cached_property
    def timed(self) -> Sequence[Judged]:
        """Points whose answer is the delay."""
        return [pair for pair in self.through if is_timed(pair[1], self.run.plans)]

    @cached_property
    def rated(self) -> Sequence[Judged]:
        """Points whose answer is a rate, or a count."""
        return [pair for pair in self.through if not is_timed(pair[1], self.run.plans)]

    @cached_property
    def swept(self) -> Sequence[Judged]:
        """Points of which a sweep may be made."""
        return [pair for pair in self.rated if not is_whole(self.run, pair[1])]


def measured(run: Run, records: Iterable[Record]) -> Points:
    """Judge each point by itself; of a gateway by the tester's ceilings, too."""
    groups = sorted(group(records), key=lambda group: place(run, group))
    alone = [(group, _ceiling(group)) for group in groups if group.definition.path == DIRECT]
    ceilings = [result for _, result in alone]
    others = [group for group in groups if group.definition.path != DIRECT]
    points = [(other, _point(other, ceilings)) for other in others]
    through = [(group, _sided(result)) for group, result in points] if run.ab else points
    return Points(run, alone, through)


def results(judged: Iterable[Judged]) -> tuple[PointResult, ...]:
    """The points without their trials."""
    return tuple(result for _, result in judged)


def is_whole(run: Run, about: About) -> bool:
    """Return True if its plan's figure tells all arms, or packets went one by one: no sweep."""
    return exact.counted(about.definition) or any(
        plan.name == about.plan and plan.figure in WHOLE for plan in run.plans
    )


def kind_of(about: About) -> Judge | None:
    """Return the rules of its kind; None: those for packets."""
    return JUDGES.get(about.definition.quantity)


def marked(points: Sequence[PointResult]) -> Iterator[Marked]:
    """Yield the points that have earned a word by the rules of their kind."""
    for kind in _KINDS:
        yield from kind.marked(points)


def diagnosed(points: Points) -> Iterator[Diagnosis]:
    """Yield what is wrong with an arm by the rules of its kind."""
    arms: dict[tuple[object, ...], list[Group]] = {}
    for trials, _ in points.through:
        if kind_of(trials) and trials.outside:
            key = (trials.plan, trials.arm, trials.definition.quantity, common(trials.point))
            arms.setdefault(key, []).append(trials)
    for groups in arms.values():
        kind, first = kind_of(groups[0]), groups[0]
        if kind and (findings := tuple(kind.find(groups))):
            subject = first.subject.at(dict(common(first.point)))
            direction = first.definition.direction
            yield Diagnosis(subject=subject, direction=direction, findings=findings)


def is_rate(about: About) -> bool:
    """Return False where it is no speed: an arm's room."""
    kind = kind_of(about)
    return kind is None or kind.is_rate


def _sided(result: PointResult) -> PointResult:
    """Name the arm of an A/B test: both arms may have one setup, so it is told with the arm."""
    return result.about(setup=f"{result.arm}: {result.setup}")


def _floors(alone: Sequence[PointResult]) -> tuple[PointResult, ...]:
    """Return rates that the tester alone keeps, where it did more of the same traffic.

    A trace that is replayed has its own rate, which is no ceiling; an emulated line, too.
    """
    traces = tuple(point for point in alone if point.definition.trace or point.definition.line)
    alone = [point for point in alone if point not in traces]
    paced = [point for point in alone if point.limit == "none" and _paced(point)]
    most = {id(point): highest(alone, point.definition) for point in paced}
    return traces + tuple(
        point for point in paced if (top := most[id(point)]) is not None and top > _received(point)
    )


def _paced(point: PointResult) -> bool:
    asked = any(point.point.get(name) for name in RATES)
    return asked and point.definition.headline == "received_pps" in point.values


def _received(point: PointResult) -> float:
    return point.values["received_pps"].value


def _point(trials: Group, ceilings: Iterable[PointResult]) -> PointResult:
    if kind := kind_of(trials):
        verdict = kind.decide(trials, ceilings)
    else:
        verdict = decide(gather(trials, ceiling(ceilings, trials.definition)))
    at_least = verdict.limit == "tester" or _unbounded(trials, verdict)
    return _result(trials, verdict, at_least=at_least)


def _unbounded(trials: Group, verdict: Verdict) -> bool:
    """Return True if a search found no upper bound: all that it offered came through."""
    if name := TOO_FAST.get(trials.definition.quantity):
        bounds = readings(trials.outside, name)
        return bool(trials.outside) and 2 * len(bounds) < len(trials.outside)
    return verdict.limit == "none" and trials.definition.quantity == "burst"


def _ceiling(trials: Group) -> PointResult:
    """The tester alone: what it cannot do is its own limit, and no lower bound."""
    if (kind := kind_of(trials)) and kind.has_ceiling:
        verdict = kind.decide(trials, ())
    else:
        verdict = decide(gather(trials, None))
    if trials.outside and verdict.limit not in ("none", "link", "line"):
        verdict = Verdict("tester", fact("why.no-gateway"))
    return _result(trials, verdict, at_least=False)


def _result(trials: Group, verdict: Verdict, *, at_least: bool) -> PointResult:
    return PointResult(
        subject=trials.subject,
        values=_values(trials),
        limit=verdict.limit,
        why=verdict.why,
        at_least=at_least,
        invalid=trials.invalid,
        warnings=_of_point(
            trials, verdict.limit if trials.definition.path != DIRECT else "none", verdict.why
        ),
        tester_cpu=tester_cpu(trials.outside),
        link_bps=link(trials),
    )


def _values(trials: Group) -> dict[str, Interval]:
    """Values come from outside; only what probes alone can know comes from the instrumented pass.

    So does the CPU of a gateway that nobody else can read: a box.
    """
    values = {}
    outside = _own(trials.outside)
    both = (*trials.outside, *trials.instrumented)
    there = {name for record in both for name in record.values}
    for quantity in dict.fromkeys((*UNITS, *outside, *_own(trials.instrumented))):
        if quantity not in there:
            continue
        is_instrumented = quantity in INSTRUMENTED or (is_own(quantity) and quantity not in outside)
        source = trials.instrumented if is_instrumented else trials.outside
        samples = each(source, quantity)
        if quantity in ("cpu_busy", "packet_ns"):
            samples = samples or readings(trials.instrumented, quantity)
        if samples:
            values[quantity] = median_interval(samples)
    return values


def _own(records: Sequence[Record]) -> list[str]:
    """Quantities that have an owner: a probe, another workload, a direction."""
    names = dict.fromkeys(name for record in records for name in record.values)
    return [name for name in names if is_own(name)]


def _of_point(trials: Group, limit: Limit, why: Text) -> tuple[Warning_, ...]:
    headline = trials.definition.headline
    rates = each(trials.outside, headline)
    warnings = [
        warn.tester_limited(limit, why),
        warn.late_line(limit, late(trials.outside)),
        warn.invalid_trials(trials.invalid),
        warn.action_late([record.evidence for record in trials.outside]),
        warn.throttled([record.evidence for record in trials.instrumented]),
        cornered.busy_queue([record.evidence for record in trials.instrumented]),
        cornered.fell_out(trials.outside),
        cornered.forgotten(trials.outside),
    ]
    # An instrumented trial is sent alone, so where arms took turns the passes do not compare.
    turn_ms = trials.definition.turn_ms
    alike = [r for r in trials.instrumented if r.definition.turn_ms == turn_ms]
    # A number that was read off has no spread to judge.
    if rates and not exact.counted(trials.definition):
        warnings += [
            warn.few_repeats(len(rates)),
            warn.spread(median_interval(rates)),
            warn.first_run_slow(rates),
            warn.drift(rates),
            warn.bimodal(rates),
            warn.observer_effect(rates, readings(alike, headline)),
            _bursty(trials.outside),
            _clock(trials.outside),
        ]
    return tuple(warning for warning in warnings if warning)


def _bursty(records: Sequence[Record]) -> Warning_ | None:
    """Pacing is judged where the schedule was met; else the tester is warned of already."""
    schedule = [r for record in records if (r := record.evidence.schedule_ratio) is not None]
    rates = readings(records, "offered_pps")
    if not schedule or not rates or median(schedule) < ON_SCHEDULE:
        return None
    late = [record.evidence.late_ns.get("p99", 0.0) for record in records]
    return warn.bursty_sender(
        median(rates),
        median(late),
        median(record.evidence.gaps_over_1ms for record in records),
        middle([record.definition.duration_s for record in records]) or 0.0,
    )


def _clock(records: Sequence[Record]) -> Warning_ | None:
    error_ns, delay_ns = (
        middle(readings(records, name)) or 0.0 for name in ("clock_error_ns", "delay_p50_ns")
    )
    return warn.clock(error_ns, delay_ns)
