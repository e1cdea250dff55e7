# SPDX-License-Identifier: Apache-2.0
"""One trial: what a flow saw of the queue that a load filled, as values with their names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Final

from gatemark.judge.math import emodel
from gatemark.judge.math.deadline import misses
from gatemark.judge.math.histogram import is_told
from gatemark.judge.queue import fair, settle
from gatemark.judge.queue.flow import S_NS, Columns, Flow
from gatemark.judge.queue.swing import SETTLE_NS, Swing, buffer_bytes, queue_bytes, swing

Pairs = Iterable[tuple[str, float | None]]

# Each is told where ten packets lie above it.
TAILS: Final = {"p50": 0.5, "p95": 0.95, "p98": 0.98, "p99": 0.99}
FAR: Final = tuple(name for name, share in TAILS.items() if share > 0.5)  # the nearest first
# What a study prints of a flow beside a load, whole.
STUDY: Final = {"p5": 0.05, "p50": 0.5, "p95": 0.95, "max": 1.0}
MS_NS: Final = 1_000_000
CPU: Final = "queue_cpu_busy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A flow in one direction of a trial, and the load beside it."""

    flow: Flow
    idle: Flow  # the same flow without a load; of other trials, or before the load began
    least_ns: float  # of the way without a queue
    load_ns: tuple[float, float]  # from the load's first byte to its last
    rate_bps: float | None = None  # of the line; None: there is none, or its rate is not known
    # Of the load: payload of a full segment in bytes -> goodput; the bytes that stand around it.
    goodputs_bps: Mapping[float, float] = field(default_factory=dict)
    around_bytes: float = 66.0
    streams: Sequence[Columns] = ()  # bytes so far of each of its streams
    deadlines_ms: Sequence[int] = ()  # one way, after which a packet of the flow is of no use
    is_call: bool = False  # one call of G.711: the E-model has constants for it
    cpu_busy: float | None = None  # of the gateway's busiest CPU, over `settled_ns`

    @property
    def frame_ns(self) -> float:
        """What the line takes for a full frame of the load; 0: it is not known."""
        payload = max(self.goodputs_bps, default=0.0)
        return (payload + self.around_bytes) * 8 * S_NS / self.rate_bps if self.rate_bps else 0.0

    @property
    def loaded(self) -> Flow:
        """The packets that were sent under the load once slow start was over."""
        return self.flow.between(*settled_ns(self.load_ns))


def settled_ns(load_ns: tuple[float, float]) -> tuple[float, float]:
    """The time of a load without its slow start; none of it where the load is shorter."""
    start_ns, end_ns = load_ns
    return min(start_ns + SETTLE_NS, end_ns), end_ns


def values(seen: Seen) -> dict[str, float]:
    """By name, each with its unit in it (quantity.JUDGED); what cannot be known is left out."""
    if not seen.loaded.delay_ns:
        return {}
    swinging = swing(seen.flow, seen.least_ns, *seen.load_ns, seen.frame_ns)
    parts = (
        *(_added(seen), _used(seen)),
        *(_swing(seen, swinging), _ends(seen, swinging), _shares(seen)),
        [(CPU, seen.cpu_busy)],
    )
    return {name: float(value) for part in parts for name, value in part if value is not None}


def _added(seen: Seen) -> Pairs:
    """What the load adds to the flow's delay and loss, and the harm that this is."""
    loaded, idle = seen.loaded, seen.idle
    yield "queue_loss_ratio", loaded.loss_ratio
    yield "queue_delay_mean_ns", fmean(loaded.delay_ns)
    for name, share in STUDY.items():
        yield f"queue_delay_{name}_ns", loaded.percentile(share)
    if not idle.delay_ns:
        return
    yield "queue_idle_mean_ns", fmean(idle.delay_ns)
    yield "queue_idle_p50_ns", idle.percentile(0.5)
    yield "queue_idle_loss_ratio", idle.loss_ratio
    yield "queue_added_mean_ns", fmean(loaded.delay_ns) - fmean(idle.delay_ns)
    added = {name: added_at(seen, share) for name, share in TAILS.items()}
    for name, value in added.items():
        yield f"queue_added_{name}_ns", value
    if tail := added_tail(seen):
        share = TAILS[tail[0]]
        yield "queue_harm_ratio", fair.harm(_known(idle, share), loaded.percentile(share))
    yield "queue_added_loss_ratio", loaded.loss_ratio - idle.loss_ratio


