# SPDX-License-Identifier: Apache-2.0
"""What belongs together in a judgement: the points of a knee, the points that stand alone."""

import re
from collections.abc import Iterable, Mapping, Sequence

from gatemark.judge.judgement import Judgement, Knee, PointResult
from gatemark.store.record import Definition, Record, Scalar
from gatemark.unit import payload_bytes

RATES = ("rate_pps", "rate_bps")  # a point has one of them or none
_ORDER = {"up": 0, "down": 1, "both": 2}


def offered_pps(point: PointResult) -> float:
    """The rate that the schedule asked for."""
    offered = point.values.get("offered_pps")
    return asked_pps(point.point, point.definition, offered.value if offered else 0.0)


def asked_pps(point: Mapping[str, Scalar], definition: Definition, otherwise: float) -> float:
    """The rate that a point's factors name, or the one that was found."""
    pps, bps = (point.get(name) for name in RATES)
    if isinstance(pps, int | float) and pps:
        return float(pps)
    if isinstance(bps, int | float) and bps and definition.frame_bytes:
        return bps / 8 / payload_bytes(definition.frame_bytes, definition.family)
    return otherwise


def points_of(judgement: Judgement, knee: Knee) -> list[PointResult]:
    """The points of a knee's sweep, by offered rate."""
    points = [
        point
        for point in judgement.points
        if point.plan == knee.plan
        and point.arm == knee.arm
        and _belongs(point.point, point.definition, knee)
        and "received_pps" in point.values
    ]
    return sorted(points, key=offered_pps)


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


def alone(judgement: Judgement) -> list[PointResult]:
    """Points outside every sweep that has a knee and every search, in the order of the plans."""
    swept = {id(point) for knee in judgement.knees for point in points_of(judgement, knee)}
    swept |= {id(point) for point in judgement.points if {"goal", "share"} & point.point.keys()}
    return [point for point in judgement.points if id(point) not in swept]


def arms(knees: Sequence[Knee]) -> list[str]:
    """The arms' names in the order of the plan, each once."""
    return list(dict.fromkeys(knee.arm for knee in knees))


def groups(judgement: Judgement) -> list[list[Knee]]:
    """Knees that share one figure: one plan, one kind of traffic, all its arms and directions."""
    knees: dict[str, list[Knee]] = {}
    for knee in judgement.knees:
        knees.setdefault(anchor("knee", knee), []).append(knee)
    return list(knees.values())


def lead(knees: Iterable[Knee]) -> list[Knee]:
    """One knee for each setup, of the direction that the answer tells: up before down."""
    best: dict[str, Knee] = {}
    for knee in sorted(knees, key=lambda knee: _ORDER.get(knee.direction, 3)):
        best.setdefault(knee.arm, knee)
    return [best[arm] for arm in arms(list(best.values()))]


def delays(judgement: Judgement, knees: Iterable[Knee]) -> tuple[Knee, list[PointResult]] | None:
    """The sweep whose delay is shown: of the leading knees the one with the longest when idle."""
    timed = [
        (knee, [p for p in points_of(judgement, knee) if "delay_p50_ns" in p.values])
        for knee in lead(knees)
    ]
    pairs = [pair for pair in timed if pair[1]]
    return max(pairs, key=lambda pair: pair[1][0].values["delay_p50_ns"].value, default=None)


def anchor(kind: str, knee: Knee) -> str:
    """A figure's name: letters, digits and dashes only, the same for the same plan and traffic."""
    kinds = knee.definition
    parts = [kind, knee.plan, str(kinds.frame_bytes or "mix")]
    parts += [f"{kinds.flows}-flows"] if kinds.flows != 1 else []
    parts += [kinds.family] if kinds.family != "ipv4" else []
    texts = ("direction", "frame_bytes", "payload_bytes", "flows", "family", *RATES)
    parts += [f"{name}-{level}" for name, level in knee.point.items() if name not in texts]
    return plain("-".join(parts))


def plain(text: str) -> str:
    """A name that can stand in a link: small letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _belongs(factors: Mapping[str, Scalar], definition: Definition, knee: Knee) -> bool:
    """Return whether a point of the knee's plan and arm lies on the knee's own sweep."""
    for name, level in knee.point.items():
        if name not in RATES and factors.get(name, level) != level:
            return False
    return _traffic(definition) == _traffic(knee.definition)


def _traffic(d: Definition) -> tuple[object, ...]:
    return (d.path, d.features, d.direction, d.family, d.l4, d.frame_bytes, d.flows, d.slow_to_pps)
