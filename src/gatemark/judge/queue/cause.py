# SPDX-License-Identifier: Apache-2.0
"""Why a queue is not as the arithmetic has it: the differences whose cause is known, in words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from gatemark.judge.queue.formula import BETA, Bottleneck, Expected

NEAR: Final = 0.1  # of what was expected: no difference to explain
EMPTY: Final = 0.25  # of the full buffer: below that the load's queue was not there
FILLED: Final = 0.85  # of the line's rate: with less neither it nor a shaper near it was busy
DOUBLE: Final = (1.6, 2.4)  # times the period: acknowledgements of every second segment


@dataclass(frozen=True, slots=True)
class Case:
    """What was seen of a queue, and what should have been."""

    values: Mapping[str, float]  # of judge/queue/trial.py
    expected: Expected
    line: Bottleneck
    aqm: str = "fifo"
    shapers: tuple[str, ...] = ()  # features of the gateway that queue themselves
    dropped: bool | None = None  # whether the line dropped anything; None: not known

    @property
    def full(self) -> float | None:
        """The fullest queue that was seen, as a share of the full buffer."""
        seen = self.values.get("queue_buffer_bytes")
        full = self.line.full_bytes
        return seen / full if seen is not None and full else None


def causes(case: Case) -> tuple[str, ...]:
    """A sentence each; none where all is as expected, or where nobody knows why not."""
    first = next((text for rule in ELSEWHERE if (text := rule(case))), "")
    if first:
        return (first,)
    return tuple(text for rule in OF_TCP if (text := rule(case)))


def _slow_before(case: Case) -> str:
    """The load is slow and waits long all the same: for something that is slower than the line."""
    share = case.values.get("queue_line_share")
    if share is None or share >= FILLED or case.full is None or case.full <= 1 + NEAR:
        return ""
    return (
        f"The load fills {share:.0%} of the line and waits longer than its buffer is: the queue is "
        "in the gateway, before line and shaper, for a CPU or a port."
    )


def _shaped(case: Case) -> str:
    if not case.shapers:
        return ""
    names = ", ".join(case.shapers)
    if case.full is not None and case.full < EMPTY:
        return f"The gateway's own queue ({names}) holds the load: the line's buffer stays empty."
    return f"The gateway queues itself ({names}), so the line's buffer is not all that waits."


def _managed(case: Case) -> str:
    if case.aqm == "fifo":
        return ""
    if case.aqm == "head":
        return "The oldest packet is dropped, so TCP hears of a full buffer sooner than expected."
    return f"{case.aqm} drops before the buffer is full, so the arithmetic of a full one fails."


def _never_full(case: Case) -> str:
    if case.full is None or case.full >= 1 - NEAR or case.dropped is not False:
        return ""
    return "The line dropped nothing: TCP's window, or a socket's buffer, is less than its buffer."


def _no_sawtooth(case: Case) -> str:
    if case.line.congestion in BETA:
        return ""
    return (
        f"{case.line.congestion} paces by the rate that it measures and does not fill a buffer "
        "until it overflows, so no sawtooth is expected."
    )


def _more_waits(case: Case) -> str:
    if case.full is None or case.full <= 1 + NEAR:
        return ""
    least = case.line.segment_bytes / case.line.mean_bytes if case.line.mean_bytes else 1.0
    if case.line.buffer_packets and case.full <= least * (1 + NEAR / 2):
        return (
            "While the buffer is full the flow's small packets are the ones that find no place, so "
            "it holds more full frames than arrive on average."
        )
    return "More waits than the line's buffer holds: there is another queue before it."


def _delayed(case: Case) -> str:
    period, wanted = case.values.get("queue_period_ns"), case.expected.period_ns
    if case.line.congestion != "reno" or period is None or not wanted:
        return ""
    if DOUBLE[0] <= period / wanted <= DOUBLE[1]:
        return "The period is twice the expected: every second segment alone is acknowledged."
    return ""


def _apart(case: Case) -> str:
    low = case.values.get("queue_p5_ns")  # streams that are far apart have no common sawtooth
    trough, wanted = case.values.get("queue_trough_ns", low), case.expected.trough_ns
    if case.line.streams < 2 or trough is None or wanted is None:
        return ""
    if trough <= wanted * (1 + NEAR):
        return ""
    return (
        f"The {case.line.streams} streams do not back off at once, so the queue falls less than "
        "that of a single one."
    )


def _high_mean(case: Case) -> str:
    mean, wanted = case.values.get("queue_mean_ns"), case.expected.mean_ns
    if case.line.streams > 1 or mean is None or wanted is None or mean <= wanted * (1 + NEAR / 2):
        return ""
    if mean > case.expected.full_ns:
        return ""
    if case.line.congestion == "cubic":
        return "cubic stays long near the window of its last loss: the mean lies above the middle."
    return "A round trip grows with the queue, so TCP grows ever more slowly: the mean lies high."


Rule = Callable[[Case], str]
# Any of these is all.
ELSEWHERE: Final[tuple[Rule, ...]] = (_slow_before, _shaped, _managed, _never_full)
OF_TCP: Final[tuple[Rule, ...]] = (_no_sawtooth, _more_waits, _delayed, _apart, _high_mean)
