# SPDX-License-Identifier: Apache-2.0
"""Queues that are shown together: one flow and direction of one plan, over a line of one rate."""

from collections.abc import Sequence
from dataclasses import dataclass

from gatemark.judge.judgement import Queue
from gatemark.judge.queue.flow import Flow, pooled
from gatemark.judge.queue.queues import Sight, sights
from gatemark.tell.group import sweep
from gatemark.tell.group.each_run import by_run
from gatemark.tell.group.source import Source
from gatemark.tell.words import number, traffic

IDLE = "no load"


@dataclass(frozen=True, slots=True)
class Loaded:
    """One point: what was judged of its queue, and what each of its trials saw."""

    queue: Queue
    sights: Sequence[Sight]

    @property
    def label(self) -> str:
        """The arm, and the levels of the factors: `nat, uploads: 4 streams`."""
        factors = (traffic.factor(name, level) for name, level in self.queue.point.items())
        return ", ".join([self.queue.arm, *factors])

    @property
    def flow(self) -> Flow:
        """The packets of all trials that were sent under the load."""
        return pooled(sight.seen.loaded for sight in self.sights)


@dataclass(frozen=True, slots=True)
class Scene:
    """Points that differ in arm and load."""

    loaded: tuple[Loaded, ...]

    @property
    def first(self) -> Queue:
        """The definition of its first point."""
        return self.loaded[0].queue

    @property
    def plan(self) -> str:
        """Its name."""
        return self.first.plan

    @property
    def anchor(self) -> str:
        """What the names of its figures end in."""
        bps = [f"{self.first.line_bps / 1e6:g}"] if self.first.line_bps else []
        flow = [self.first.flow] if self.first.flow else []
        return sweep.plain("-".join([self.plan, *flow, self.first.way, *bps]))

    @property
    def idle(self) -> Flow:
        """The same flow without a load, of the first point's trials."""
        return self.loaded[0].sights[0].idle.flow

    @property
    def idle_label(self) -> str:
        """Its line's name, with the arm that it is of."""
        return f"{self.first.arm}, {IDLE}"

    @property
    def what(self) -> str:
        """Flow, direction and line in words: `game ↑ up over a line of 1 Mbit/s`."""
        words = f"{flow_name(self.first)} {traffic.way(self.first.way)}"
        if not self.first.line_bps:
            return words
        return f"{words} over a line of {number.nominal(self.first.line_bps, 'bit/s')}"


def flow_name(queue: Queue) -> str:
    """The flow whose packets tell of a queue: its workload, else what the plan replays."""
    return queue.flow or queue.definition.trace or "flow"


def scenes(source: Source) -> list[Scene]:
    """All of a run, or of the runs of a page, in the order of the queues; none without series."""
    seen = {
        (members.plan, members.arm, *sorted(members.point.items()), *flow): own
        for run in by_run(source).values()
        for members, flow, own in sights(run.run.trials, run.records, run.sheaf)
    }
    parts: dict[tuple[object, ...], list[Loaded]] = {}
    for queue in source.judgement.queues:
        key = (queue.plan, queue.arm, *sorted(queue.point.items()), queue.flow, queue.way)
        if key in seen:
            scene = (queue.plan, queue.flow, queue.way, queue.line_bps)
            parts.setdefault(scene, []).append(Loaded(queue, seen[key]))
    return [Scene(tuple(loaded)) for loaded in parts.values()]
