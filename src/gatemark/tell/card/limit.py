# SPDX-License-Identifier: Apache-2.0
"""Cards of limits: how many connections are held at once, and what held the gateway back."""

from collections.abc import Iterable, Sequence

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.kind.connections.plan import HELD
from gatemark.kind.fill import answer as fill
from gatemark.kind.fill.plan import FILL
from gatemark.tell.card.card import Card, Place, what
from gatemark.tell.card.picture import Bar, Picture
from gatemark.tell.fact import say
from gatemark.tell.group import sweep
from gatemark.tell.group.study import Study
from gatemark.tell.words import headline, number, traffic

LIMITS = {"cpu": "CPU", "none": "none seen", "flow-table": "flow table"}
MOST_LINES = 5
Held = tuple[str, str, str]  # limit, why, where it was seen


def connections(judgement: Judgement, place: Place) -> Iterable[Card]:
    """The most held at once by the setup that held least, what each takes, then the others."""
    filled = _most_held(judgement)
    if not filled:
        return
    first = min(filled, key=_count)
    kind = first.definition
    of = "UDP, a packet each" if kind.l4 == "udp" else "TCP, a message and its echo each"
    is_bound = _is_bound(first)
    others = [f"{p.setup}: {_held(p)}" for p in filled if p is not first]
    whole = number.Scale(1.0, kind.headline)
    until = _until(first)
    bars = [
        Bar(p.arm, place.colors.color(p.plan, p.arm), p.values[p.definition.headline])
        for p in filled
    ]
    yield Card(
        title=f"Connections: {first.setup}",
        value=number.interval(first.values[kind.headline], whole, at_least=is_bound),
        unit=f"{whole.unit} at once",
        line=until,
        lines=(say.words(first.why), *fill.lines(first), *others[:MOST_LINES]),
        definition=f"{of}; {until}.",
        evidence=fill.ANCHOR if kind.l4 == "udp" else "connections-held",
        picture=Picture("Held at once by each setup", tuple(bars)),
        amount=first.values[kind.headline],
    )


def _held(point: PointResult) -> str:
    """How many, and whether it might hold more."""
    headline, is_bound = point.definition.headline, _is_bound(point)
    return number.quantity_interval(point.values[headline], headline, at_least=is_bound)


def _is_bound(point: PointResult) -> bool:
    """Return whether the gateway might hold more: the tester did not, or nobody asked for more."""
    return point.at_least or point.limit == "none"


def _until(point: PointResult) -> str:
    """What ended the count."""
    if point.limit == "none":
        return "no more were asked for"
    return "the tester held no more" if point.at_least else "until one failed"


def bottleneck(judgement: Judgement, studies: Sequence[Study], place: Place) -> Iterable[Card]:
    """What held back, at every knee and at the points of the studies."""
    points = [point for study in studies for point in study.points]
    held: list[Held] = [(k.limit, say.words(k.why), what(k)) for k in judgement.knees]
    held += [
        (p.limit, say.words(p.why), f"{p.setup} {traffic.way(p.definition.direction)}")
        for p in points
    ]
    limits = [limit for limit in dict.fromkeys(limit for limit, *_ in held) if limit != "none"]
    if not held:
        return
    reasons = [_reason(held, limit) for limit in limits]
    first, *others = reasons or ["all that was offered came through"]
    yield Card(
        title="Bottleneck",
        value=", ".join(LIMITS.get(own, headline.bottleneck(own)) for own in limits or ["none"]),
        unit="",
        line=first,
        lines=tuple(others),
        definition="What held the gateway back"
        f"{' at the knee' if judgement.knees and not points else ''}.",
        evidence="every-point",
        picture=_busy(judgement, points, place),
    )


def _reason(held: Sequence[Held], limit: str) -> str:
    """Where a limit was seen first, and by what."""
    _, why, where = next(limited for limited in held if limited[0] == limit)
    return f"{where}: {why}" if why else where


def _busy(judgement: Judgement, points: Sequence[PointResult], place: Place) -> Picture | None:
    """How busy the CPU was, of each setup once; the axis ends at a full CPU."""
    loaded = [sweep.loaded(judgement, knee) for knee in sweep.lead(judgement.knees)]
    busy: dict[str, Bar] = {}
    for p in (*loaded, *points):
        if p is not None and "cpu_busy" in p.values:
            color = place.colors.color(p.plan, p.arm)
            busy.setdefault(p.arm, Bar(p.arm, color, p.values["cpu_busy"]))
    if not busy:
        return None
    return Picture(
        "CPU busy, of each setup; the axis ends at 100 %", tuple(busy.values()), most=1.0
    )


def _most_held(judgement: Judgement) -> list[PointResult]:
    """The most that each setup held at once: flows, else TCP connections."""
    every = [p for p in judgement.points if p.definition.headline in p.values]
    kinds = [[p for p in every if p.definition.quantity == kind] for kind in (FILL, HELD)]
    kept = next((kind for kind in kinds if kind), [])
    most: dict[str, PointResult] = {}
    for point in sorted(kept, key=_count, reverse=True):
        most.setdefault(point.setup, point)
    return [point for point in kept if point is most[point.setup]]


def _count(point: PointResult) -> float:
    """How many it held."""
    return point.values[point.definition.headline].value
