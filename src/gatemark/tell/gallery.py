# SPDX-License-Identifier: Apache-2.0
"""All figures of a page, in its order: where it stops, delays, who is busy, what it costs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gatemark.judge.point.load import loads
from gatemark.kind.kinds import entries
from gatemark.store.reference import published
from gatemark.tell.answer import estimate as words
from gatemark.tell.chart import (
    bar,
    boot,
    capture,
    cdf,
    change,
    cpu,
    delay,
    estimate,
    group,
    instructions,
    knee,
    load,
    over_time,
    packets,
    pareto,
    percentile,
    predicted,
    size,
    subsystem,
    thread,
    throughput,
    waits,
    waterfall,
)
from gatemark.tell.chart.figure import Figure, Figures
from gatemark.tell.group import cost, latency, study, sweep
from gatemark.tell.group.queue import scenes
from gatemark.tell.group.source import Source


def figures(source: Source) -> list[Figure]:
    """Searches, captures, sweeps, queues, delays, ladders, paths, studies, the rest."""
    drawn = (
        *_searches(source),
        *capture.figures(source.judgement, published()),
        *_sweeps(source),
        *_queues(source),
        *_timed(source),
        *waterfall.figures(source.judgement),
        *instructions.figures(source.judgement),
        *pareto.figures(source.judgement),
        *subsystem.figures(source.judgement),
        *estimate.figures(source.judgement, published(), words.kernels(source)),
        *_studies(source),
        *_rest(source),
    )
    return _distinct([figure for figure in drawn if figure is not None])


def _distinct(drawn: Sequence[Figure]) -> list[Figure]:
    """Two plans may find the same: the title of each then names its plan."""
    times = Counter(figure.title for figure in drawn)
    return [
        replace(figure, title=f"{figure.title} (plan {figure.plan})")
        if times[figure.title] > 1 and figure.plan
        else figure
        for figure in drawn
    ]


def _searches(source: Source) -> Iterator[Figure | None]:
    yield from throughput.figures(source.judgement)
    yield from throughput.paths(source.judgement, source.records)
    yield from throughput.shares(source.judgement)


def _sweeps(source: Source) -> Iterator[Figure | None]:
    judgement = source.judgement
    for knees in sweep.groups(judgement):
        if not sweep.points_of(judgement, knees[0]):
            continue
        yield knee.figure(source, knees)
        yield delay.figure(judgement, knees)
        yield percentile.figure(judgement, knees)
        yield cdf.of_sweep(judgement, knees, source.records, source.sheaf)
        yield cpu.figure(judgement, knees)
        yield over_time.of_sweep(judgement, knees, source.records, source.sheaf)


def _queues(source: Source) -> Iterator[Figure | None]:
    for scene in scenes(source):
        yield waits.figure(scene)
        yield packets.figure(scene)
        yield packets.sawtooth(scene)
        yield waits.tradeoff(scene)


def _timed(source: Source) -> Iterator[Figure | None]:
    for timed in latency.groups(source.judgement, source.run.plans):
        yield cdf.of_timed(timed, source)
        yield over_time.of_timed(timed, source.records, source.sheaf)


def _studies(source: Source) -> Iterator[Figure | None]:
    for shown in study.studies(source.judgement, source.run.plans):
        if shown.shape == "curve":
            yield from size.figures(source, shown)
        else:
            yield group.figure(source, shown)
        yield over_time.of_study(shown, source.records, source.sheaf)


def _rest(source: Source) -> Iterator[Figure | None]:
    for kind in entries("figure", Figures).values():
        yield from kind.of(source)
    yield from load.figures(loads(source.records))
    yield from thread.figures(source.judgement, source.records)
    yield from (change.figure(group) for group in cost.groups(source.judgement))
    if source.model:
        yield predicted.figure(source.model)
        yield predicted.packet(source.model)
    yield from boot.figures(source.judgement, source.records)
    yield bar.singles(source.judgement, source.run.plans)
    yield bar.ceilings(source.judgement)
    yield group.ceilings(source.judgement)
