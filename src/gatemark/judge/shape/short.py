# SPDX-License-Identifier: Apache-2.0
"""A limiter that the trials are too short for: its bucket is empty, or its queue is long, only at
their end.

The highest rate alone shows it then, and what came through until then is no rate that lasts. What
is lost while the CPU is full, or at the sender's port, is no such limiter's.
"""

from collections.abc import Iterator
from statistics import median
from typing import Final

from gatemark.judge.fact import fact
from gatemark.judge.finding import Finding
from gatemark.judge.shape.limiter import CALM, CLEAR
from gatemark.judge.shape.sight import Level, Sight, Sweep, in_most

FEWEST: Final = 20  # packets, lost or queued at the end
LATE: Final = 0.5  # of a trial: nothing is lost before
LEFT: Final = 0.2  # of what is sent comes through then: a limit below emptied its bucket before
QUEUED: Final = 0.05  # of what was sent, at the end
SLOWER: Final = 0.95  # than what was sent, at most, comes out of a queue


def find(sweep: Sweep) -> Iterator[Finding]:
    """By the highest rate. What it finds has *at most* and *at least* in its words."""
    top = sweep.levels[-1]
    if top.busy is not None and top.busy >= CALM:
        return
    emptied = [_beyond_bucket(sight) for sight in top.sights]
    drained = [_drained(sight) for sight in top.sights]
    if in_most([rate is not None for rate in emptied]):
        yield _policer(top, median(rate for rate in emptied if rate is not None))
    elif in_most([drain is not None for drain in drained]):
        yield _shaper(top, *zip(*filter(None, drained), strict=True))


def _beyond_bucket(sight: Sight) -> float | None:
    """What comes through a second once packets are lost; None: there is no such late loss."""
    onset_ms = sight.onset_ms
    left_s = sight.seconds - onset_ms / 1000
    first = int(onset_ms // sight.loss.bin_ms)
    early = sum(max(0.0, sight.inside(at)) for at in sight.open if at < first)
    lost = sum(sight.inside(at) for at in sight.open if at >= first)
    sent = sight.taken_pps * left_s
    if lost < FEWEST or early > CLEAR * lost or onset_ms < LATE * sight.seconds * 1000:
        return None
    return (sent - lost) / left_s if CLEAR * sent <= lost <= (1 - LEFT) * sent else None


def _drained(sight: Sight) -> tuple[float, float] | None:
    """Packets a second that come after the last was sent, and for how many ms; None: too few."""
    loss = sight.loss
    after = loss.arrived[int(sight.seconds / sight.bin_s + 1e-6) :]
    ends = [at for at, count in enumerate(after) if count]
    if sum(after) < max(FEWEST, QUEUED * sight.tried) or len(ends) < 4:
        return None
    whole = after[ends[0] + 1 : ends[-1]]
    rate = sum(whole) / (len(whole) * sight.bin_s)
    return (rate, ends[-1] * loss.bin_ms) if rate < SLOWER * sight.offered_pps else None


def _policer(top: Level, rate: float) -> Finding:
    onset_ms = median(sight.onset_ms for sight in top.sights)
    burst = (median(sight.taken_pps for sight in top.sights) - rate) * onset_ms / 1000
    return Finding(
        shape="policer",
        fact=fact(
            "policer.late", rate=rate, burst=round(burst), ms=onset_ms, offered=top.offered_pps
        ),
        values={"rate_pps": rate, "burst_packets": burst},
    )


def _shaper(top: Level, rates: tuple[float, ...], waits: tuple[float, ...]) -> Finding:
    rate, wait_ms = median(rates), median(waits)
    return Finding(
        shape="shaper",
        fact=fact("shaper.late", rate=rate, ms=wait_ms, offered=top.offered_pps),
        values={"rate_pps": rate, "queue_packets": rate * wait_ms / 1000, "queue_ms": wait_ms},
    )
