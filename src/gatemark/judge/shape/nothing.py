# SPDX-License-Identifier: Apache-2.0
"""Nothing comes through: of a size, a family, a direction, whatever the trials of a sweep send."""

from collections.abc import Iterator
from statistics import median
from typing import Final

from gatemark.judge.fact import fact
from gatemark.judge.finding import Finding
from gatemark.judge.shape.sight import Sight, Sweep, in_most
from gatemark.plan.feature import HAIRPIN
from gatemark.unit import SMALLEST_FRAME_BYTES

FEWEST: Final = 20  # packets of a trial
STRAY: Final = 1  # packet of a trial that may come
SOON: Final = 0.1  # of a trial, and of its packets
LIKE: Final = 0.2  # two numbers of packets differ by no more, of which one quota is the cause


def find(sweep: Sweep) -> Iterator[Finding]:
    """Of all rates: a limiter lets the same number through at each. Explains everything."""
    if not in_most([_is_nothing(sight) for sight in sweep.sights]):
        yield from _soon_over(sweep)
        return
    for sight in sweep.sights:
        sight.explained = 1.0
    kind = sweep.subject.definition
    lost, tried = sum(s.lost for s in sweep.sights), sum(s.tried for s in sweep.sights)
    what = fact("nothing.frames", bytes=kind.frame_bytes) if kind.frame_bytes else None
    if kind.path == HAIRPIN:
        missing = fact("nothing.hairpin", tried=tried)
        yield Finding(shape="nothing", fact=missing, values={"share": lost / tried})
        return
    yield Finding(
        shape="nothing",
        fact=fact("nothing", what=what or fact("nothing.sent"), lost=lost, tried=tried),
        values={"share": lost / tried, **_limit(sweep)},
    )


def _soon_over(sweep: Sweep) -> Iterator[Finding]:
    """Nothing but a few packets at the beginning of each trial: too few for `over_time`.

    Where the first trials used up what is let through, nothing at all comes in later ones.
    """
    if not in_most([_is_nothing(sight) or _is_soon_over(sight) for sight in sweep.sights]):
        return
    came = [sight.tried - sight.lost for sight in sweep.sights]
    if max(came) <= STRAY:
        return
    for sight in sweep.sights:
        sight.mask(0.0, sight.seconds * 1000)
        sight.explained = 1.0
    count = median(own for own in came if own > STRAY)
    is_count = in_most([abs(own / count - 1) <= LIKE for own in came])
    after = fact("nothing.after", packets=count) if is_count else fact("nothing.soon")
    yield Finding(
        shape="over-time",
        fact=fact("nothing.more", after=after),
        values={"share": 1 - sum(came) / sum(s.tried for s in sweep.sights)}
        | ({"packets": count} if is_count else {}),
    )


def _is_soon_over(sight: Sight) -> bool:
    came, last = sight.tried - sight.lost, max(_arrivals(sight), default=0)
    is_few = STRAY < came <= SOON * sight.tried
    return is_few and (last + 1) * sight.bin_s <= SOON * sight.seconds


def _arrivals(sight: Sight) -> list[int]:
    return [at for at, count in enumerate(sight.loss.arrived) if count]


def _is_nothing(sight: Sight) -> bool:
    return sight.tried >= FEWEST and sight.tried - sight.lost <= STRAY


def _limit(sweep: Sweep) -> dict[str, float]:
    """Where one size was sent, the bounds for a closer look: no shorter frame can be sent."""
    kind = sweep.subject.definition
    least = SMALLEST_FRAME_BYTES.get(kind.family, 0)
    if not kind.frame_bytes or kind.frame_bytes <= least:
        return {}
    return {"frame_bytes": least - 1.0, "beyond_bytes": float(kind.frame_bytes)}
