# SPDX-License-Identifier: Apache-2.0
"""A witness of the machine's own stalls, for the pacing benchmark: it only reads the clock.

`python -m benchmarks.witness RATE_PPS SECONDS` spins and notes when the clock jumps. Of a schedule
with this rate it prints how late the machine alone makes each packet, in ns, one number a packet
that is late. A sender that the machine stops as often can do no better: one gap of each stall is
wrong, however it catches up.
"""

import gc
import sys
import time

JUMP_NS = 1_000  # longer than two readings of the clock are apart


def late_ns(rate_pps: float, seconds: float) -> list[int]:
    """How late the first packet of each stall is."""
    return [
        end - due
        for begin, end in stalls(seconds)
        if (due := next_due(begin, 1e9 / rate_pps)) < end
    ]


def next_due(begin_ns: int, gap_ns: float) -> int:
    """The first due time from begin_ns on, of a schedule that began at 0."""
    return round(-(-begin_ns // gap_ns) * gap_ns)


def stalls(seconds: float) -> list[tuple[int, int]]:
    """Begin and end of each jump of the clock, in ns since the start."""
    gc.disable()
    start = last = time.monotonic_ns()
    end = start + round(seconds * 1e9)
    jumps = []
    while last < end:
        now = time.monotonic_ns()
        if now - last > JUMP_NS:
            jumps.append((last - start, now - start))
        last = now
    return jumps


if __name__ == "__main__":
    print(*late_ns(float(sys.argv[1]), float(sys.argv[2])))
