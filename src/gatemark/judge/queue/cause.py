# SPDX-License-Identifier: Apache-2.0
"""Why a queue is not as the arithmetic has it: the differences whose cause is known, in words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from gatemark.judge.fact import Fact, fact, several
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


def causes(case: Case) -> tuple[Fact, ...]:
    """The known causes; none where all is as expected, or where nobody knows why not."""
    first = next((own for rule in ELSEWHERE if (own := rule(case))), None)
    if first:
        return (first,)
    return tuple(own for rule in OF_TCP if (own := rule(case)))


def _slow_before(case: Case) -> Fact | None:
    """The load is slow and waits long all the same: for something that is slower than the line."""
    share = case.values.get("queue_line_share")
    if share is None or share >= FILLED or case.full is None or case.full <= 1 + NEAR:
        return None
    return fact("queue.before", share=share)


def _shaped(case: Case) -> Fact | None:
    if not case.shapers:
        return None
    names = several(case.shapers)
    if case.full is not None and case.full < EMPTY:
        return fact("queue.own", names=names)
    return fact("queue.too", names=names)


def _managed(case: Case) -> Fact | None:
    if case.aqm == "fifo":
        return None
    if case.aqm == "head":
        return fact("queue.oldest")
    return fact("queue.managed", aqm=case.aqm)


def _never_full(case: Case) -> Fact | None:
    if case.full is None or case.full >= 1 - NEAR or case.dropped is not False:
        return None
    return fact("queue.window")


def _no_sawtooth(case: Case) -> Fact | None:
    if case.line.congestion in BETA:
        return None
    return fact("queue.paces", congestion=case.line.congestion)


def _more_waits(case: Case) -> Fact | None:
    if case.full is None or case.full <= 1 + NEAR:
        return None
    least = case.line.segment_bytes / case.line.mean_bytes if case.line.mean_bytes else 1.0
    if case.line.buffer_packets and case.full <= least * (1 + NEAR / 2):
        return fact("queue.small-packets")
    return fact("queue.another")


def _delayed(case: Case) -> Fact | None:
    period, wanted = case.values.get("queue_period_ns"), case.expected.period_ns
    if case.line.congestion != "reno" or period is None or not wanted:
        return None
    if DOUBLE[0] <= period / wanted <= DOUBLE[1]:
        return fact("queue.delayed")
    return None


def _apart(case: Case) -> Fact | None:
    low = case.values.get("queue_p5_ns")  # streams that are far apart have no common sawtooth
    trough, wanted = case.values.get("queue_trough_ns", low), case.expected.trough_ns
    if case.line.streams < 2 or trough is None or wanted is None:
        return None
    if trough <= wanted * (1 + NEAR):
        return None
    return fact("queue.streams", streams=case.line.streams)


def _high_mean(case: Case) -> Fact | None:
    mean, wanted = case.values.get("queue_mean_ns"), case.expected.mean_ns
    if case.line.streams > 1 or mean is None or wanted is None or mean <= wanted * (1 + NEAR / 2):
        return None
    if mean > case.expected.full_ns:
        return None
    if case.line.congestion == "cubic":
        return fact("queue.cubic")
    return fact("queue.slower")


Rule = Callable[[Case], Fact | None]
# Any of these is all.
ELSEWHERE: Final[tuple[Rule, ...]] = (_slow_before, _shaped, _managed, _never_full)
OF_TCP: Final[tuple[Rule, ...]] = (_no_sawtooth, _more_waits, _delayed, _apart, _high_mean)
