# SPDX-License-Identifier: Apache-2.0
"""The feel of a game, by the packets of a player and its server."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from gatemark.judge.math.nearest import percentile

LATE: Final = 1.5  # times the snapshots' period: one is missing, or comes as late as if it were

Packets = Sequence[tuple[int, int, int]]  # flow, number, time in ns
Report = dict[str, Any]


def felt(window_ns: tuple[int, int], near: Report, far: Report) -> dict[str, float]:
    """Return what a player feels: late snapshots, and how late it sees what it does.

    `near` and `far` have what the ports of both ends saw, and how often a snapshot is sent.
    """
    first_ns, last_ns = window_ns
    shown = [at for _, _, at in near["game"]["came"] if first_ns <= at <= last_ns]
    gaps = [after - at for at, after in pairwise([*shown, last_ns])]
    late = sum(gap > LATE * far["every_ns"] for gap in gaps) / len(gaps) if gaps else 1.0
    values = {"game_late_share": late}
    if took := answers(window_ns, near["game"], far["game"]):
        values["game_answer_p95_ns"] = percentile(took, 0.95)
    return values


def answers(window_ns: tuple[int, int], near: Report, far: Report) -> list[float]:
    """Return how long after each packet of the player a snapshot came that can show what it did.

    That is one that the server sent after this packet, or a later one, had come. What is not seen
    by the end counts until there.
    """
    first_ns, last_ns = window_ns
    reached = _earliest(near["sent"], far["came"])
    shown = _earliest(far["sent"], near["came"])
    sent_ns = [at for at, _ in shown]
    took = []
    for at, came in reached:
        if first_ns <= at <= last_ns:
            next_one = bisect_left(sent_ns, came)
            seen = shown[next_one][1] if next_one < len(shown) else float("inf")
            took.append(min(seen, max(float(last_ns), at)) - at)
    return took


def _earliest(sent: Packets, came: Packets) -> list[tuple[int, float]]:
    """Return when each packet was sent, and when it or a later one came."""
    arrived = {(flow, number): at for flow, number, at in reversed(came)}
    made: list[tuple[int, float]] = []
    earliest = float("inf")
    for flow, number, at in reversed(sent):
        earliest = min(earliest, arrived.get((flow, number), earliest))
        made.append((at, earliest))
    return made[::-1]
