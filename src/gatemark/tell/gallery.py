# SPDX-License-Identifier: Apache-2.0
"""All figures of a page, in its order: a table of charts beside the data that they take.

A new chart is an entry of a module in chart/ and a word here.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from gatemark.kind.kinds import entries
from gatemark.tell.chart import (
    bar,
    capture,
    change,
    cpu,
    delays,
    ladder,
    over_time,
    packet,
    payload,
    queue,
    search,
    size,
    swept,
)
from gatemark.tell.chart.figure import Entries, Figure, Figures, by
from gatemark.tell.group import cost, latency, study
from gatemark.tell.group.queue import scenes
from gatemark.tell.group.source import Source


def _of_kinds(source: Source) -> Iterator[Figure | None]:
    for kind in entries("figure", Figures).values():
        yield from kind.of(source)


# Searches, captures, sweeps, queues, delays, ladders, paths, studies, kinds, the rest.
ENTRIES: Final[tuple[Entries[Any], ...]] = (
    Entries(search.searches, search.THROUGHPUT),
    Entries(search.traced, search.PATH),
    Entries(search.shares, search.SHARES),
    Entries(capture.watches, capture.WATCHED),
    Entries(
        swept.sweeps,
        swept.KNEE,
        swept.DELAY,
        swept.PERCENTILE,
        by(delays.CDF, delays.of_sweep),
        swept.CPU,
        by(over_time.TIME, over_time.of_sweep),
    ),
    Entries(scenes, queue.WAITS, queue.PACKETS, queue.SAWTOOTH, queue.TRADEOFF),
    Entries(
        lambda s: [(s, timed) for timed in latency.groups(s.judgement, s.run.plans)],
        by(delays.CDF, delays.of_timed),
        by(over_time.TIME, over_time.of_timed),
    ),
    Entries(lambda s: ladder.ladders(s.judgement), ladder.WATERFALL),
    Entries(lambda s: ladder.walks(s.judgement), ladder.SIZES),
    Entries(lambda s: s.judgement.fronts, ladder.PARETO),
    Entries(lambda s: packet.paths(s.judgement), packet.SUBSYSTEMS),
    Entries(packet.estimated, packet.ESTIMATE),
    Entries(
        lambda s: [(s, shown) for shown in study.studies(s.judgement, s.run.plans)],
        by(size.THROUGHPUT, size.payload),
        by(size.PLATEAU, size.shares),
        by(payload.STUDY, payload.of_study),
        by(over_time.TIME, over_time.of_study),
    ),
    Entries(_of_kinds, lambda figure: figure),
    Entries(cpu.loads, cpu.LOAD),
    Entries(cpu.uses, cpu.THREADS),
    Entries(lambda s: cost.groups(s.judgement), change.CHANGE),
    Entries(packet.models, packet.PREDICTED, packet.PACKET),
    Entries(change.boots, change.BOOTS),
    Entries(bar.singles, bar.SINGLE),
    Entries(bar.ceilings, bar.CEILING),
    Entries(payload.ceilings, payload.CEILING),
)


def figures(source: Source) -> list[Figure]:
    """Return all that a run, or the runs of a page together, have data for."""
    drawn = [figure for entries in ENTRIES for figure in entries.figures(source)]
    times = Counter(figure.title for figure in drawn)
    return [  # two plans may find the same: the title of each then names its plan
        replace(figure, title=f"{figure.title} (plan {figure.plan})")
        if times[figure.title] > 1 and figure.plan
        else figure
        for figure in drawn
    ]
