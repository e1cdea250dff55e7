# SPDX-License-Identifier: Apache-2.0
"""A constant share that a search met: it finds no rate without loss, as there is none.

The steps of a search are short, and each of them loses a few packets. So the share is told by all
rates below a full CPU together: each rate agrees with it, and the lower rates with the higher.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import sqrt
from typing import Final

from gatemark.judge.finding import Diagnosis, Finding
from gatemark.judge.point.group import Group
from gatemark.judge.point.sweep import RATE, common
from gatemark.judge.shape.share import EXPECTED, TWICE, Share, agree, finding, is_in_bursts, pooled
from gatemark.judge.shape.sight import Level, level
from gatemark.judge.subject import Subject
from gatemark.store.record import Record

LEAST: Final = 0.0005  # share from which one is named: less is the lab's own
SIGMAS: Final = 2.0  # between lower and higher rates: a loss that rises with the rate is load


def diagnosed(records: Iterable[Record]) -> Iterator[Diagnosis]:
    """Each direction of each search whose steps lost a constant share."""
    searches: dict[tuple[object, ...], list[Record]] = {}
    for record in records:
        if record.pass_ == "search" and record.status == "ok":
            key = (record.plan, record.arm, record.definition.direction, *common(record.point))
            searches.setdefault(key, []).append(record)
    for steps in searches.values():
        subject = Subject.of(steps[0]).at(dict(common(steps[0].point)))
        ways = dict.fromkeys(loss.direction for step in steps for loss in step.evidence.loss)
        for way in ways:
            if share := constant(steps, way):
                yield Diagnosis(subject=subject, direction=way, findings=(share,))


def constant(steps: Sequence[Record], direction: str) -> Finding | None:
    """The share that all steps of a search lose in a direction; None: there is none."""
    levels = [seen for seen in _levels(steps, direction) if not _is_loaded(seen)]
    if len(levels) < 2 or levels[-1].offered_pps < TWICE * levels[0].offered_pps:
        return None
    sights = [sight for seen in levels for sight in seen.sights]
    share = pooled(sights)
    if share.value < LEAST or share.value * share.tried < EXPECTED or is_in_bursts(sights):
        return None
    each = [pooled(seen.sights) for seen in levels]
    if not all(agree(share, own) for own in each) or _rises(each):
        return None
    return finding(share.value, sights)


def _levels(steps: Sequence[Record], direction: str) -> list[Level]:
    """The steps by their rate, the lowest first."""
    paced = [step for step in steps if step.point.get(RATE) and not step.definition.packets]
    ordered = sorted(paced, key=_rate)
    groups = [
        Group(subject=Subject.of(same[0]), outside=same, instrumented=())
        for same in (tuple(own) for _, own in groupby(ordered, key=_rate))
    ]
    return [seen for trials in groups if (seen := level(trials, direction))]


def _rate(step: Record) -> float:
    return float(step.point[RATE])


def _is_loaded(seen: Level) -> bool:
    return seen.is_full or seen.refused_share > 0


def _rises(each: Sequence[Share]) -> bool:
    """Return True if higher rates lose more than lower ones by more than chance.

    The lower ones are those that tried half of all packets.
    """
    low, high, half = Share(0.0, 0), Share(0.0, 0), sum(own.tried for own in each) / 2
    for own in each:
        if low.tried + own.tried <= half or not low.tried:
            low = _sum(low, own)
        else:
            high = _sum(high, own)
    if not high.tried:
        return False
    whole = _sum(low, high)
    spread = sqrt(whole.value * (1 - whole.value) * (1 / low.tried + 1 / high.tried))
    return high.value - low.value > SIGMAS * spread


def _sum(first: Share, second: Share) -> Share:
    tried = first.tried + second.tried
    lost = first.value * first.tried + second.value * second.tried
    return Share(lost / tried if tried else 0.0, tried)
