# SPDX-License-Identifier: Apache-2.0
"""Judge a run: from its records to points, knees, limits, warnings and the answer."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import TypeVar

from msgspec.structs import replace

from gatemark import number
from gatemark.judge import remedy
from gatemark.judge.cause import find as cause
from gatemark.judge.change import exact, exact_ab
from gatemark.judge.change.arms import DIRECT, changes, comparisons
from gatemark.judge.change.compare import NOISE
from gatemark.judge.change.crosscheck import cross_checks
from gatemark.judge.change.ladder import holds_zero, ladders, quantity_of
from gatemark.judge.change.pareto import fronts
from gatemark.judge.change.rising import rising
from gatemark.judge.change.sampled import Sampled, sampled
from gatemark.judge.finding import Diagnosis
from gatemark.judge.judgement import (
    Change,
    Judgement,
    Knee,
    Ladder,
    Limit,
    PointResult,
    Queue,
    Step,
    Travel,
    Warning_,
)
from gatemark.judge.math.interval import Interval, median_interval
from gatemark.judge.point import estimate, warn
from gatemark.judge.point.boot import samples as each
from gatemark.judge.point.capture import watched
from gatemark.judge.point.ceiling import ceiling, highest
from gatemark.judge.point.facts import gather, late, link, tester_cpu
from gatemark.judge.point.group import Group, group, middle, readings
from gatemark.judge.point.kind import Judge
from gatemark.judge.point.limit import ON_SCHEDULE, Verdict, decide
from gatemark.judge.point.path import travels
from gatemark.judge.point.sweep import RATES, Judged, knees
from gatemark.judge.point.timed import MEDIAN, is_timed
from gatemark.judge.queue.mixed import Sheaf
from gatemark.judge.queue.queues import queues
from gatemark.judge.refusal import refusals, skipped
from gatemark.judge.sentence import of_ab, of_travels, sentence
from gatemark.judge.shape import closer, searched
from gatemark.judge.shape.diagnose import diagnose, without_explained
from gatemark.judge.shape.factor import with_levels
from gatemark.judge.shape.name import at_knee, named
from gatemark.judge.shape.pairs import together
from gatemark.kind.kinds import entries
from gatemark.plan.model import WHOLE, Repeat
from gatemark.quantity import UNITS, is_own
from gatemark.store.record import INSTRUMENTED, Record, Scalar
from gatemark.store.run import Run
from gatemark.store.subsystem import Subsystem

# Of what is searched for, the value that says that there is an upper bound.
TOO_FAST = {"throughput": "too_fast_pps", "held rate": "too_fast_bps"}
# Kinds that are not judged by the rules for packets, by what their definitions are about.
JUDGES = {about: kind for kind in entries("point", Judge).values() for about in kind.quantities}
T = TypeVar("T", PointResult, Knee)
UNDER_LOAD = "instructions under load"  # a quantity that no tester limits, and no rate


def judge(
    run: Run,
    records: Sequence[Record],
    subsystems: Sequence[Subsystem] = (),
    sheaf: Sheaf | None = None,
) -> Judgement:
    """Everything that `show` and the report say about a run, finished or not.

    Paths of packets are told by `subsystems`; without any there are none. Queues are told by the
    series of the trials (stats.queue.mixed.files says which); without these there are none.
    """
    done = {record.trial for record in records}
    missing = sum(spec.trial not in done for spec in run.trials)
    records = [record for record in records if record.pass_ != "warmup"]
    alone, judged = _judged(run, records)
    every = [result for _, result in alone]
    floors = _floors(every)
    ceilings = tuple(point for point in every if point not in floors)
    timed = [pair for pair in judged if is_timed(pair[1], run.plans)]
    swept = [pair for pair in _untimed(run, judged) if not _is_whole(run, pair[1])]
    diagnoses, found_knees = _diagnosed(alone, judged, swept)
    diagnoses = (*closer.completed(diagnoses, records), *searched.diagnosed(records))
    diagnoses = with_levels(cause.named(diagnoses, records))
    judged = [(trials, named(result, diagnoses)) for trials, result in judged]
    points = tuple(result for _, result in judged)
    found_ladders = (*ladders(run.plans, judged), *exact.ladders(run.plans, judged, run.ab))
    found_travels = travels((group for group, _ in judged), subsystems) if subsystems else ()
    estimated = estimate.estimates(run.plans, records)
    rated = [pair for pair in swept if _is_rate(pair[0])]  # an arm's room is no speed
    compared = comparisons(run.plans, _compared(run, (rated, timed), found_knees), _least(run))
    tools = sampled(run, (*alone, *swept), found_knees)
    invalid = sum(record.status == "invalid" for record in records)
    made = Judgement(
        ceilings=_fitted(run, missing, ceilings),
        points=_fitted(run, missing, points),
        knees=_fitted(run, missing, found_knees),
        floors=_fitted(run, missing, floors),
        comparisons=compared,
        cross_checks=cross_checks(tools, (*alone, *swept)),
        watched=watched(points),
        ladders=found_ladders,
        fronts=fronts(run.plans, points),
        travels=found_travels,
        estimates=estimated,
        diagnoses=tuple(diagnosis for diagnosis in diagnoses if diagnosis.findings),
        executed=exact.executed(run.plans, judged),
        queues=_ordered(run, queues(run.trials, records, sheaf or {})),
        refusals=refusals(map(skipped, records), run.plans),
        sentence="",
        warnings=(
            *_of_run(run, judged, ceilings, invalid, missing),
            *_of_twins(run, found_ladders),
            *rising(points),
            *_of_travels(found_travels),
        ),
        trials=len(done),
        invalid=invalid,
        missing=missing,
    )
    return replace(made, sentence=_sentence(run, records, made))


def _sentence(run: Run, records: Sequence[Record], judged: Judgement) -> str:
    """Return the answer: of an A/B test, of estimates or paths alone, else of rates."""
    if run.ab and (tested := exact_ab.findings(run.ab, judged)):
        return exact_ab.sentence(run.ab, tested)
    if run.ab and judged.comparisons:
        return of_ab(run.ab, judged.comparisons)
    alone = all(record.definition.quantity == UNDER_LOAD for record in records)
    if judged.estimates and alone:
        return estimate.sentence(judged.estimates)
    if judged.travels and all(exact.counted(point.definition) for point in judged.points):
        return of_travels(run, judged.travels)
    return sentence(run, records, judged)


def arms(run: Run, records: Sequence[Record]) -> list[tuple[Sampled, Sampled, Change]]:
    """What `comparisons` of a judgement compares: the first arm's, another's, the change."""
    return changes(run.plans, compared(run, records), _least(run))


def compared(run: Run, records: Sequence[Record]) -> list[Sampled]:
    """What arms are compared by: knees, points by their headline, single rates of a sweep too."""
    alone, judged = _judged(run, records)
    parts = [[p for p in judged if is_timed(p[1], run.plans) is timed] for timed in (False, True)]
    _, kept_knees = _diagnosed(alone, judged, parts[0])
    return _compared(run, (parts[0], parts[1]), kept_knees)


def _diagnosed(
    alone: Sequence[Judged], judged: Sequence[Judged], swept: Sequence[Judged]
) -> tuple[tuple[Diagnosis, ...], tuple[Knee, ...]]:
    """What is wrong, and the knees without what that explains: the same wherever one is told."""
    found_shapes = diagnose([trials for trials, _ in judged], [trials for trials, _ in alone])
    diagnoses = tuple(together(found_shapes))
    cleared = knees(swept, without_explained(found_shapes))
    return diagnoses, tuple(at_knee(knee, diagnoses) for knee in cleared)


def _compared(
    run: Run, parts: tuple[Sequence[Judged], Sequence[Judged]], knees: Sequence[Knee]
) -> list[Sampled]:
    """Rates and knees by their headline; where only the delay was asked for, that."""
    swept, timed = parts
    return sampled(run, swept, knees) + sampled(run, timed, (), (MEDIAN,))


def _least(run: Run) -> float:
    """From which change on one is told."""
    return run.ab.allow if run.ab else NOISE


def samples(run: Run, records: Sequence[Record], quantities: Sequence[str] = ()) -> list[Sampled]:
    """What runs are compared by: the tester's ceilings, then knees and points."""
    alone, judged = _judged(run, records)
    rated = _untimed(run, judged)
    swept = [pair for pair in rated if not _is_whole(run, pair[1])]
    _, kept_knees = _diagnosed(alone, judged, swept)
    if quantities:
        return sampled(run, (*alone, *judged), kept_knees, quantities)
    floors = _floors([result for _, result in alone])
    ceilings = [pair for pair in alone if pair[1] not in floors]
    return sampled(run, (*ceilings, *rated), kept_knees)


