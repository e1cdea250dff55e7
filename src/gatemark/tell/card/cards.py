# SPDX-License-Identifier: Apache-2.0
"""All cards of a run, in the order of the page. A card whose measurement was not made is absent."""

from collections.abc import Iterable, Sequence

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.speed import is_full_speed, speed
from gatemark.plan.model import Plan
from gatemark.tell.card import cost, delay, limit, rate
from gatemark.tell.card.card import Card, Place, parts
from gatemark.tell.card.picture import Bar, Picture
from gatemark.tell.chart.palette import palette
from gatemark.tell.group import study, sweep
from gatemark.tell.group.study import Study
from gatemark.tell.words import number, traffic


def cards(judgement: Judgement, plans: Sequence[Plan] = (), *, virtual: bool = False) -> list[Card]:
    """Rates, what load adds to the delay, connections, costs, the bottleneck; then all others."""
    place = Place(palette(judgement), virtual)
    studies = study.studies(judgement, plans)
    payloads: dict[str, Card] = {}  # of several plans on the same setup the first tells
    for shown in studies:
        if tells(judgement, shown):
            continue
        card = rate.payload(shown, place)
        payloads.setdefault(card.title, card)
    capacities = [rate.capacity(judgement, knees, place) for knees in sweep.groups(judgement)]
    return [
        *rate.throughput(judgement, place),
        *full_speed(judgement, place),
        *capacities[:1],
        *limit.connections(judgement, place),
        *delay.under_load(judgement, place),
        *cost.features(judgement, place),
        *limit.bottleneck(judgement, studies, place),
        *payloads.values(),
        *delay.one_way(judgement, plans, place),
        *cost.changes(judgement, place),
    ]


def full_speed(judgement: Judgement, place: Place) -> Iterable[Card]:
    """Absent where small and full frames were not both routed."""
    routed = speed(judgement.points)
    if routed is None:
        return
    small, full = routed.small, routed.full
    rate = small.values["received_pps"]
    value, unit = parts(rate, "packets/s", at_least=small.at_least)
    size, wire = full.definition.frame_bytes, _words(full, "received_l1_bps", "bit/s")
    alike = [p for p in judgement.points if is_full_speed(p) and p.point == small.point]
    yield Card(
        title="At full speed: routing",
        value=value,
        unit=f"{unit} of {small.definition.frame_bytes} bytes",
        line=f"{wire} on the wire at {size} bytes",
        lines=tuple(
            f"{p.arm}: {_words(p, 'received_pps', 'packets/s')}" for p in alike if p is not small
        ),
        definition="What came through while the tester sent as fast as it can; "
        f"{traffic.traffic(small.definition)}.",
        evidence=_evidence(judgement, small),
        picture=Picture(
            f"Packets/s of {small.definition.frame_bytes} bytes of each setup",
            tuple(
                Bar(p.arm, place.colors.color(p.plan, p.arm), p.values["received_pps"])
                for p in alike
            ),
        ),
        amount=rate,
    )


def tells(judgement: Judgement, shown: Study) -> bool:
    """Return whether the card tells of the points of a study, which then needs none of its own."""
    routed = speed(judgement.points)
    return routed is not None and any(point is routed.small for point in shown.points)


def _evidence(judgement: Judgement, small: PointResult) -> str:
    studies = study.studies(judgement, ())
    return next((s.anchor for s in studies if any(p is small for p in s.points)), "every-point")


def _words(point: PointResult, quantity: str, unit: str) -> str:
    return number.quantity_interval(point.values[quantity], unit, at_least=point.at_least)
