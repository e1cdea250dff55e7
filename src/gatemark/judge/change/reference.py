# SPDX-License-Identifier: Apache-2.0
"""Published values beside ours where the definitions are alike, and what is not known to be so."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from gatemark.judge.change import gain
from gatemark.judge.change.derived import derived, is_bound, of_link
from gatemark.judge.fact import Text, fact
from gatemark.judge.judgement import Comparison, Judgement, Knee, PointResult, Travel, Watched
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.likeness import BESIDE, TIMES, alike, distance, kept, unlike_beside
from gatemark.judge.point.sweep import others
from gatemark.judge.subject import About
from gatemark.kind.connections.plan import RATE
from gatemark.kind.connections.point import QUANTITIES
from gatemark.kind.fill.plan import FILL
from gatemark.plan.model import is_twin
from gatemark.store.published import Published
from gatemark.store.record import Definition, Scalar
from gatemark.unit import payload_bytes

PEAK: Final = "peak_l4_bps"
SAFE: Final = "safe_l4_bps"
GAIN: Final = "gain_ratio"
OF_COMPARISONS: Final = (GAIN, "gain_l4_bps", "cost_ratio")  # none of them is told as a bound
OF_TRAFFIC: Final = (*OF_COMPARISONS, "tester_cpu_share")  # not of connections and flows
CONNECTING: Final = frozenset((*QUANTITIES, FILL))
CALLS: Final = "path_calls"
NETFILTER_SHARE: Final = "path_netfilter_share"
RAISED: Final = ("_pps", "_bps", "connections")  # what a tester that asks more could only raise
CPU: Final = "cpu_busy"
# The CPU load of these is a load by traffic; connections that are held and fills have others.
TRAFFIC: Final = frozenset({"received rate", "goodput", "replayed rate"})


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """A value of ours, and a published one of a like definition."""

    plan: str
    arm: str
    point: dict[str, Scalar]
    quantity: str  # of store.published.REFERENCE_UNITS
    published: Published
    measured: Interval
    at_least: bool  # ours is a lower bound
    differs: tuple[Text, ...]  # what is not said there, and what is known to be otherwise


class Candidate(About, frozen=True, kw_only=True):
    """One quantity of one point of ours."""

    quantity: str
    measured: Interval
    at_least: bool


def beside(judgement: Judgement, published: Iterable[Published]) -> tuple[Beside, ...]:
    """Every published value beside ours that is alike, in the order of our plans."""
    ours = list(_candidates(judgement))
    place = {id(candidate): at for at, candidate in enumerate(ours)}
    results = [
        (place[id(near)], _row(near, value, choices))
        for value in published
        for near, choices in _of(ours, value)
    ]
    return tuple(row for _, row in sorted(results, key=lambda pair: pair[0]))


def behind_tester(judgement: Judgement, published: Iterable[Published]) -> Iterator[Published]:
    """Gains and costs that were published, whose like the tester limited here."""
    limited = [
        c.definition
        for c in judgement.comparisons
        if c.at_least and c.quantity == c.definition.headline and not is_twin(c.arm)
    ]
    for value in published:
        if value.quantity in OF_COMPARISONS and any(alike(ours, value) for ours in limited):
            yield value


def _candidates(judgement: Judgement) -> Iterator[Candidate]:
    own = (point for point in judgement.points if not is_twin(point.arm))
    for point in (*judgement.ceilings, *own):
        yield from _measured(point)
    for knee in judgement.knees:
        if knee.definition.frame_bytes:
            yield _peak(knee, knee.definition.frame_bytes)
    for result in judgement.watched:
        if result.safe_bps is not None:
            yield _safe(result, result.safe_bps)

    yield from (
        value for travel in judgement.travels if travel.alike > 1 for value in _path(travel)
    )
    yield from _compared(judgement)


def _measured(point: PointResult) -> Iterator[Candidate]:
    """The values of a point that a source could have published."""
    kind = point.definition.quantity
    if kind == RATE:  # no source has connections/s of our kind
        return
    for quantity, measured in point.values.items():
        if quantity != CPU or kind in TRAFFIC:
            yield Candidate(
                subject=point.subject,
                quantity=quantity,
                measured=measured,
                at_least=quantity.endswith(RAISED) and is_bound(point),
            )


def _compared(judgement: Judgement) -> Iterator[Candidate]:
    """Yield values that follow from points, and what arms gain against the first of their plan."""
    for subject, quantity, measured in derived(judgement):
        if quantity not in OF_TRAFFIC or subject.definition.quantity not in CONNECTING:
            yield Candidate(subject=subject, quantity=quantity, measured=measured, at_least=False)
    for subject, quantity, measured, at_least in of_link(judgement):
        yield Candidate(subject=subject, quantity=quantity, measured=measured, at_least=at_least)
    for comparison in gain.gateways(judgement.comparisons):
        if comparison.definition.quantity not in CONNECTING and not is_twin(comparison.arm):
            yield _gain(comparison)


def _path(travel: Travel) -> Iterator[Candidate]:
    """Calls of one packet, and netfilter's share of them."""
    share = travel.netfilter.calls / max(1, travel.own.calls)
    for quantity, value in ((CALLS, float(travel.own.calls)), (NETFILTER_SHARE, share)):
        yield Candidate(
            subject=travel.subject,
            quantity=quantity,
            measured=Interval(value, value, value, 1, 0.0),
            at_least=False,
        )


