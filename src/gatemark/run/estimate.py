# SPDX-License-Identifier: Apache-2.0
"""How long trials take, before they were run."""

from collections.abc import Iterable

from gatemark.plan.model import TrialSpec

OVERHEAD_S = 0.3  # what a trial takes besides sending: agents, checks, draining


def estimate_s(trials: Iterable[TrialSpec]) -> float:
    """Seconds, roughly; `execute` corrects it by its own pace as it goes."""
    return sum(spec.workload.duration_s + OVERHEAD_S for spec in trials)
