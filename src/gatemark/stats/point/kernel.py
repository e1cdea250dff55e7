# SPDX-License-Identifier: Apache-2.0
"""A kernel on the gateway's processor: what its rate is of, and what holds it back."""

from typing import Final

from gatemark.stats.point.group import Group, middle, readings
from gatemark.stats.point.limit import Verdict
from gatemark.store.record import Definition

KERNEL: Final = "kernel rate"  # of a definition's `quantity`


def is_kernel(definition: Definition) -> bool:
    """Whether a point is of a kernel, so that no packet crossed the gateway."""
    return definition.quantity == KERNEL


def decide(trials: Group) -> Verdict:
    """It has the processor for itself: nothing else could hold it back."""
    if middle(readings(trials.outside, trials.definition.headline)) is None:
        return Verdict("unknown", "no valid trial")
    return Verdict("cpu", "the kernel alone had it")
