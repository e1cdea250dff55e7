# SPDX-License-Identifier: Apache-2.0
"""Responsiveness in a plan: its intervals, and how long it lasts.

HTTP round trips a minute while it loads (docs/numbers/quantity/responsiveness.md). `interval_s`
(5): after which it looks whether it is stable, and adds a connection; `tls` (true; false: another
definition, never in one column with it); `congestion` (`cubic`) of its loads. It ends by itself,
after 11 to 40 intervals. Not on the path `endpoint`.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Rules
from gatemark.plan.feature import ENDPOINT
from gatemark.plan.model import Arm, Workload
from gatemark.plan.sane import congestion

RESPONSIVENESS: Final = "responsiveness"  # what a definition is about
SHORTEST_INTERVAL_S: Final = 0.2  # some probes in each
LONGEST_INTERVAL_S: Final = 60.0
# Idle probes, then intervals until it is stable (kind/responsiveness/draft.py).
IDLE_S: Final = 3.0
INTERVALS: Final = 13  # as most take; it ends after 11 at the earliest
MOST_INTERVALS: Final = 40


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if not SHORTEST_INTERVAL_S <= load.interval_s <= LONGEST_INTERVAL_S:
        yield (
            f"`interval_s` = {load.interval_s:g}: {SHORTEST_INTERVAL_S:g} to "
            f"{LONGEST_INTERVAL_S:g}; the draft has 5"
        )
    yield from congestion(load)


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path != ENDPOINT:
        return ""
    return (
        "`kind` = responsiveness: its ends are the tester's hosts, and the gateway only "
        "forwards; leave out path endpoint"
    )


def lasts_s(load: Workload) -> float:
    """The time of the most intervals."""
    return IDLE_S + MOST_INTERVALS * load.interval_s


def mostly_s(load: Workload) -> float:
    """The time until it is stable, as it mostly is."""
    return IDLE_S + INTERVALS * load.interval_s


KIND: Final = Rules(
    keys="interval_s tls congestion",
    yields=("rpm",),
    headlines={RESPONSIVENESS: "rpm"},
    only={
        "driver": ("gatemark", "no such tool measures responsiveness; leave it out"),
    },
    faults=faults,
    misfit=misfit,
    lasts_s=lasts_s,
    mostly_s=mostly_s,
    streams=True,
)
