# SPDX-License-Identifier: Apache-2.0
"""How a queue begins and ends: until when it is not steady, how far it overshoots, how it recovers.

D29: steady is the queue from the time on from which its medians stay near the median of the load's
second half. A sawtooth that is slower than a second is read in steps of its period.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from gatemark.judge.math.nearest import percentile
from gatemark.judge.queue.flow import S_NS, Flow

NEAR: Final = 0.2  # of the second half's median
STEP_NS: Final = S_NS  # of a median
LEAST_NS: Final = 5_000_000  # a wait below this is no queue
IDLE: Final = 2.0  # times the idle p99 wait: a wait below that is none either
CALM_NS: Final = S_NS  # for so long the queue must be empty
HIGH: Final = 0.95
IN_A_ROW: Final = 10  # packets: the window of the classifier that ships


@dataclass(frozen=True, slots=True)
class Start:
    """The beginning of a load."""

    steady_ns: float  # from the load's first byte
    overshoot: float | None  # most wait before, over the p95 wait after; None: it had no queue


def start(
    flow: Flow, least_ns: float, span_ns: tuple[float, float], period_s: float = 0.0
) -> Start | None:
    """When the queue became steady; None if it never did.

    `span_ns`: the load's first byte and its last; `period_s`: of its sawtooth, 0: it has none.
    """
    began_ns, ended_ns = span_ns
    step_ns = max(STEP_NS, period_s * S_NS)
    steps = [m - least_ns for m in flow.medians(began_ns, ended_ns, step_ns)]
    at = steady_from(steps)
    if at is None:
        return None
    steady_ns = began_ns + at * step_ns
    first = flow.between(began_ns, max(steady_ns, began_ns + STEP_NS))
    before = [delay - least_ns for delay in first.delay_ns]
    after = [delay - least_ns for delay in flow.between(steady_ns, ended_ns).delay_ns]
    usual = percentile(after, HIGH) if after else 0.0
    overshoot = max(before) / usual if before and usual > LEAST_NS else None
    return Start(at * step_ns, overshoot)


@dataclass(frozen=True, slots=True)
class Joined:
    """The beginning of a flow that joins a load."""

    first_ns: float  # median delay of its packets until then
    settled_ns: float  # from its first packet


def joined(flow: Flow, load_ns: float) -> Joined | None:
    """When a flow that began after the load waits no longer than in its second half (its p95).

    It is settled from the first of so many packets in a row that do. None if it began before, if it
    never settles, or if it is settled from its first packet on: there was nothing to wait for.
    """
    delays = flow.delay_ns
    if len(delays) < 4 * IN_A_ROW or flow.sent_ns[0] <= load_ns:
        return None
    usual = percentile(delays[len(delays) // 2 :], HIGH)
    near = [delay <= usual for delay in delays]
    starts = range(len(near) - IN_A_ROW + 1)
    at = next((at for at in starts if all(near[at : at + IN_A_ROW])), 0)
    return Joined(median(delays[:at]), flow.sent_ns[at] - flow.sent_ns[0]) if at else None


def steady_from(steps: Sequence[float]) -> int | None:
    """The first step from which on all are within 20 % of the second half's median; None: none.

    A last step alone is no steady state, so two must be.
    """
    if len(steps) < 2:
        return None
    usual = median(steps[len(steps) // 2 :])
    near = [abs(step - usual) <= NEAR * usual for step in steps]
    last = next((at for at in range(len(near) - 1, -1, -1) if not near[at]), -1)
    return last + 1 if last + 1 <= len(steps) - 2 else None


def recovery_ns(flow: Flow, least_ns: float, idle_p99_ns: float, ended_ns: float) -> float | None:
    """How long after the load's last byte the queue was gone: for 1 s no packet waits or is lost.

    A wait counts from 5 ms or twice the idle p99 wait on. None if it was not seen for a second.
    `least_ns` and `idle_p99_ns` are delays: of the way without a queue, and without the load.
    """
    bound_ns = max(LEAST_NS, IDLE * (idle_p99_ns - least_ns))
    after = flow.between(ended_ns, float("inf"))
    last_ns = max([*after.sent_ns[-1:], *after.lost_ns[-1:]], default=ended_ns)
    waits = zip(after.sent_ns, after.delay_ns, strict=True)
    slow = [at for at, delay in waits if delay - least_ns >= bound_ns]
    calm_ns: float = ended_ns
    for at in sorted([*slow, *after.lost_ns]):
        if at - calm_ns >= CALM_NS:
            break
        place = bisect_right(after.sent_ns, at)
        calm_ns = after.sent_ns[place] if place < len(after.sent_ns) else at
    return calm_ns - ended_ns if last_ns - calm_ns >= CALM_NS else None