def added_at(seen: Seen, share: float) -> float | None:
    """What the load adds to a percentile; None where too few packets tell it.

    It is less the same percentile without a load, or the highest below it that the packets of that
    time tell: these are few, and without a queue their delays hardly differ.
    """
    loaded = seen.loaded
    if not (is_told(share, len(loaded.delay_ns)) and seen.idle.delay_ns and loaded.delay_ns):
        return None
    return loaded.percentile(share) - _known(seen.idle, share)


def added_tail(seen: Seen) -> tuple[str, float] | None:
    """The highest percentile that is told, beyond the median, and what the load adds to it."""
    pairs = ((name, added_at(seen, TAILS[name])) for name in reversed(FAR))
    return next(((name, added) for name, added in pairs if added is not None), None)


def _known(flow: Flow, share: float) -> float:
    """A percentile of so few packets as there are, or the highest below that they tell."""
    shares = [other for other in TAILS.values() if other <= share]
    known = [other for other in shares if is_told(other, len(flow.delay_ns))]
    return flow.percentile(max(known))


def _used(seen: Seen) -> Pairs:
    """What the flow itself makes of it, under the load alone: packets too late, how a call sounds.

    A trial's own values are over all its time, so that the calm before a load would dilute them.
    """
    delays = seen.loaded.in_order
    for ms in seen.deadlines_ms:
        late = misses(delays, ms * MS_NS)
        yield f"queue_missed_{ms}ms_ratio", sum(late) / len(late)
    if seen.is_call:
        heard = emodel.best_playout([delays])
        yield "queue_mos", emodel.mos(heard.rating) if heard else None


def _swing(seen: Seen, swinging: Swing | None) -> Pairs:
    """How long packets wait, and how much stands in the queue."""
    if swinging is None:
        return
    yield "queue_mean_ns", swinging.mean_ns
    yield "queue_p5_ns", swinging.low_ns
    yield "queue_p95_ns", swinging.high_ns
    if tooth := swinging.tooth:
        yield "queue_period_ns", tooth.period_s * S_NS
        yield "queue_trough_ns", tooth.trough_ns
        yield "queue_swing_ns", tooth.swing_ns
    if seen.rate_bps:
        yield "queue_standing_bytes", queue_bytes(swinging.trough_ns, seen.rate_bps)
        # Slow start fills the buffer with full segments alone, so that it seems larger than it is.
        delays = seen.loaded.delay_ns
        yield "queue_buffer_bytes", buffer_bytes(delays, seen.least_ns, seen.rate_bps)


def _ends(seen: Seen, swinging: Swing | None) -> Pairs:
    """How the queue begins, and how it goes."""
    period_s = swinging.tooth.period_s if swinging and swinging.tooth else 0.0
    started = settle.start(seen.flow, seen.least_ns, seen.load_ns, period_s)
    if started:
        yield "queue_steady_ns", started.steady_ns
        yield "queue_overshoot_ratio", started.overshoot
    if joined := settle.joined(seen.flow.between(0, seen.load_ns[1]), seen.load_ns[0]):
        yield "queue_first_ns", joined.first_ns
        yield "queue_settled_ns", joined.settled_ns
    if seen.idle.delay_ns:
        p99_ns = seen.idle.percentile(0.99)
        gone_ns = settle.recovery_ns(seen.flow, seen.least_ns, p99_ns, seen.load_ns[1])
        yield "queue_recovery_ns", gone_ns


def _shares(seen: Seen) -> Pairs:
    """What the load's streams get of the line."""
    whole, worst = fair.shares(seen.streams, *settled_ns(seen.load_ns))
    yield "queue_fairness_ratio", whole
    yield "queue_fairness_p5_ratio", worst
    if seen.goodputs_bps:
        yield "queue_goodput_bps", sum(seen.goodputs_bps.values())
        if seen.rate_bps:
            share = fair.line_share(seen.goodputs_bps, seen.rate_bps, seen.around_bytes)
            yield "queue_line_share", share
