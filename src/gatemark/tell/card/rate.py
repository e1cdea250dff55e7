# SPDX-License-Identifier: Apache-2.0
"""Cards of rates: the highest that a search found, where a sweep stops following, payload."""

from collections.abc import Iterable, Sequence

from gatemark.judge.judgement import Judgement, Knee, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.tell.answer import search
from gatemark.tell.card.card import Card, Place, cut, parts, what
from gatemark.tell.card.picture import Bar, Line, Picture
from gatemark.tell.group import study, sweep
from gatemark.tell.group.study import Study
from gatemark.tell.words import headline, number, traffic

GIGABIT_BPS = 1e9
MOST_LINES = 5
# Whether a knee is a lower bound alone -> what is known of rates beyond it.
BEYOND = {False: "beyond this rate packets are lost", True: "more was not shown by the tester"}


def throughput(judgement: Judgement, place: Place) -> Iterable[Card]:
    """What the first search found by its strictest goal, its other goals, the other arms."""
    every = [goal_set for searches in search.plans(judgement).values() for goal_set in searches]
    searches = [goal_set for goal_set in every if headline.headline(goal_set.first) is not None]
    if not searches:
        return
    first_search, first = searches[0], searches[0].first
    same = [o for o in searches[1:] if (o.plan, o.load) == (first_search.plan, first_search.load)]
    rates = [(search.NAMES[goal], p) for goal, p in first_search.goals.items() if p is not first]
    rates += [(f"{search.NAMES[str(o.first.point['goal'])]} {o.arm}", o.first) for o in same]
    lines = [f"{who}: {_searched(p)}" for who, p in rates if headline.headline(p) is not None]
    value, unit = parts(first.values["throughput_pps"], "packets/s", at_least=first.at_least)
    goal = str(first.point["goal"])
    bars = [_bar(p, p.values["throughput_pps"], place) for p in (first, *(o.first for o in same))]
    yield Card(
        title=f"Throughput: {first.setup}",
        value=value,
        unit=unit,
        line=f"highest rate with {search.MEANS[goal]}, {traffic.load(first.definition)}",
        lines=tuple(lines[:MOST_LINES]),
        definition=f"{search.NAMES[goal]}: the highest rate with {search.MEANS[goal]}; "
        f"{traffic.traffic(first.definition)}.",
        evidence="throughput",
        picture=Picture("Throughput of each setup", tuple(bars)),
        amount=first.values["throughput_pps"],
    )


def _searched(point: PointResult) -> str:
    measured = point.values["throughput_pps"]
    return number.quantity_interval(measured, "packets/s", at_least=point.at_least)


def _bar(point: PointResult, value: Interval, place: Place) -> Bar:
    return Bar(point.arm, place.colors.color(point.plan, point.arm), value)


def capacity(judgement: Judgement, knees: Sequence[Knee], place: Place) -> Card:
    """The first setup's knee, then the other directions and setups of the same sweep."""
    first = sweep.lead(knees)[0]
    to = number.scale([first.knee_pps.value], "packets/s")
    lines = [f"{what(first)}: {_wire(first, place)}"]
    lines += [
        f"{what(knee)}: {number.interval(knee.knee_pps, to, at_least=knee.at_least)}"
        for knee in knees
        if knee is not first
    ]
    value, unit = parts(first.knee_pps, "packets/s", at_least=first.at_least)
    return Card(
        title=f"Capacity{', slowed' if first.definition.slow_to_pps else ''}: {first.setup}",
        value=value,
        unit=unit,
        line=f"{BEYOND[first.at_least]}; {traffic.load(first.definition)}",
        lines=(*cut(lines, MOST_LINES), *_flooded(knees)),
        definition="The knee: the offered rate beyond which the gateway no longer keeps up; "
        f"{traffic.traffic(first.definition)}.",
        evidence=sweep.anchor("knee", first),
        picture=_curves(judgement, sweep.lead(knees), place),
        amount=first.knee_pps,
    )