def _gain(comparison: Comparison) -> Candidate:
    """Return how much more an arm carries than the first of its plan."""
    return Candidate(
        subject=comparison.subject,
        quantity=GAIN,
        measured=comparison.change.change,
        at_least=False,
    )


def _peak(knee: Knee, frame_bytes: int) -> Candidate:
    """The most payload that an arm received at any rate of its sweep."""
    bits, peak = payload_bytes(frame_bytes, knee.definition.family) * 8, knee.peak_pps
    return Candidate(
        subject=knee.subject,
        quantity=PEAK,
        measured=Interval(peak.value * bits, peak.lo * bits, peak.hi * bits, peak.n, peak.level),
        at_least=knee.at_least,
    )


def _safe(watched_arm: Watched, bps: float) -> Candidate:
    """The highest of the offered rates at which an arm was whole: read off, without an interval."""
    return Candidate(
        subject=watched_arm.subject,
        quantity=SAFE,
        measured=Interval(bps, bps, bps, 1, 0.0),
        at_least=watched_arm.at_least,
    )


def _of(ours: Sequence[Candidate], published: Published) -> list[tuple[Candidate, int]]:
    """Our values that are alike: of those that only `assumed` tells apart one, and of how many."""
    kinds: dict[tuple[object, ...], list[Candidate]] = {}
    for our in ours:
        same = our.quantity == published.quantity and alike(our.definition, published)
        if same and _at_its_rate(our.point, published):
            kinds.setdefault((our.plan, *kept(our.definition, published)), []).append(our)
    return [_nearest(same, published) for same in kinds.values()]


def _at_its_rate(point: Mapping[str, Scalar], published: Published) -> bool:
    """Whether ours is at the rate at which a published value holds, if it holds at one alone."""
    rates = ((published.at_bps, "rate_bps"), (published.at_pps, "rate_pps"))
    return all(rate in (0.0, point.get(name)) for rate, name in rates)


def _nearest(same: Sequence[Candidate], published: Published) -> tuple[Candidate, int]:
    """The one nearest to what the source's tool does by itself, of the first such arm; of how many.

    UDP is published as fast as it went, so of a sweep of rates the most that was received counts.
    """
    distances = [distance(candidate.definition, published) for candidate in same]
    near = [
        candidate for candidate, far in zip(same, distances, strict=True) if far == min(distances)
    ]
    rates = [candidate for candidate in near if candidate.arm == near[0].arm]
    paced = near[0].definition.l4 == "udp" and published.quantity.endswith(RAISED)
    best = max(rates, key=lambda candidate: candidate.measured.value) if paced else rates[0]
    return best, len({(candidate.arm, others(candidate.point)) for candidate in same})


def _row(ours: Candidate, published: Published, choices: int) -> Beside:
    chosen = (fact("reference.nearest", choices=choices),) if choices > 1 else ()
    return Beside(
        plan=ours.plan,
        arm=ours.arm,
        point=ours.point,
        quantity=ours.quantity,
        published=published,
        measured=ours.measured,
        at_least=ours.at_least,
        differs=(*chosen, *_differs(ours.definition, published)),
    )


def _differs(ours: Definition, published: Published) -> Iterator[Text]:
    there = published.stated.get("duration_s")
    if there is not None and there != ours.duration_s:
        yield fact("reference.duration", there=there, here=ours.duration_s)
    yield from _times_beside(ours, published)
    buffer = published.stated.get("socket_buffer_bytes")
    if buffer and not ours.socket_buffer_bytes:
        yield fact("reference.buffer", bytes=buffer)
    yield from (fact("reference.unstated", field=field) for field in published.unstated)
    yield from (fact("reference.implied", field=field) for field in published.implied)
    if published.remark:
        yield published.remark
    _, contradiction, rest = published.note.partition("INCONSISTENT")
    if contradiction:
        yield fact("reference.contradicts", rest=rest)


def _times_beside(ours: Definition, published: Published) -> Iterator[Text]:
    """When the workloads beside begin and how long they last, where it is otherwise here."""
    wanted = published.assumed.get(BESIDE, ())
    for name, key, there, here in unlike_beside(wanted, ours.beside if wanted else ()):
        if key in TIMES and there and here:
            yield fact(
                "reference.beside", name=name, field=key, there=float(there), here=float(here)
            )
