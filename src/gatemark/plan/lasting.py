# SPDX-License-Identifier: Apache-2.0
"""The length of a trial, about: its workload's time, of a table that is filled that of its steps.

Where nothing tells, as of a search, others do (plan/search.py).
"""

from typing import Final

from gatemark.plan.model import TrialSpec, Workload
from gatemark.plan.words import COREMARK

OPENED_PPS: Final = 5000.0  # new flows a second, where a plan leaves it to us
STEP_S: Final = 0.5  # a step's agents, and their packets' way
UNCOUNTED: Final = 10  # walks before those that count
# A walk: sending, arriving, standing still. What the gateway itself sends goes by its own clock.
WALK_S: Final = 0.02
OWN_WALK_S: Final = 0.06
# Responsiveness: idle probes, then intervals until it is stable (kind/responsiveness/draft.py).
IDLE_S: Final = 3.0
INTERVALS: Final = 13  # as most take; it ends after 11 at the earliest
MOST_INTERVALS: Final = 40

# A kernel's repeats and the time of each (algorithms/src/program/timing.c), and its building.
PASSES: Final = {"repeats": 5.0, "pass_ms": 500.0}
BUILT_S: Final = 1.0
COREMARK_S: Final = (
    30.0  # two runs, each of 10 s at least after looking for how many rounds that is
)


def opened_pps(load: Workload) -> float:
    """New flows a second of kind `fill`."""
    return load.rate_pps or OPENED_PPS


def kernel_s(load: Workload) -> float:
    """The time of a kernel: its repeats in one or two phases, and building its structure."""
    if load.command == COREMARK:
        return COREMARK_S
    repeats, pass_ms = (float(load.words.get(name, preset)) for name, preset in PASSES.items())
    return BUILT_S + 2 * (repeats + 1) * pass_ms / 1000


def lasts_s(load: Workload) -> float:
    """From its first packet to its last, in seconds."""
    if load.kind == "fill":
        return load.flows / opened_pps(load) + load.steps * (load.duration_s + STEP_S)
    if load.kind == "walk":
        return (load.walks + UNCOUNTED) * (OWN_WALK_S if load.direction == "send" else WALK_S)
    if load.kind == "responsiveness":
        return IDLE_S + MOST_INTERVALS * load.interval_s
    if load.kind == "algorithm":
        return kernel_s(load)
    return load.settle_s + load.duration_s


def expected_s(load: Workload) -> float:
    """The same as it mostly is, where it ends by itself."""
    if load.kind == "responsiveness":
        return IDLE_S + INTERVALS * load.interval_s
    return lasts_s(load)


def trial_s(spec: TrialSpec) -> float:
    """Return the longest that a trial sends, over all its workloads, in seconds."""
    return max(load.start_s + lasts_s(load) for load in _loads(spec))


def expected_trial_s(spec: TrialSpec) -> float:
    """Return the usual time that it sends, in seconds."""
    return max(load.start_s + expected_s(load) for load in _loads(spec))


def _loads(spec: TrialSpec) -> tuple[Workload, ...]:
    return (spec.workload, *spec.beside.values())