def _curves(judgement: Judgement, knees: Sequence[Knee], place: Place) -> Picture:
    """Received against offered, with each setup's knee."""
    lines = [
        Line(
            knee.arm,
            place.colors.color(knee.plan, knee.arm),
            tuple(
                (sweep.offered_pps(p), p.values["received_pps"].value)
                for p in sweep.points_of(judgement, knee)
            ),
            None if knee.at_least else knee.knee_pps,
        )
        for knee in knees
    ]
    return Picture("Received against offered rate of each setup", lines=tuple(lines))


def _wire(knee: Knee, place: Place) -> str:
    """The rate as bits on the wire, and of a device how much of a line they fill."""
    bound = number.AT_LEAST if knee.at_least else ""
    bits = f"{bound}{number.quantity(knee.least_l1_bps, 'bit/s')}"
    if not place.is_device(knee.definition.slow_to_pps):
        return f"{bits} on the wire"
    share = number.quantity(knee.knee_l1_bps / GIGABIT_BPS, "ratio")
    return f"{bits}, {share} of a gigabit line"


def _flooded(knees: Sequence[Knee]) -> Iterable[str]:
    """What still comes through at twice the knee, of the arm that keeps least."""
    beyond = [(knee, knee.retained["2x"]) for knee in knees if "2x" in knee.retained]
    if beyond:
        knee, left = min(beyond, key=lambda pair: pair[1].value)
        least = f" ({what(knee)}, the least)" if len(beyond) > 1 else ""
        yield f"flooded at twice the knee it keeps {parts(left, 'ratio')[0]} %{least}"


def payload(shown: Study, place: Place) -> Card:
    """The first arm of a study at its best, then the other arms, or the way down the sizes."""
    lead = shown.points[0]
    first = _best([p for p in shown.points if p.arm == lead.arm and _alike(p, lead)])
    others = [arm for arm in study.arms(shown.points) if arm != first.arm]
    alike = [point for point in shown.points if _alike(point, first)]
    rivals = [_best([p for p in alike if p.arm == arm]) for arm in others]
    lines = [_busy(first)] if "cpu_busy" in first.values else []
    lines += [f"{point.arm}: {_own_rate(point)}" for point in rivals[:3]]
    if not others and first.definition.l4 == "tcp":
        least = min(alike, key=_value)
        lines.append(f"{traffic.load(least.definition)}: {_own_rate(least)}")
    value, unit = parts(_measured(first), "bit/s", at_least=first.at_least)
    return Card(
        title=f"{first.definition.l4.upper()}: {first.setup}",
        value=value,
        unit=f"{unit} of payload",
        line=traffic.load(first.definition),
        lines=tuple(lines),
        definition=(
            f"{traffic.way(first.definition.direction)}, {traffic.traffic(first.definition)}."
        ),
        evidence=shown.anchor,
        picture=Picture(
            "Payload of each setup",
            tuple(_bar(p, _measured(p), place) for p in (first, *rivals)),
        ),
        amount=_measured(first),
    )


def _measured(point: PointResult) -> Interval:
    return point.values[headline.PAYLOAD[point.definition.l4]]


def _value(point: PointResult) -> float:
    return _measured(point).value


def _best(points: Sequence[PointResult]) -> PointResult:
    return max(points, key=_value)


def _alike(point: PointResult, other: PointResult) -> bool:
    a, b = point.definition, other.definition
    return (a.l4, a.family, a.direction) == (b.l4, b.family, b.direction)


def _busy(point: PointResult) -> str:
    return f"CPU {number.plain(point.values['cpu_busy'].value * 100, 0)} %"


def _own_rate(point: PointResult) -> str:
    text = number.quantity_interval(_measured(point), "bit/s", at_least=point.at_least)
    return f"{text} ({_busy(point)})" if "cpu_busy" in point.values else text
