# SPDX-License-Identifier: Apache-2.0
"""The seam between search algorithms and trials: what a search asks for, and the answer."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Self

from gatemark.error import GatemarkError
from gatemark.judge.point.limit import ON_SCHEDULE
from gatemark.plan.model import Goal
from gatemark.plan.search import LOSS
from gatemark.plan.shaper.shaping import HELD
from gatemark.store.record import Record


class SearchError(GatemarkError):
    """A search that came to no end."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One trial to run."""

    rate_pps: float  # of each direction; 0: as fast as the tester can
    duration_s: float
    packets: int = 0  # of each direction; 0: no bound but the time
    mbit: float = 0.0  # of the gateway's shaper; 0: a rate of sending is searched for


@dataclass(frozen=True, slots=True)
class Answer:
    """What a trial counted over all directions; rates are per direction."""

    tried: int
    lost: int
    scheduled: int  # 0: there was no schedule
    offered_pps: float
    received_pps: float
    packets: int = 0  # that it should have stopped after
    held: bool | None = None  # whether the gateway's shaper held its rate; None: it was not asked
    came_mbit: float = 0.0  # through that shaper, as it counts its frames

    @classmethod
    def of(cls, record: Record, ways: int) -> Self:
        """The answer that a valid record of so many directions gives."""
        count = record.accounting
        assert count is not None
        return cls(
            tried=count.tried,
            lost=count.lost,
            scheduled=count.scheduled,
            offered_pps=record.values["offered_pps"] / ways,
            received_pps=record.values["received_pps"] / ways,
            packets=record.definition.packets * ways,
        )

    @property
    def loss_ratio(self) -> float:
        """The lost share of the tried packets (RFC 2544 section 26.3)."""
        return self.lost / self.tried if self.tried else 0.0

    @property
    def on_schedule(self) -> bool:
        """Whether the sender kept its schedule; if not, the trial does not test the gateway."""
        wanted = max(self.scheduled, self.packets)
        return not wanted or self.tried >= ON_SCHEDULE * wanted

    def meets(self, goal: Goal) -> bool:
        """Return whether the goal was met."""
        return bool(self.held) if goal == HELD else self.passes(LOSS[goal])

    def passes(self, criterion: float) -> bool:
        """Return whether the schedule was kept and the loss is within the criterion."""
        return self.on_schedule and self.loss_ratio <= criterion


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a search ended for one goal (RFC 9971's relevant bounds)."""

    goal: Goal
    lower: Ask | None  # the highest that met the goal; None: not even the lowest did
    upper: Ask | None  # the lowest above it that did not; None: even the highest met it
    throughput_pps: float = 0.0  # of each direction; conditional throughput where it may lose some


Steps = Generator[Ask, Answer, list[Bounds]]  # an algorithm: asks, is answered, ends with bounds
