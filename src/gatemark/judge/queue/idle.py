# SPDX-License-Identifier: Apache-2.0
"""The same flow without a load: of trials without one, or of the time before the load began.

`added` is what a load adds to these, so the nearest ones are taken: the same arm's first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.judge.fact import Text, fact, several
from gatemark.judge.queue.flow import Flow, pooled
from gatemark.judge.queue.mixed import Workload

FEWEST: Final = 20  # packets before a load that tell the shortest delay
ALWAYS_NS: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Idle:
    """What a delay is compared with."""

    flow: Flow
    least_ns: float  # of the way without a queue
    source: Text  # in words: whose it is


def idle(workload: Workload, way: str, began_ns: float, others: Sequence[Workload]) -> Idle:
    """Of one trial's flow. `others`: the same flow in trials over a like line without a load.

    Those of the same arm count, else of its plan, else of its path. Where there are none, the time
    before `began_ns` does; where that is too short, the shortest delay of all stands alone.
    """
    flow = workload.flow(way)
    assert flow is not None
    before = flow.between(-ALWAYS_NS, began_ns)
    far = [_far(workload, other) for other in others]
    own = [other for other, steps in zip(others, far, strict=True) if steps == min(far)]
    alone = pooled(f for other in own if (f := other.flow(way)) is not None)
    enough = len(before.delay_ns) >= FEWEST
    if alone.delay_ns:
        names = several(dict.fromkeys(other.record.arm for other in own))
        least_ns = before.least_ns if enough else min(alone.least_ns, flow.least_ns)
        return Idle(alone, least_ns, fact("queue.alone", names=names))
    if enough:
        return Idle(before, before.least_ns, fact("queue.earlier"))
    return Idle(Flow((), ()), flow.least_ns, "")


def _far(workload: Workload, other: Workload) -> tuple[bool, bool, bool]:
    """How unlike two trials are: the smaller, the nearer."""
    its, record = other.record, workload.record
    same_path = its.definition.path == record.definition.path
    return its.arm != record.arm or its.plan != record.plan, its.plan != record.plan, not same_path
