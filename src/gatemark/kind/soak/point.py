# SPDX-License-Identifier: Apache-2.0
"""A soak as it is judged: as UDP sample by sample; what grows over all of them is a fault."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from gatemark.judge.fact import Fact, fact
from gatemark.judge.finding import Finding
from gatemark.judge.judgement import PointResult
from gatemark.judge.point.facts import gather
from gatemark.judge.point.group import Group
from gatemark.judge.point.kind import Judge
from gatemark.judge.point.limit import Verdict
from gatemark.judge.point.limit import decide as by_packets
from gatemark.kind.soak.drift import Drift, drifts
from gatemark.kind.soak.plan import SOAK

FAR_H: Final = 24 * 365.0  # an end beyond is not named
HOUR_NS: Final = 3.6e12
ENDINGS: Final = {"bytes": "bytes", "ns": "ns", "packets/s": "pps", "ratio": "ratio"}


def decide(trials: Group, ceilings: Iterable[PointResult]) -> Verdict:
    """Return what held a sample back, by the rules for packets."""
    del ceilings
    return by_packets(gather(trials, None))


def find(groups: Sequence[Group]) -> Iterator[Finding]:
    """Yield what grows at each rate of an arm."""
    for trials in groups:
        for drift in drifts(trials.outside):
            if drift.is_growing:
                yield _finding(drift, trials.outside[-1].started)


def _finding(drift: Drift, last: str) -> Finding:
    seen = drift.trend
    values = {}
    if ending := ENDINGS.get(drift.what.unit):
        values[f"an_hour_{ending}"] = seen.slope
    if drift.ends_h is not None:
        values["until_end_ns"] = drift.ends_h * HOUR_NS
    return Finding(
        shape="grows",
        fact=fact(
            "grows.up" if drift.what.sign > 0 else "grows.down",
            what=drift.what.name,
            unit=drift.what.unit,
            value=abs(seen.slope),
            low=min(abs(seen.lo), abs(seen.hi)),
            high=max(abs(seen.lo), abs(seen.hi)),
            hours=drift.span_h,
            end=_end(drift, last),
        ),
        values=values,
    )


def _end(drift: Drift, last: str) -> Fact:
    """Return when it ends; nothing of what does not end within a year."""
    if drift.ends_h is None or drift.ends_h > FAR_H:
        return fact("grows.on")
    day = datetime.fromisoformat(last) + timedelta(hours=drift.ends_h)
    return fact("grows.ends", hours=drift.ends_h, day=day.date().isoformat())


KIND: Final = Judge(
    quantities={SOAK: ""},
    decide=decide,
    is_bounded=False,
    find=find,
)
