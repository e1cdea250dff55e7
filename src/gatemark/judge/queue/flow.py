# SPDX-License-Identifier: Apache-2.0
"""The packets of one flow and direction, by when they were sent: their delays, and those lost."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Self

from gatemark.judge.math.nearest import percentile

S_NS = 1_000_000_000
Columns = tuple[Sequence[int], Sequence[float]]
NONE: Columns = ((), ())


@dataclass(frozen=True, slots=True)
class Flow:
    """All times in ns, CLOCK_MONOTONIC, in order."""

    sent_ns: Sequence[int]  # when each packet was sent that arrived
    delay_ns: Sequence[float]  # one way, of each of these
    lost_ns: Sequence[int] = ()  # when each packet was sent that never came

    @classmethod
    def of(cls, arrived: Columns, lost: Columns = NONE) -> Self:
        """Of a replay's series: arrival and delay of each packet; time of sending of lost ones."""
        pairs = sorted((round(at - delay), delay) for at, delay in zip(*arrived, strict=True))
        return cls([at for at, _ in pairs], [delay for _, delay in pairs], sorted(lost[0]))

    @property
    def packets(self) -> int:
        """How many were sent."""
        return len(self.sent_ns) + len(self.lost_ns)

    @property
    def loss_ratio(self) -> float:
        """The share that never came; 0 where nothing was sent."""
        return len(self.lost_ns) / self.packets if self.packets else 0.0

    @property
    def least_ns(self) -> float:
        """The shortest delay. Raises ValueError where nothing arrived."""
        return min(self.delay_ns)

    @property
    def in_order(self) -> list[float | None]:
        """Each packet's delay by when it was sent; None: it was lost."""
        came = zip(self.sent_ns, self.delay_ns, strict=True)
        gone: Iterable[tuple[float, None]] = ((at, None) for at in self.lost_ns)
        return [delay for _, delay in sorted([*came, *gone], key=lambda packet: packet[0])]

    def between(self, start_ns: float, end_ns: float) -> "Flow":
        """Those that were sent from `start_ns` on and before `end_ns`."""
        first, last = (bisect_left(self.sent_ns, at) for at in (start_ns, end_ns))
        lost, gone = (bisect_left(self.lost_ns, at) for at in (start_ns, end_ns))
        return Flow(self.sent_ns[first:last], self.delay_ns[first:last], self.lost_ns[lost:gone])

    def percentile(self, share: float) -> float:
        """The delay that this share of the packets that arrived does not exceed (nearest rank).

        Raises ValueError where nothing arrived.
        """
        return percentile(self.delay_ns, share)

    def medians(self, start_ns: float, end_ns: float, step_ns: float) -> list[float]:
        """The median delay of each step's packets, by when they were sent.

        A step without any is like the one before; steps before the first packet are left out, and
        so is a last one that is not whole.
        """
        made: list[float] = []
        for place in range(int((end_ns - start_ns) // step_ns)):
            low, high = (start_ns + (place + more) * step_ns for more in (0, 1))
            at, end = bisect_left(self.sent_ns, low), bisect_left(self.sent_ns, high)
            if delays := self.delay_ns[at:end]:
                made.append(median(delays))
            elif made:
                made.append(made[-1])
        return made


def within(flow: Flow) -> list[tuple[float, float]]:
    """Each delay with the share of all sent packets that arrived within it (D04's curve).

    Packets that were lost are the gap that it leaves below 1.
    """
    steps: list[tuple[float, float]] = []
    for place, delay in enumerate(sorted(flow.delay_ns), 1):
        if steps and steps[-1][0] == delay:
            steps.pop()
        steps.append((delay, place / flow.packets))
    return steps


def pooled(flows: Iterable[Flow]) -> Flow:
    """The packets of several trials as if they were of one."""
    kept = list(flows)
    pairs = sorted(pair for f in kept for pair in zip(f.sent_ns, f.delay_ns, strict=True))
    lost = sorted(at for flow in kept for at in flow.lost_ns)
    return Flow([at for at, _ in pairs], [delay for _, delay in pairs], lost)
