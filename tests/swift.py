# SPDX-License-Identifier: Apache-2.0
"""A made-up judgement of a gateway at full speed: paths in three sizes, a ladder."""

from collections.abc import Iterator

import builder
from msgspec.structs import replace

from gatemark.judge.judgement import (
    Change,
    Comparison,
    Cost,
    Judgement,
    Ladder,
    Limit,
    PointResult,
    Step,
)
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.store.record import Definition, Scalar

# Bits on the wire of a packet, with preamble and gap; IMIX by its mean.
SIZES: dict[int | str, int] = {64: 672, 1518: 12_304, "imix": 3_063}
PPS = {
    "route": 500_000,
    "NAT": 400_000,
    "bridge": 520_000,
    "connection tracking": 416_000,
    "100 rules": 300_000,
}
PATHS = {
    "route": "route",
    "NAT": "nat",
    "bridge": "switch",
    "connection tracking": "route",
    "100 rules": "nat",
}
FEATURES = {"connection tracking": ("conntrack",), "100 rules": ("filter:100",)}
AGAINST = {"100 rules": "NAT"}  # of the others the first
ROUTE_NS, CPU = 2000.0, 0.985
LADDER = "cost/ladder"


def about(value: float, share: float = 0.02) -> Interval:
    return Interval(value, value * (1 - share), value * (1 + share), 6, 0.969)


def subject(arm: str, definition: Definition, **point: Scalar) -> Subject:
    return Subject(
        plan="quick/speed", arm=arm, setup=definition.setup, point=point, definition=definition
    )


def point(
    arm: str, size: int | str, direction: str = "up", limit: Limit = "cpu", *, slow_to_pps: int = 0
) -> PointResult:
    frame, mix = (size, "") if isinstance(size, int) else (None, size)
    definition = Definition(
        path=PATHS[arm],
        features=FEATURES.get(arm, ()),
        direction=direction,
        frame_bytes=frame,
        mix=mix,
        flows=64,
        slow_to_pps=slow_to_pps,
    )
    rate = PPS[arm]
    values = {"received_pps": rate, "received_l1_bps": rate * SIZES[size], "cpu_busy": CPU}
    values["packet_ns"] = CPU * 1e9 / rate
    level: dict[str, Scalar] = {"mix": mix} if mix else {"frame_bytes": size}
    return PointResult(
        subject=subject(arm, definition, direction=direction, **level),
        values={name: about(value) for name, value in values.items()},
        limit=limit,
        why="",
        at_least=limit == "tester",
        invalid=0,
    )


def points() -> tuple[PointResult, ...]:
    """Paths in all sizes and both directions, features in small packets up alone."""
    paths = [arm for arm in PPS if arm not in FEATURES]
    return (
        *(point(arm, size, way) for way in ("up", "down") for arm in paths for size in SIZES),
        *(point(arm, 64) for arm in FEATURES),
    )


def comparisons(verdict: str = "slower") -> tuple[Comparison, ...]:
    """Of small packets up: what each arm carries less than its base."""
    return tuple(_compared(arm, verdict) for arm in PPS if arm != "route")


def _compared(arm: str, verdict: str) -> Comparison:
    base = AGAINST.get(arm, "route")
    ratio = PPS[arm] / PPS[base] - 1
    return Comparison(
        subject=point(arm, 64).subject,
        baseline=base,
        quantity="received_pps",
        change=Change(
            change=Interval(ratio, ratio - 0.013, ratio + 0.013, 6, 0.957),
            p=0.002,
            mde=0.02,
            noise=0.01,
            verdict=verdict,  # type: ignore[arg-type]
        ),
        at_least=False,
    )


def ladder(verdict: str = "slower") -> Ladder:
    foot = Definition(path="route", frame_bytes=64, flows=64, turn_ms=2)
    return Ladder(
        subject=replace(subject("route", foot), plan=LADDER),
        values={"packet_ns": about(ROUTE_NS)},
        steps=tuple(steps(foot, verdict)),
        noise={},
    )


def steps(foot: Definition, verdict: str) -> Iterator[Step]:
    tracked = ("conntrack",)
    for arm, path, features, against, more in (
        ("connection tracking", "route", tracked, "route", 0.2),
        ("NAT", "nat", tracked, "route", 0.25),
        ("100 rules", "nat", (*tracked, "filter:100"), "NAT", 0.5),
    ):
        ratio = Interval(more, more - 0.02, more + 0.02, 14, 0.95)
        cost = Cost(
            difference=Interval(ROUTE_NS * more, 0, 0, 14, 0.95),
            ratio=ratio,
            p=0.0001,
            mde=30.0,
            noise=20.0,
            verdict=verdict,  # type: ignore[arg-type]
        )
        yield Step(
            subject=replace(subject(arm, replace(foot, path=path, features=features)), plan=LADDER),
            against=against,
            twin=False,
            values={"packet_ns": about(ROUTE_NS * (1 + more))},
            costs={"packet_ns": cost},
            at_least=False,
            limit="cpu",
        )


def judgement() -> Judgement:
    """With the made-up sweeps of `builder`, from LAN to WAN."""
    made = builder.judgement()
    swept = tuple(p for p in made.points if "rate_pps" in p.point)
    knees = tuple(knee for knee in made.knees if knee.direction == "up")
    return replace(
        made,
        points=(*points(), *swept),
        knees=knees,
        comparisons=comparisons(),
        ladders=(ladder(),),
    )
