# SPDX-License-Identifier: Apache-2.0
"""Some packets wait far longer than the others, and the sink hears packets meanwhile."""

from collections.abc import Iterator
from statistics import median
from typing import Final

from gatemark.judge.finding import Finding
from gatemark.judge.shape.sight import Sight, Sweep, in_most
from gatemark.number import duration

TRIALS: Final = 3
LEAST_NS: Final = 5e6  # that the latest packets take
TIMES: Final = 50.0  # the median delay
MANY: Final = 0.1  # of all packets: told where they are so many
SHARE: Final = 0.01  # of all packets
STILL: Final = 0.5  # of that time: a silence or pause so long lets all packets wait


def find(sweep: Sweep) -> Iterator[Finding]:
    """By the 99th percentile of the delay, at rates well below a full CPU."""
    judged = [sight for level in sweep.quiet for sight in level.sights if _latest_ns(sight)]
    if len(judged) < TRIALS or not in_most([_waits(sight) for sight in judged]):
        return
    waiting = [sight for sight in judged if _waits(sight)]
    usual, latest = (
        median(sight.record.values[name] for sight in waiting)
        for name in ("delay_p50_ns", "delay_p99_ns")
    )
    tenth = median(sight.record.values.get("delay_p90_ns", 0.0) for sight in waiting)
    is_many = tenth >= TIMES * usual
    share, late = (MANY, tenth) if is_many else (SHARE, latest)
    part = f"{100 * share:.0f} % of the packets or more"
    yield Finding(
        shape="late-packets",
        words=f"{part} take {duration(late)} or longer, and half of all at most {duration(usual)}: "
        "look for a queue, a limit or a slower way that they alone meet.",
        clause=f"delays {part} by {duration(late)} or longer",
        values={"share": share, "delay_ns": late, "usual_ns": usual},
    )


def _latest_ns(sight: Sight) -> float | None:
    """The 99th percentile of the delay, where it is of this direction alone."""
    is_both = sight.record.definition.direction == "both"
    return None if is_both else sight.record.values.get("delay_p99_ns")


def _waits(sight: Sight) -> bool:
    """Return True if the latest packets take long, and nothing stood still so long."""
    latest, usual = _latest_ns(sight) or 0.0, sight.record.values.get("delay_p50_ns", 0.0)
    still_ms = max((length for _, length in (*sight.loss.silences, *sight.loss.pauses)), default=0)
    return latest >= max(LEAST_NS, TIMES * usual) and still_ms * 1e6 < STILL * latest
