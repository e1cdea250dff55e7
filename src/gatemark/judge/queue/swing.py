# SPDX-License-Identifier: Apache-2.0
"""How a queue swings while TCP fills it and backs off, and how much of it never empties.

The delay of a packet on a line of rate R says how many bytes waited before it: delay x R / 8
(Little's law). From 5 s after the load began the delay is read as medians of 50 ms.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from gatemark.judge.math.nearest import percentile
from gatemark.judge.point.sawtooth import Sawtooth, sawtooth
from gatemark.judge.queue.flow import S_NS, Flow

SETTLE_NS: Final = 5 * S_NS  # from the load's first byte: slow start is over by then
STEP_NS: Final = 50_000_000  # of a median
MOST: Final = 600  # steps: a longer load is read in longer ones
LOW, HIGH = 0.05, 0.95  # the range that is printed
FULL: Final = 0.999  # of the delays: those that met the fullest queue


@dataclass(frozen=True, slots=True)
class Swing:
    """What the queue adds to the delay, in ns: each delay less the shortest without a queue."""

    mean_ns: float
    low_ns: float  # 5th percentile of all packets
    high_ns: float  # 95th
    trough_ns: float  # of the sawtooth; without one `low_ns`, which only one in twenty undercuts
    tooth: Sawtooth | None  # of the 50 ms medians; None: they have no period


def swing(
    flow: Flow, least_ns: float, start_ns: float, end_ns: float, frame_ns: float = 0.0
) -> Swing | None:
    """Of the packets that were sent under load; None if none of these arrived.

    `least_ns` is the delay of the way without a queue, `start_ns` the load's first byte. A swing of
    no more than `frame_ns`, what the line takes for a full frame, is that frame and no queue.
    """
    began_ns = start_ns + SETTLE_NS
    loaded = flow.between(began_ns, end_ns)
    if not loaded.delay_ns:
        return None
    waits = [delay - least_ns for delay in loaded.delay_ns]
    step_ns = max(STEP_NS, (end_ns - began_ns) / MOST)
    medians = [m - least_ns for m in loaded.medians(began_ns, end_ns, step_ns)]
    low, high = (percentile(waits, share) for share in (LOW, HIGH))
    tooth = sawtooth(medians, step_ns / S_NS)
    tooth = tooth if tooth and tooth.swing_ns > frame_ns else None
    return Swing(fmean(waits), low, high, tooth.trough_ns if tooth else low, tooth)


def buffer_bytes(delays_ns: Sequence[float], least_ns: float, rate_bps: float) -> float:
    """The buffer that was seen: what stood before the packets that met the fullest queue.

    Raises ValueError without delays.
    """
    return queue_bytes(percentile(delays_ns, FULL) - least_ns, rate_bps)


def queue_bytes(wait_ns: float, rate_bps: float) -> float:
    """What a line of this rate sends in so long."""
    return max(0.0, wait_ns) / S_NS * rate_bps / 8
