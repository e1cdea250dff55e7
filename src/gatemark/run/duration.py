# SPDX-License-Identifier: Apache-2.0
"""How long trials take: before they were run, and by their pace as they go."""

from collections.abc import Callable, Iterable

from gatemark.plan.feature import programs
from gatemark.plan.lasting import expected_trial_s
from gatemark.plan.model import TrialSpec
from gatemark.run.search.follow import is_outcome
from gatemark.run.search.length import expected_s

OVERHEAD_S = 0.3  # what a trial takes besides sending: agents, checks, draining
PROGRAM_S = 1.5  # and beside a program: until it works, has read its buffers, and has ended
TRUSTED_S = 10.0  # of the estimate: the first trials alone would make it leap


def estimate_s(trials: Iterable[TrialSpec]) -> float:
    """Seconds, roughly, before anything ran."""
    return sum(map(_one_s, trials))


def _one_s(spec: TrialSpec) -> float:
    """Of one trial; for a goal of a search its part of the search."""
    if spec.search and is_outcome(spec):
        return expected_s(spec.search) / len(spec.search.goals)
    beside_s = PROGRAM_S if programs(spec.arm.features) else 0.0
    return expected_trial_s(spec) + OVERHEAD_S + beside_s


class Pace:
    """How fast trials really go, against the estimate.

    The time that they waited for others, of `waited_s` in all, is none of theirs.
    """

    def __init__(self, clock: Callable[[], float], waited_s: Callable[[], float]) -> None:
        self._clock = clock
        self._waited_s = waited_s
        self._began = clock() - waited_s()
        self._done_s = 0.0  # estimated

    def done(self, trials: Iterable[TrialSpec]) -> None:
        """These have ended."""
        self._done_s += estimate_s(trials)

    def left_s(self, trials: Iterable[TrialSpec]) -> float:
        """Seconds that these trials will take."""
        took_s = self._clock() - self._waited_s() - self._began
        pace = (TRUSTED_S + took_s) / (TRUSTED_S + self._done_s) if self._done_s else 1.0
        return estimate_s(trials) * pace
