# SPDX-License-Identifier: Apache-2.0
"""What belongs together in a judgement: the points of a knee, the points that stand alone."""

import re
from collections.abc import Iterable, Mapping, Sequence

from gatemark.stats.judgement import Judgement, Knee, PointResult
from gatemark.store.record import Definition, Record, Scalar

ARROW = {"up": "↑ up", "down": "↓ down", "both": "↕ both"}
_ORDER = {"up": 0, "down": 1, "both": 2}
DIRECTION = {"up": "LAN to WAN", "down": "WAN to LAN", "both": "both directions at once"}


def offered_pps(point: PointResult) -> float:
    """The rate that the schedule asked for."""
    rate = point.point.get("rate_pps")
    if isinstance(rate, int | float) and rate:
        return float(rate)
    offered = point.values.get("offered_pps")
    return offered.value if offered else 0.0


def points_of(judgement: Judgement, knee: Knee) -> list[PointResult]:
    """The points of a knee's sweep, by offered rate."""
    mine = [
        point
        for point in judgement.points
        if point.plan == knee.plan
        and point.arm == knee.arm
        and _belongs(point.point, point.definition, knee)
        and "received_pps" in point.values
    ]
    return sorted(mine, key=offered_pps)


def records_of(records: Iterable[Record], knee: Knee) -> list[Record]:
    """The valid trials of a knee's sweep in the outside pass, as they ran."""
    return [
        record
        for record in records
        if record.status == "ok"
        and record.pass_ == "outside"
        and record.plan == knee.plan
        and record.arm == knee.arm
        and _belongs(record.point, record.definition, knee)
        and "received_pps" in record.values
    ]


def loaded(judgement: Judgement, knee: Knee) -> PointResult | None:
    """The first point at or beyond the knee: where the limit shows. None: nothing measured."""
    points = points_of(judgement, knee)
    beyond = [point for point in points if offered_pps(point) >= knee.knee_pps.value]
    return beyond[0] if beyond else (points[-1] if points else None)


def singles(judgement: Judgement) -> list[PointResult]:
    """Points outside every sweep that has a knee, fastest first."""
    swept = {id(point) for knee in judgement.knees for point in points_of(judgement, knee)}
    alone = [p for p in judgement.points if id(p) not in swept and "received_pps" in p.values]
    return sorted(alone, key=lambda point: -point.values["received_pps"].value)


def arms(knees: Sequence[Knee]) -> list[str]:
    """The arms' names in the order of the plan, each once."""
    return list(dict.fromkeys(knee.arm for knee in knees))


def groups(judgement: Judgement) -> list[list[Knee]]:
    """Knees that share one figure: one plan, one kind of traffic, all its arms and directions."""
    found: dict[str, list[Knee]] = {}
    for knee in judgement.knees:
        found.setdefault(anchor("knee", knee), []).append(knee)
    return list(found.values())


def lead(knees: Iterable[Knee]) -> list[Knee]:
    """One knee for each setup, of the direction that the answer tells: up before down."""
    best: dict[str, Knee] = {}
    for knee in sorted(knees, key=lambda knee: _ORDER.get(knee.direction, 3)):
        best.setdefault(knee.arm, knee)
    return [best[arm] for arm in arms(list(best.values()))]


def delays(judgement: Judgement, knees: Iterable[Knee]) -> tuple[Knee, list[PointResult]] | None:
    """The sweep whose delay is told: of the leading knees the one with the longest when idle."""
    timed = [
        (knee, [p for p in points_of(judgement, knee) if "delay_p50_ns" in p.values])
        for knee in lead(knees)
    ]
    found = [pair for pair in timed if pair[1]]
    return max(found, key=lambda pair: pair[1][0].values["delay_p50_ns"].value, default=None)


def anchor(kind: str, knee: Knee) -> str:
    """A figure's name: letters, digits and dashes only, the same for the same plan and traffic."""
    kinds = knee.definition
    parts = [kind, knee.plan, str(kinds.frame_bytes or "mix")]
    parts += [f"{kinds.flows}-flows"] if kinds.flows != 1 else []
    parts += [kinds.family] if kinds.family != "ipv4" else []
    told = ("direction", "frame_bytes", "flows", "family")
    parts += [f"{name}-{level}" for name, level in knee.point.items() if name not in told]
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")


def traffic(definition: Definition) -> str:
    """The traffic in words: `64-byte frames, UDP over IPv4, 1 flow, trials of 1 s`."""
    size = f"{definition.frame_bytes}-byte frames" if definition.frame_bytes else "mixed sizes"
    flows = f"{definition.flows} flow{'' if definition.flows == 1 else 's'}"
    family = {"ipv4": "IPv4", "ipv6": "IPv6"}.get(definition.family, definition.family)
    words = [size, f"{definition.l4.upper()} over {family}", flows]
    if definition.duration_s:
        words.append(f"trials of {definition.duration_s:g} s")
    return ", ".join(words)


def point_words(point: PointResult) -> str:
    """A point's own factors in short: `↑ up, 64 B`."""
    definition = point.definition
    size = f", {definition.frame_bytes} B" if definition.frame_bytes else ""
    flows = f", {definition.flows} flows" if definition.flows > 1 else ""
    brake = ", braked" if definition.brake_pps else ""
    return f"{ARROW.get(definition.direction, definition.direction)}{size}{flows}{brake}"


def _belongs(factors: Mapping[str, Scalar], definition: Definition, knee: Knee) -> bool:
    """Whether a point of the knee's plan and arm lies on the knee's own sweep."""
    same = all(factors.get(name, level) == level for name, level in knee.point.items())
    return same and _traffic(definition) == _traffic(knee.definition)


def _traffic(d: Definition) -> tuple[object, ...]:
    return (d.path, d.features, d.direction, d.family, d.l4, d.frame_bytes, d.flows, d.brake_pps)