def _untimed(run: Run, judged: Sequence[Judged]) -> list[Judged]:
    """Points whose rate is an answer."""
    return [pair for pair in judged if not is_timed(pair[1], run.plans)]


def _is_whole(run: Run, point: PointResult) -> bool:
    """Whether its plan's figure tells all arms, or packets went one by one: no sweep."""
    return exact.counted(point.definition) or any(
        plan.name == point.plan and plan.figure in WHOLE for plan in run.plans
    )


def _judged(run: Run, records: Sequence[Record]) -> tuple[list[Judged], list[Judged]]:
    """The tester alone, and all the others, each in the order of the plans."""
    groups = sorted(group(records), key=lambda group: _place(run, group))
    alone = [(group, _ceiling(group)) for group in groups if group.definition.path == DIRECT]
    ceilings = [result for _, result in alone]
    others = [group for group in groups if group.definition.path != DIRECT]
    points = [(other, _point(other, ceilings)) for other in others]
    return alone, [(group, _sided(result)) for group, result in points] if run.ab else points


def _sided(result: PointResult) -> PointResult:
    """Of an A/B test: both arms may have one setup, so it is told with the arm."""
    return result.about(setup=f"{result.arm}: {result.setup}")


def _judge(trials: Group) -> Judge | None:
    """Return the rules of its kind; None: those for packets."""
    return JUDGES.get(trials.definition.quantity)


