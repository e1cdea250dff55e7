# SPDX-License-Identifier: Apache-2.0
"""The cards of the first screen: one number each, with interval, definition and evidence.

A card whose measurement was not made is absent.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gatemark.plan.model import Plan, is_twin
from gatemark.report import cost, number, rate, study, sweep, word
from gatemark.report.study import Study
from gatemark.stats.judgement import Interval, Judgement, Knee, PointResult

LIMITS = {"cpu": "CPU", "none": "none seen", "flow-table": "flow table"}


@dataclass(frozen=True, slots=True)
class Card:
    """A number that answers one question."""

    title: str
    value: str
    unit: str
    lines: tuple[str, ...]  # what belongs to it: the other direction, bits on the wire
    definition: str
    evidence: str  # anchor


def cards(judgement: Judgement, plans: Sequence[Plan] = ()) -> list[Card]:
    """Capacity by setup, payload by arm, delay, flood, what the arms cost, what is the limit."""
    studies = study.studies(judgement, plans)
    first: dict[str, Card] = {}  # of several plans on the same setup the first tells
    for one in map(_payload, studies):
        first.setdefault(one.title, one)
    made = [*_capacities(judgement.knees), *first.values()]
    made += [*_delay(judgement), *_overload(judgement.knees), *_costs(judgement)]
    return [*made, *_limit(judgement, studies)]


def _capacities(knees: Sequence[Knee]) -> Iterable[Card]:
    kept: dict[tuple[str, str], list[Knee]] = {}
    for knee in knees:
        kept.setdefault((knee.plan, knee.setup), []).append(knee)
    for (_, setup), mine in kept.items():
        first = sweep.lead(mine)[0]
        lines = [f"{word.way(first.direction)}, {_wire(first)}"]
        lines += [
            f"{word.way(knee.direction)}: {_rate(knee)}" for knee in mine if knee is not first
        ]
        value, unit = _parts(first.knee_pps, "packets/s", at_least=first.at_least)
        yield Card(
            title=f"Capacity: {setup}",
            value=value,
            unit=unit,
            lines=tuple(lines),
            definition="The knee: beyond it the gateway no longer keeps up; "
            f"{word.traffic(first.definition)}.",
            evidence=sweep.anchor("knee", first),
        )


def _wire(knee: Knee) -> str:
    return f"{number.quantity(knee.knee_l1_bps, 'bit/s')} on the wire"


def _rate(knee: Knee) -> str:
    return number.quantity_interval(knee.knee_pps, "packets/s", at_least=knee.at_least)


def _delay(judgement: Judgement) -> Iterable[Card]:
    found = sweep.delays(judgement, judgement.knees)
    if found is None:
        return
    knee, points = found
    light, heavy = points[0], points[-1]
    value, unit = _parts(light.values["delay_p50_ns"], "ns")
    lines = [f"overloaded: {number.quantity_interval(heavy.values['delay_p50_ns'], 'ns')}"]
    if "delay_p99_ns" in light.values:
        lines.insert(0, f"99 of 100 within {_ns(light.values['delay_p99_ns'])}")
    at = number.nominal(sweep.offered_pps(light), "packets/s")
    most = number.nominal(sweep.offered_pps(heavy), "packets/s")
    yield Card(
        title="Delay, nearly idle",
        value=value,
        unit=unit,
        lines=tuple(lines),
        definition=f"One way, median, {knee.setup} {knee.direction}; at {at} offered, "
        f"overloaded at {most}.",
        evidence=sweep.anchor("delay", knee),
    )


def _ns(i: Interval) -> str:
    return number.quantity(i.value, "ns")


def _overload(knees: Sequence[Knee]) -> Iterable[Card]:
    found = [(knee, knee.collapse["2.0"]) for knee in knees if "2.0" in knee.collapse]
    if not found:
        return
    knee, left = min(found, key=lambda pair: pair[1].value)
    value, unit = _parts(left, "ratio")
    yield Card(
        title="Flooded at twice the knee",
        value=value,
        unit=f"{unit} still delivered",
        lines=(f"{knee.setup} {knee.direction}, the lowest of {len(found)}",),
        definition="100 %: a flood costs nothing but the surplus. Much less: the gateway "
        "wastes its time on packets that it drops.",
        evidence=sweep.anchor("knee", knee),
    )


def _payload(found: Study) -> Card:
    """The first arm of a study at its best, then the other arms, or the way down the sizes."""
    lead = found.points[0]
    first = _best([p for p in found.points if p.arm == lead.arm and _alike(p, lead)])
    others = [arm for arm in study.arms(found.points) if arm != first.arm]
    lines = [_busy(first)] if "cpu_busy" in first.values else []
    alike = [point for point in found.points if _alike(point, first)]
    lines += [f"{arm}: {_told(_best([p for p in alike if p.arm == arm]))}" for arm in others[:3]]
    if not others and first.definition.l4 == "tcp":
        least = min(alike, key=_value)
        lines.append(f"{word.load(least.definition)}: {_told(least)}")
    value, unit = _parts(_measured(first), "bit/s", at_least=first.at_least)
    return Card(
        title=f"{first.definition.l4.upper()}: {first.setup}",
        value=value,
        unit=f"{unit} of payload",
        lines=tuple(lines),
        definition=f"{word.way(first.definition.direction)}, {word.traffic(first.definition)}.",
        evidence=found.anchor,
    )


def _costs(judgement: Judgement) -> Iterable[Card]:
    """What an arm costs, or gains, at its worst: once, in the first plan that tells it."""
    seen: set[str] = set()
    for found in cost.groups(judgement):
        told = [one for one in found if not is_twin(one.arm) and not one.at_least]
        if not told or told[0].quantity not in cost.RATES:
            continue
        worst = min(told, key=lambda one: one.change.change.value)
        if (name := cost.name(worst)) in seen:
            continue
        seen.add(name)
        is_cost = worst.change.verdict == "slower"
        text = cost.percent(worst.change.change).removesuffix(" %")
        most = f"; the most of {len(told)}" if len(told) > 1 else ""
        yield Card(
            title=f"{'Cost of' if is_cost else 'Change by'} {name}",
            value=text.lstrip(number.MINUS) if is_cost else text,
            unit="%",
            lines=(f"against {word.does(worst.baseline)}: {worst.change.verdict}",),
            definition=f"Of the rate, {word.load(worst.definition)}{most}.",
            evidence=cost.anchor(found),
        )


def _limit(judgement: Judgement, studies: Sequence[Study]) -> Iterable[Card]:
    points = [point for found in studies for point in found.points]
    held: list[tuple[str, str]] = [(knee.limit, knee.why) for knee in judgement.knees]
    held += [(point.limit, point.why) for point in points]
    limits = [limit for limit in dict.fromkeys(limit for limit, _ in held) if limit != "none"]
    if not held:
        return
    reasons = {limit: why for limit, why in reversed(held) if why}
    yield Card(
        title="Limit",
        value=", ".join(LIMITS.get(limit, limit) for limit in limits or ["none"]),
        unit="",
        lines=tuple(reasons[limit] for limit in limits if limit in reasons),
        definition="What held the gateway back"
        f"{' at the knee' if judgement.knees and not points else ''}.",
        evidence="every-point",
    )


def _measured(point: PointResult) -> Interval:
    return point.values[rate.PAYLOAD[point.definition.l4]]


def _value(point: PointResult) -> float:
    return _measured(point).value


def _best(points: Sequence[PointResult]) -> PointResult:
    return max(points, key=_value)


def _alike(one: PointResult, other: PointResult) -> bool:
    a, b = one.definition, other.definition
    return (a.l4, a.family, a.direction) == (b.l4, b.family, b.direction)


def _busy(point: PointResult) -> str:
    return f"CPU {number.plain(point.values['cpu_busy'].value * 100, 0)} %"


def _told(point: PointResult) -> str:
    text = number.quantity_interval(_measured(point), "bit/s", at_least=point.at_least)
    return f"{text} ({_busy(point)})" if "cpu_busy" in point.values else text


def _parts(i: Interval, unit: str, *, at_least: bool = False) -> tuple[str, str]:
    to = number.scale([i.value], unit)
    return number.label(i, to, at_least=at_least), to.unit
