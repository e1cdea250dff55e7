# SPDX-License-Identifier: Apache-2.0
"""The length of a trial, about: its workload's time, of a table that is filled that of its steps.

Where nothing tells, as of a search, others do (plan/search.py).
"""

from gatemark.plan.kind import RULES
from gatemark.plan.model import TrialSpec, Workload


def lasts_s(load: Workload) -> float:
    """From its first packet to its last, in seconds."""
    return RULES[load.kind].lasts_s(load)


def expected_s(load: Workload) -> float:
    """The same as it mostly is, where it ends by itself."""
    rules = RULES[load.kind]
    return (rules.mostly_s or rules.lasts_s)(load)


def trial_s(spec: TrialSpec) -> float:
    """Return the longest that a trial sends, over all its workloads, in seconds."""
    return max(load.start_s + lasts_s(load) for load in _loads(spec))


def expected_trial_s(spec: TrialSpec) -> float:
    """Return the usual time that it sends, in seconds."""
    return max(load.start_s + expected_s(load) for load in _loads(spec))


def _loads(spec: TrialSpec) -> tuple[Workload, ...]:
    return (spec.workload, *spec.beside.values())
