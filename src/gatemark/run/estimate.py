# SPDX-License-Identifier: Apache-2.0
"""How long trials take: before they were run, and by their pace as they go."""

from collections.abc import Callable, Iterable

from gatemark.plan.model import TrialSpec

OVERHEAD_S = 0.3  # what a trial takes besides sending: agents, checks, draining


def estimate_s(trials: Iterable[TrialSpec]) -> float:
    """Seconds, roughly, before anything ran."""
    return sum(spec.workload.settle_s + spec.workload.duration_s + OVERHEAD_S for spec in trials)


class Pace:
    """How fast trials really go, against the estimate."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._done_s = 0.0  # estimated

    def done(self, spec: TrialSpec) -> None:
        """A trial has ended."""
        self._done_s += estimate_s([spec])

    def left_s(self, trials: Iterable[TrialSpec]) -> float:
        """Seconds that these trials will take."""
        pace = (self._clock() - self._began) / self._done_s if self._done_s else 1.0
        return estimate_s(trials) * pace
