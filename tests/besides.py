# SPDX-License-Identifier: Apache-2.0
"""Hand-made points of a flow beside uploads, with the queue that it saw."""

from dataclasses import dataclass, field

import builder
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement, PointResult, Queue
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.judge.verdict.verdict import Verdict, verdicts
from gatemark.store.record import Definition, Scalar

MS = 1e6
UPLOAD = ("uploads: tcp congestion=cubic",)
Seen = tuple[PointResult, tuple[Queue, ...]]


def exactly(value: float) -> Interval:
    return Interval(value, value, value, 6, 0.97)


@dataclass(frozen=True, kw_only=True)
class At:
    """Whose point it is, and what it has besides its queue."""

    arm: str = "none"
    features: tuple[str, ...] = ()
    trace: str = "game"
    point: dict[str, Scalar] = field(default_factory=dict)
    beside: tuple[str, ...] = UPLOAD
    values: dict[str, float] = field(default_factory=dict)
    dscp: int = 0
    flow: str = ""  # the workload whose packets told of the queue


def seen(added_ms: float = 100.0, at: At | None = None, **more: float) -> Seen:
    """A flow both ways beside an upload: `more` are values of the queue without their prefix."""
    at = at or At()
    definition = Definition(
        path="nat",
        features=at.features,
        direction="both",
        l4="replay",
        trace=at.trace,
        beside=at.beside,
        dscp=at.dscp,
    )
    subject = Subject(
        plan="delay/home",
        arm=at.arm,
        setup=definition.setup,
        point=at.point,
        definition=definition,
    )
    told = {"down.delay_mean_ns": 1 * MS, "down.loss_ratio": 0.0} | at.values
    made = PointResult(
        subject=subject,
        values={name: exactly(value) for name, value in told.items()},
        limit="none",
        why="",
        at_least=False,
        invalid=0,
    )
    own = {
        "added_mean_ns": added_ms * MS,
        "added_p99_ns": 2 * added_ms * MS,
        "delay_mean_ns": (added_ms + 1) * MS,
        "loss_ratio": 0.0,
        "missed_50ms_ratio": 0.0,
        "goodput_bps": 14e6,
    }
    queue = Queue(
        subject=subject,
        flow=at.flow,
        way="up",
        loads=("uploads",),
        line_bps=15e6,
        buffer_bytes=None,
        compared="",
        values={f"queue_{name}": exactly(value) for name, value in (own | more).items()},
        expected={},
        why=(),
    )
    return made, (queue,)


def judged(*points: Seen) -> Judgement:
    return replace(
        builder.nothing(),
        points=tuple(point for point, _ in points),
        queues=tuple(queue for _, queues in points for queue in queues),
    )


def verdict(*points: Seen) -> Verdict:
    (made,) = verdicts(judged(*points))
    return made


def limited(made: Seen, limit: str) -> Seen:
    """The same with something that held it back."""
    return replace(made[0], limit=limit), made[1]
