# SPDX-License-Identifier: Apache-2.0
"""The class of a responsiveness, and its bottleneck.

The classes are those of the draft's authors' tools, by the round trip that they mean: 200, 60 and
10 ms.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from gatemark import number
from gatemark.judge.judgement import PointResult
from gatemark.judge.point import limit
from gatemark.judge.point.facts import gather
from gatemark.judge.point.group import Group, middle, readings
from gatemark.judge.point.kind import Judge
from gatemark.judge.point.limit import Verdict
from gatemark.kind.responsiveness.plan import RESPONSIVENESS
from gatemark.store.record import Definition, Record

CLASSES: Final = ((300.0, "poor"), (1000.0, "fair"), (6000.0, "good"))  # below; RPM
BEST: Final = "excellent"
CONFIDENCES: Final = ("low", "medium", "high")
OWN_SHARE: Final = 0.1  # of a foreign request's time, that may be the tester's
OWN_ROOM: Final = 1.1  # times the goodput, that the tester has alone
REQUEST: Final = "http_f_p50_ns"
GOODPUT: Final = "goodput_bps"


def grade(rpm: float) -> str:
    """poor, fair, good or excellent."""
    return next((name for below, name in CLASSES if rpm < below), BEST)


def confidence(records: Iterable[Record]) -> str:
    """The lowest of some trials; "" where none has one."""
    each = [str(record.evidence.responsiveness.get("confidence", "")) for record in records]
    return min(filter(None, each), key=CONFIDENCES.index, default="")


def decide(trials: Group, ceilings: Iterable[PointResult]) -> Verdict:
    """The limit of a point: the tester by itself, else what held its load back."""
    goodput_bps = middle(readings(trials.outside, GOODPUT))
    request_ns = middle(readings(trials.outside, REQUEST))
    if goodput_bps is None or request_ns is None:
        return Verdict("unknown", "no valid trial")
    alone = _alone(ceilings, trials.definition)
    if why := _tester(alone, request_ns, goodput_bps):
        return Verdict("tester", why)
    facts = replace(gather(trials, None), carried=goodput_bps, unit="bit/s", greedy=True)
    return limit.decide(facts)


def is_unchecked(definition: Definition, ceilings: Iterable[PointResult]) -> bool:
    """Whether it is a responsiveness of which the tester alone was not asked, without a line."""
    return definition.quantity == RESPONSIVENESS and not _alone(ceilings, definition)


def _tester(alone: Mapping[str, float], request_ns: float, goodput_bps: float) -> str:
    own_ns, own_bps = alone.get(REQUEST), alone.get(GOODPUT)
    if own_ns is not None and own_ns > OWN_SHARE * request_ns:
        return (
            f"without a gateway a foreign request takes {own_ns / 1e6:.3g} ms, "
            f"{number.share(own_ns / request_ns)} of what it takes with it"
        )
    if own_bps is not None and own_bps < OWN_ROOM * goodput_bps:
        return (
            f"without a gateway the goodput is {own_bps / 1e6:.4g} Mbit/s, "
            f"less than {OWN_ROOM:g} times that with it"
        )
    return ""


def _alone(ceilings: Iterable[PointResult], definition: Definition) -> dict[str, float]:
    """The same test without a gateway and a line; nothing where it was not measured."""
    for point in ceilings:
        if not point.definition.line and _kind(point.definition) == _kind(definition):
            return {name: interval.value for name, interval in point.values.items()}
    return {}


def _kind(d: Definition) -> tuple[object, ...]:
    return d.quantity, d.family, d.direction, d.tls, d.method, d.interval_s, d.congestion, d.beside


KIND: Final = Judge(
    quantities={RESPONSIVENESS: "round trips a minute under load"},
    decide=decide,
    is_unchecked=is_unchecked,
)
