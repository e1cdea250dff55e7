# SPDX-License-Identifier: Apache-2.0
"""The cards of the first screen: one number each, with interval, definition and evidence.

A card whose measurement was not made is absent.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gatemark.report import number, sweep
from gatemark.stats.judgement import Interval, Judgement, Knee

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


def cards(judgement: Judgement) -> list[Card]:
    """Capacity by setup, delay, what is left when overloaded, what is the limit."""
    made = [*_capacities(judgement.knees), *_delay(judgement), *_overload(judgement.knees)]
    return [*made, *_limit(judgement.knees)]


def _capacities(knees: Sequence[Knee]) -> Iterable[Card]:
    kept: dict[tuple[str, str], list[Knee]] = {}
    for knee in knees:
        kept.setdefault((knee.plan, knee.setup), []).append(knee)
    for (_, setup), mine in kept.items():
        first = sweep.lead(mine)[0]
        lines = [f"{sweep.ARROW.get(first.direction, first.direction)}, {_wire(first)}"]
        lines += [
            f"{sweep.ARROW.get(knee.direction, knee.direction)}: {_rate(knee)}"
            for knee in mine
            if knee is not first
        ]
        value, unit = _parts(first.knee_pps, "packets/s", at_least=first.at_least)
        yield Card(
            title=f"Capacity: {setup}",
            value=value,
            unit=unit,
            lines=tuple(lines),
            definition="The knee: beyond it the gateway no longer keeps up; "
            f"{sweep.traffic(first.definition)}.",
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


def _limit(knees: Sequence[Knee]) -> Iterable[Card]:
    if not knees:
        return
    limits = list(dict.fromkeys(knee.limit for knee in knees))
    reasons = {knee.limit: knee.why for knee in reversed(knees) if knee.why}
    yield Card(
        title="Limit",
        value=", ".join(LIMITS.get(limit, limit) for limit in limits),
        unit="",
        lines=tuple(reasons[limit] for limit in limits if limit in reasons),
        definition="What held the gateway back at the knee.",
        evidence="every-point",
    )


def _parts(i: Interval, unit: str, *, at_least: bool = False) -> tuple[str, str]:
    to = number.scale([i.value], unit)
    return number.interval(i, to, at_least=at_least), to.unit
