# SPDX-License-Identifier: Apache-2.0
"""All cards of a run, in the order of the page. A card whose measurement was not made is absent."""

from collections.abc import Sequence

from gatemark.plan.model import Plan
from gatemark.report.card import cost, delay, full, limit, rate
from gatemark.report.card.card import Card, Place
from gatemark.report.chart.palette import palette
from gatemark.report.group import study, sweep
from gatemark.stats.judgement import Judgement


def cards(judgement: Judgement, plans: Sequence[Plan] = (), *, virtual: bool = False) -> list[Card]:
    """Rates, what load adds to the delay, connections, costs, the bottleneck; then all others."""
    place = Place(palette(judgement), virtual)
    studies = study.studies(judgement, plans)
    payloads: dict[str, Card] = {}  # of several plans on the same setup the first tells
    for shown in studies:
        if full.tells(judgement, shown):
            continue
        card = rate.payload(shown, place)
        payloads.setdefault(card.title, card)
    capacities = [rate.capacity(judgement, knees, place) for knees in sweep.groups(judgement)]
    return [
        *rate.throughput(judgement, place),
        *full.full_speed(judgement, place),
        *capacities[:1],
        *limit.connections(judgement, place),
        *delay.under_load(judgement, place),
        *cost.features(judgement, place),
        *limit.bottleneck(judgement, studies, place),
        *payloads.values(),
        *delay.one_way(judgement, plans, place),
        *cost.changes(judgement, place),
    ]
