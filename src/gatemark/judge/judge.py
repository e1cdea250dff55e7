# SPDX-License-Identifier: Apache-2.0
"""Judge a run: from its records to points, knees, limits, warnings, and what is compared."""

from collections.abc import Sequence

import msgspec

from gatemark.judge import advice
from gatemark.judge.cause import find as cause
from gatemark.judge.change import exact
from gatemark.judge.change.arms import comparisons
from gatemark.judge.change.compare import NOISE
from gatemark.judge.change.crosscheck import cross_checks
from gatemark.judge.change.ladder import ladders
from gatemark.judge.change.pareto import fronts
from gatemark.judge.change.rising import rising
from gatemark.judge.change.sampled import Sampled, sampled
from gatemark.judge.finding import Diagnosis
from gatemark.judge.judgement import Judgement, Knee, Queue
from gatemark.judge.order import place
from gatemark.judge.point import estimate
from gatemark.judge.point.capture import watched
from gatemark.judge.point.path import travels
from gatemark.judge.point.sweep import knees
from gatemark.judge.point.timed import MEDIAN
from gatemark.judge.points import Points, diagnosed, is_rate, is_whole, measured, results
from gatemark.judge.queue.mixed import Sheaf
from gatemark.judge.queue.queues import queues
from gatemark.judge.refusal import refusals, skipped
from gatemark.judge.shape import closer, searched
from gatemark.judge.shape.diagnose import diagnose, without_explained
from gatemark.judge.shape.factor import with_levels
from gatemark.judge.shape.name import at_knee, named
from gatemark.judge.shape.pairs import together
from gatemark.store.record import Record
from gatemark.store.run import Run
from gatemark.store.subsystem import Subsystem


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """All that the records of a run come to: made once, then kept with the run and read there."""

    judgement: Judgement
    # Runs are compared by these: the tester's ceilings, knees, points by their headline.
    rows: tuple[Sampled, ...]
    delays: tuple[Sampled, ...]  # arms by these, too: points whose answer is the delay

    @property
    def compared(self) -> tuple[Sampled, ...]:
        """Arms are compared by these."""
        return (*self.rows, *self.delays)


def judge(
    run: Run,
    records: Sequence[Record],
    subsystems: Sequence[Subsystem] = (),
    sheaf: Sheaf | None = None,
) -> Judgement:
    """Return the judgement alone, of what `judged` returns."""
    return judged(run, records, subsystems, sheaf).judgement


def judged(
    run: Run,
    records: Sequence[Record],
    subsystems: Sequence[Subsystem] = (),
    sheaf: Sheaf | None = None,
    quantities: Sequence[str] = (),
) -> Judged:
    """Judge a run, finished or not, in one pass over its records.

    Paths of packets are told by `subsystems`; without any there are none. Queues are told by the
    series of the trials (judge.queue.mixed.files says which); without these there are none. With
    `quantities` the rows are of these, at every point.
    """
    done = {record.trial for record in records}
    missing = sum(spec.trial not in done for spec in run.trials)
    records = [record for record in records if record.pass_ != "warmup"]
    points = measured(run, records)
    diagnoses, found_knees = _diagnosed(run, points, records)
    through = [(trials, named(result, diagnoses)) for trials, result in points.through]
    through_results = results(through)
    found_ladders = (*ladders(run.plans, through), *exact.ladders(run.plans, through, run.ab))
    found_travels = travels((group for group, _ in through), subsystems) if subsystems else ()
    alone = sampled(run, points.alone, ())
    floors = {id(trials.subject) for trials, _ in points.floors}
    rated = sampled(run, points.rated, found_knees)
    delays = sampled(run, points.timed, (), (MEDIAN,))
    fast = [row for row in rated if is_rate(row) and not is_whole(run, row)]
    swept = [row for row in rated if not is_whole(run, row)]
    invalid = sum(record.status == "invalid" for record in records)
    ceilings = results(points.ceilings)
    judgement = Judgement(
        ceilings=advice.fitted(run, missing, ceilings),
        points=advice.fitted(run, missing, through_results),
        knees=advice.fitted(run, missing, found_knees),
        floors=advice.fitted(run, missing, results(points.floors)),
        comparisons=comparisons(run.plans, (*fast, *delays), least(run)),
        cross_checks=cross_checks((*alone, *swept), (*points.alone, *points.swept)),
        watched=watched(through_results),
        ladders=found_ladders,
        fronts=fronts(run.plans, through_results),
        travels=found_travels,
        estimates=estimate.estimates(run.plans, records),
        diagnoses=tuple(diagnosis for diagnosis in diagnoses if diagnosis.findings),
        executed=exact.executed(run.plans, through),
        queues=_ordered(run, queues(run.trials, records, sheaf or {})),
        refusals=refusals(map(skipped, records), run.plans),
        warnings=(
            *advice.of_run(run, through, ceilings, invalid, missing),
            *advice.of_twins(run, found_ladders),
            *rising(through_results),
            *advice.of_travels(found_travels),
        ),
        trials=len(done),
        invalid=invalid,
        missing=missing,
    )
    if quantities:
        every = sampled(run, (*points.alone, *points.through), found_knees, quantities)
        return Judged(judgement=judgement, rows=tuple(every), delays=())
    limits = [row for row in alone if id(row.subject) not in floors]
    return Judged(judgement=judgement, rows=(*limits, *rated), delays=tuple(delays))


def _diagnosed(
    run: Run, points: Points, records: Sequence[Record]
) -> tuple[tuple[Diagnosis, ...], tuple[Knee, ...]]:
    """Return what is wrong, and the knees without what its shapes explain.

    Of shapes nothing where no CPU is seen: a full one loses in all of them.
    """
    by_kind = tuple(diagnosed(points))
    if not run.station.sees_cpu:
        return by_kind, tuple(knees(points.swept, {}))
    through, alone = ([trials for trials, _ in part] for part in (points.through, points.alone))
    shapes = diagnose(through, alone)
    diagnoses = tuple(together(shapes))
    cleared = knees(points.swept, without_explained(shapes))
    found_knees = tuple(at_knee(knee, diagnoses) for knee in cleared)
    diagnoses = (*closer.completed(diagnoses, records), *searched.diagnosed(records), *by_kind)
    return with_levels(cause.named(diagnoses, records)), found_knees


def least(run: Run) -> float:
    """Return from which change on arms are told to differ."""
    return run.ab.allow if run.ab else NOISE


def _ordered(run: Run, seen: Sequence[Queue]) -> tuple[Queue, ...]:
    """In the order of the plans; a trial's place in the run is drawn."""
    return tuple(sorted(seen, key=lambda queue: place(run, queue)))
