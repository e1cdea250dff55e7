# SPDX-License-Identifier: Apache-2.0
"""A rate of each setup in words: which, with its digits, its frames, its way."""

from collections.abc import Sequence
from typing import Final

from gatemark.judge.change.ladder import INSTRUCTIONS
from gatemark.judge.judgement import Knee, Limit, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.kind import Judge
from gatemark.judge.subject import About
from gatemark.kind.algorithm.plan import KERNEL
from gatemark.kind.kinds import entries
from gatemark.number import measured, si
from gatemark.plan.model import is_twin
from gatemark.store.record import Definition
from gatemark.unit import l1_bps

THROUGHPUT: Final = "throughput"
BURST: Final = "burst"
MOST_SETUPS: Final = 4  # named; the table below the sentence has them all
VERBS: Final = {"switch": "bridges", "route": "routes", "nat": "NATs", "hairpin": "hairpins"}
WAYS: Final = {
    "up": "from LAN to WAN",
    "down": "from WAN to LAN",
    "both": "both ways together",
}
OWN: Final = {"send": "sends", "receive": "receives", "both": "sends and receives"}
OURS: Final = "gatemark"  # who makes the traffic if no known tool does
# What is counted, and is no rate of packets, in the order in which it is told.
COUNTS: Final = {
    about: noun
    for kind in entries("point", Judge).values()
    for about, noun in kind.quantities.items()
    if noun
}


class Rate(About, frozen=True, kw_only=True):
    """One rate that the sentence may tell."""

    interval: Interval  # packets/s, or bit/s of goodput
    limit: Limit
    at_least: bool

    @property
    def value(self) -> float:
        """The median."""
        return self.interval.value


def of_knee(knee: Knee) -> Rate:
    """The rate at which an arm stops following."""
    return Rate(
        subject=knee.subject, interval=knee.knee_pps, limit=knee.limit, at_least=knee.at_least
    )


def _of_point(point: PointResult) -> Rate:
    return Rate(
        subject=point.subject,
        interval=point.values[point.definition.headline],
        limit=point.limit,
        at_least=point.at_least,
    )


def of_points(points: Sequence[PointResult]) -> list[Rate]:
    """The headlines of points that have one, without twins."""
    return [
        _of_point(p)
        for p in points
        if p.definition.headline in p.values
        and p.definition.quantity not in (BURST, INSTRUCTIONS, KERNEL)  # no rates
        and not is_twin(p.arm)
    ]


def searched(points: Sequence[PointResult]) -> list[PointResult]:
    """Points of a search, by its strictest goal if it has one without loss."""
    every = [point for point in points if point.definition.quantity == THROUGHPUT]
    return [point for point in every if not point.definition.loss_criterion] or every


def choose(rates: Sequence[Rate]) -> list[Rate]:
    """One rate a setup, the highest: TCP before UDP, then the smallest frame, family, direction."""
    if not rates:
        return []
    ours = [rate for rate in rates if rate.definition.driver == OURS]
    rates = ours or rates  # a known tool's value stands for itself where there is no other
    lead = min((rate.definition for rate in rates), key=_precedence)
    best: dict[str, Rate] = {}
    for rate in rates:
        held = best.get(rate.setup)
        if _precedence(rate.definition) == _precedence(lead) and (
            held is None or rate.value > held.value
        ):
            best[rate.setup] = rate
    return list(best.values())


def _precedence(definition: Definition) -> tuple[int, int, str, int]:
    order = {"up": 0, "send": 0, "down": 1, "receive": 1, "both": 2}
    size = -(definition.write_bytes or 0) or definition.frame_bytes or 1 << 16
    protocol = 0 if definition.l4 == "tcp" else 1
    if definition.quantity in COUNTS:
        protocol = 2 + list(COUNTS).index(definition.quantity)
    return protocol, size, definition.family, order.get(definition.direction, 3)


def rates_of(texts: Sequence[Rate]) -> str:
    """The setups with their rates: `routes 30.1 k packets/s and NATs 26.2 k`."""
    parts = [f"{_verb(texts[0])} {full(texts[0])}"]
    parts += [f"{_verb(r)} {bound(r)}{_short(r)}" for r in texts[1:MOST_SETUPS]]
    if len(texts) > MOST_SETUPS:
        parts.append(f"has {len(texts) - MOST_SETUPS} more setups measured")
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _verb(rate: Rate) -> str:
    path, *features = rate.setup.split(" + ")
    own = OWN.get(rate.definition.direction, "ends") if path == "endpoint" else ""
    verb = own or VERBS.get(path, f"carries by {path}")
    return f"{verb} with {' + '.join(features)}" if features else verb


def _short(rate: Rate) -> str:
    """The number alone, as the first one gave the unit of packets; bits name theirs."""
    if rate.definition.quantity in COUNTS:
        return si(rate.value, "")
    if rate.definition.l4 == "tcp":
        return _measured(rate.interval, "bit/s")
    return _measured(rate.interval, "packets/s").removesuffix("packets/s").rstrip()


def full(rate: Rate) -> str:
    """A rate with its size, its bits on the wire and its way."""
    kind, way = rate.definition, rate.definition.direction
    if kind.quantity in COUNTS:
        return f"{bound(rate)}{si(rate.value, COUNTS[kind.quantity])}"
    if kind.l4 == "tcp":
        text = f"{bound(rate)}{_measured(rate.interval, 'bit/s')} of TCP goodput"
    else:
        text = bound(rate) + _measured(rate.interval, "packets/s")
    if size := kind.frame_bytes:
        i = rate.interval
        ends = l1_bps(i.value, size), l1_bps(i.lo, size), l1_bps(i.hi, size)
        bits = _measured(Interval(*ends, i.n, i.level), "bit/s")
        text += f" of {size}-byte frames ({bits} on the wire)"
    if kind.quantity == THROUGHPUT:
        text += f" {within(kind.loss_criterion or 0.0)}"
    if way not in ("up", *OWN) or way == "both":
        text += f" {WAYS.get(way, way)}"
    return text if kind.driver == OURS else f"{text} as {kind.driver} measures it"


def within(criterion: float) -> str:
    """What may be lost: `with no loss`."""
    return f"with {f'at most {100 * criterion:g} %' if criterion else 'no'} loss"


def _measured(i: Interval, unit: str) -> str:
    """A value with the digits that it has beside its interval; three where it has none."""
    return measured(i.value, i.lo, i.hi, unit) if i.lo < i.hi else si(i.value, unit)


def bound(rate: Rate) -> str:
    """The sign before a lower bound."""
    return "≥ " if rate.at_least else ""
