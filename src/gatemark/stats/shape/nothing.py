# SPDX-License-Identifier: Apache-2.0
"""Nothing comes through: of a size, a family, a direction, whatever the trials of a sweep send."""

from collections.abc import Iterator
from typing import Final

from gatemark.stats.finding import Finding
from gatemark.stats.shape.reconcile import grouped
from gatemark.stats.shape.sight import Sight, Sweep, in_most
from gatemark.unit import SMALLEST_FRAME_BYTES

FEWEST: Final = 20  # packets of a trial
STRAY: Final = 1  # packet of a trial that may come


def find(sweep: Sweep) -> Iterator[Finding]:
    """Of all rates: a limiter lets the same number through at each. Explains everything."""
    if not in_most([_is_nothing(sight) for sight in sweep.sights]):
        return
    for sight in sweep.sights:
        sight.explained = 1.0
    kind = sweep.subject.definition
    lost, tried = sum(s.lost for s in sweep.sights), sum(s.tried for s in sweep.sights)
    what = f"frames of {kind.frame_bytes} bytes" if kind.frame_bytes else "what is sent"
    yield Finding(
        shape="nothing",
        words=f"Nothing comes through of {what}: {grouped(lost)} of {grouped(tried)} packets are "
        "lost. Look at rules, routes, the MTU, the ports.",
        clause=f"lets nothing through of {what}",
        values={"share": lost / tried, **_limit(sweep)},
    )


def _is_nothing(sight: Sight) -> bool:
    return sight.tried >= FEWEST and sight.tried - sight.lost <= STRAY


def _limit(sweep: Sweep) -> dict[str, float]:
    """Where one size was sent, the bounds for a closer look: no shorter frame can be sent."""
    kind = sweep.subject.definition
    least = SMALLEST_FRAME_BYTES.get(kind.family, 0)
    if not kind.frame_bytes or kind.frame_bytes <= least:
        return {}
    return {"frame_bytes": least - 1.0, "beyond_bytes": float(kind.frame_bytes)}
