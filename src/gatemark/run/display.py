# SPDX-License-Identifier: Apache-2.0
"""Who shows how a run goes on."""

from collections.abc import Callable, Sequence
from typing import Protocol

from gatemark.plan.model import TrialSpec
from gatemark.run.search.standing import Standing
from gatemark.store.record import Record
from gatemark.tell.words.screen import Line


class Display(Protocol):
    """As report.live.Live; see there for what is shown."""

    @property
    def waited_s(self) -> float:
        """Seconds that trials waited for others who measure on this machine."""

    def begin(self, total_trials: int, estimate_s: float) -> None:
        """So many trials, about so long."""

    def more(self, trials: int) -> None:
        """So many trials more than planned: values spread too much."""

    def trial(self, spec: TrialSpec, index: int, seconds_left: float | None = None) -> None:
        """A trial starts."""

    def doing(self, text: str) -> None:
        """What is done before the next trial, where that takes long."""

    def wait(self, text: str) -> None:
        """The trial waits for another that measures on this machine."""

    def go_on(self, waited_s: float) -> None:
        """The trial has the machine, after so long."""

    def seek(self, standing: Standing) -> None:
        """A search stands there now; its next trial starts."""

    def rate(self, value: float, unit: str) -> None:
        """What the sink sees now."""

    def result(self, record: Record) -> None:
        """A trial ended."""

    def answer(self, make: Callable[[], Sequence[Line]]) -> None:
        """The answer so far can be made: styles and lines."""

    def warn(self, text: str) -> None:
        """Something to know at once."""

    def end(self) -> None:
        """The run ended."""