def _is_rate(trials: Group) -> bool:
    kind = _judge(trials)
    return kind is None or kind.is_rate


def _floors(alone: Sequence[PointResult]) -> tuple[PointResult, ...]:
    """Rates that the tester alone keeps, where it did more of the same traffic.

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
    if kind := _judge(trials):
        verdict = kind.decide(trials, ceilings)
    else:
        verdict = decide(gather(trials, ceiling(ceilings, trials.definition)))
    at_least = verdict.limit == "tester" or _unbounded(trials, verdict)
    return _result(trials, verdict, at_least=at_least)


def _unbounded(trials: Group, verdict: Verdict) -> bool:
    """Whether a search found no upper bound: its highest rate, or longest burst, came through."""
    if name := TOO_FAST.get(trials.definition.quantity):
        bounds = readings(trials.outside, name)
        return bool(trials.outside) and 2 * len(bounds) < len(trials.outside)
    return verdict.limit == "none" and trials.definition.quantity == "burst"


def _ceiling(trials: Group) -> PointResult:
    """The tester alone: what it cannot do is its own limit, and no lower bound."""
    if (kind := _judge(trials)) and kind.has_ceiling:
        verdict = kind.decide(trials, ())
    else:
        verdict = decide(gather(trials, None))
    if trials.outside and verdict.limit not in ("none", "link", "line"):
        verdict = Verdict("tester", "no gateway between LAN host and WAN host")
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
    return [name for record in records for name in record.values if is_own(name)]


def _of_point(trials: Group, limit: Limit, why: str) -> tuple[Warning_, ...]:
    headline = trials.definition.headline
    rates = each(trials.outside, headline)
    warnings = [
        warn.tester_limited(limit, why),
        warn.late_line(limit, late(trials.outside)),
        warn.invalid_trials(trials.invalid),
        warn.throttled([record.evidence for record in trials.instrumented]),
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


def _of_run(
    run: Run,
    judged: Sequence[tuple[Group, PointResult]],
    ceilings: Sequence[PointResult],
    invalid: int,
    missing: int,
) -> tuple[Warning_, ...]:
    warnings = [warn.invalid_trials(invalid), warn.incomplete(missing, _resume(run))]
    tests = [group.definition for group, _ in judged if group.outside]
    # Read always, and no rate.
    judged = [p for p in judged if (kind := _judge(p[0])) is None or kind.is_bounded]
    judged = [p for p in judged if p[0].definition.quantity != UNDER_LOAD]
    judged = [p for p in judged if not p[0].definition.line]  # that is the bottleneck, by its books
    alone = any(ceiling.definition.headline in ceiling.values for ceiling in ceilings)
    # A full line bounds the goodput of a test, and says nothing of the time that its own ends take.
    kinds = [(JUDGES.get(test.quantity), test) for test in tests]
    unchecked = any(kind.is_unchecked(test, ceilings) for kind, test in kinds if kind)
    if (judged and not alone) or unchecked:
        asked = any(arm.path == DIRECT for plan in run.plans for arm in plan.arm)
        warnings.append(warn.no_ceiling(asked=asked and not unchecked, line=unchecked))
    lossy = [g for g, result in judged if result.limit not in ("none", "tester") and g.outside]
    lossy = [g for g in lossy if (kind := _judge(g)) is None or not kind.is_read]
    booted = all(plan.repeat.boots for plan in run.plans)  # those have no instrumented pass
    asked = any(plan.probe.use for plan in run.plans if plan.name in {g.plan for g in lossy})
    unread = lossy and not any(trials.instrumented for trials in lossy)
    if unread and not booted and not (asked and missing):  # else it is still to come
        warnings.append(warn.no_instrumented_pass(asked=asked))
    return tuple(warning for warning in warnings if warning)


def _resume(run: Run) -> str:
    """The command that goes on with a run."""
    return "gatemark campaign resume FOLDER" if run.sides else f"gatemark run --resume {run.run}"


def _fitted(run: Run, missing: int, results: Iterable[T]) -> tuple[T, ...]:
    """Points or knees, with advice that their plans do not follow already."""
    resume = _resume(run) if missing else ""

    def fit(result: T) -> T:
        asked = _repeat(run, result.plan)
        own = [remedy.fitted(warned, asked, resume) for warned in result.warnings]
        return replace(result, warnings=tuple(own)) if own else result

    return tuple(map(fit, results))


def _repeat(run: Run, name: str) -> Repeat:
    """The `[repeat]` of a plan."""
    return next((plan.repeat for plan in run.plans if plan.name == name), warn.ANY)


def _of_twins(run: Run, ladders: Sequence[Ladder]) -> list[Warning_]:
    twins = [(ladder, step) for ladder in ladders for step in ladder.steps if step.twin]
    return [
        remedy.fitted(
            warn.twin_differs(step.arm, step.against, _difference(step, quantity_of(ladder))),
            _repeat(run, ladder.plan),
        )
        for ladder, step in twins
        if not holds_zero(step, quantity_of(ladder))
    ]


def _difference(step: Step, quantity: str) -> str:
    return number.quantity(abs(step.costs[quantity].difference.value), UNITS[quantity])


def _of_travels(travels: Sequence[Travel]) -> list[Warning_]:
    worst = max((travel.unmatched for travel in travels), default=0.0)
    return [warning for warning in [warn.unnamed_functions(worst)] if warning]


def _ordered(run: Run, seen: Sequence[Queue]) -> tuple[Queue, ...]:
    """In the order of the plans; a trial's place in the run is drawn."""
    return tuple(sorted(seen, key=lambda queue: _place(run, queue)))


def _place(run: Run, trials: Group | Queue) -> tuple[object, ...]:
    """The order of the plans, of their arms, then of the factors' levels."""
    plans = {plan.name: i for i, plan in enumerate(run.plans)}
    arms = {
        (plan.name, arm.name or arm.setup): i
        for plan in run.plans
        for i, arm in enumerate(plan.arm)
    }
    sweep = next((plan.sweep for plan in run.plans if plan.name == trials.plan), {})
    levels = [
        (name, *_level(level, sweep.get(name, ())))
        for name, level in sorted(trials.point.items(), key=lambda item: item[0] in RATES)
    ]
    plan, arm = plans.get(trials.plan, len(plans)), arms.get((trials.plan, trials.arm), len(arms))
    return (plan, trials.plan, arm, trials.arm, levels)


def _level(level: Scalar, levels: Sequence[Scalar]) -> tuple[int, float, str]:
    """Rates and sizes by number, words as the plan lists them."""
    if not isinstance(level, str):
        return 0, float(level), ""
    return 1, levels.index(level) if level in levels else len(levels), level
