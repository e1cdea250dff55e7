# SPDX-License-Identifier: Apache-2.0
"""A second made-up run: TCP through three paths, by size of write and datagram, lengths as bars.

The gateway is slowed to what a home router of 2007 does, so that published values lie near. Bits of
payload follow rate = top * size / (size + half): a cost a write and a cost a byte. Each part is
built once, and frozen.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import builder
from frozen import frozen
from msgspec.structs import replace

from gatemark.judge.change.reference import Beside
from gatemark.judge.fact import Fact
from gatemark.judge.judgement import Change, Comparison, Judgement, PointResult, Verdict
from gatemark.judge.math.interval import Interval
from gatemark.plan.model import PLAN_SCHEMA, Arm, Factor, Figure, Gateway, Plan, Repeat, Workload
from gatemark.store.published import Published
from gatemark.store.record import Definition, Record, Scalar
from gatemark.store.run import Run
from gatemark.tell.group.source import Source
from gatemark.unit import frame_bytes

REPEATS = 6
ARMS = ("route", "nat", "switch", "route (A/A)")
GOODPUT = {"route": 55.8e6, "nat": 47.5e6, "switch": 93.7e6, "route (A/A)": 55.9e6}
BUSY = {"route": 0.998, "nat": 0.997, "switch": 0.31, "route (A/A)": 0.998}
WRITES = tuple(1024 << power for power in range(9))
DATAGRAMS = (100, 200, 400, 600, 800, 1000, 1200, 1450)
LENGTHS = (64, 512, 1500)
CEILING = 112e6


@cache
def plans() -> tuple[Plan, ...]:
    made = (
        _plan("studies/ceiling", "What the tester alone can do", ("direct",)),
        _plan("studies/paths", "NATed, routed, switched", ARMS[:3], figure="bars"),
        _plan("studies/blocks", "TCP of the gateway itself by write size", ("endpoint",)),
        _plan("studies/datagrams", "UDP of the gateway itself by size", ("endpoint",)),
        _plan("studies/lengths", "Routing by length", ("route", "nat"), figure="bars"),
    )
    return frozen(made)


def _plan(name: str, title: str, paths: Sequence[str], figure: Figure = "auto") -> Plan:
    return Plan(
        schema=PLAN_SCHEMA,
        name=name,
        title=title,
        why="What is published of home routers is TCP by path, and both protocols by size.",
        reading="A bar that ends near the grey mark is the tester's, not the gateway's.",
        arm=tuple(Arm(path=path, name=path) for path in paths),  # type: ignore[arg-type]
        gateway=Gateway(slow_to_pps=5_000),
        workload=Workload(kind="tcp", duration_s=10),
        repeat=Repeat(times=REPEATS, twin=name.endswith("paths")),
        figure=figure,
    )


@cache
def run() -> Run:
    made, records = plans(), trials()
    arms = {
        plan.name: {arm.name: arm for arm in plan.arm} | {"route (A/A)": Arm(path="route")}
        for plan in made
    }
    specs = tuple(
        builder.spec(
            [replace(plan, arm=(replace(arms[plan.name][record.arm], name=record.arm),))], record
        )
        for record in records
        for plan in made
        if plan.name == record.plan
    )
    whole = replace(
        builder.run(), run="20261122-101500-studies", suite="studies", title="Home routers of 2007",
        plans=made, trials=specs, command=("gatemark", "run", "studies", "--seed", "9"), notes=(),
    )  # fmt: skip
    return frozen(whole)


def trials() -> list[Record]:
    """All records; the numbers are drawn with a fixed seed."""
    return list(_trials())


@cache
def _trials() -> tuple[Record, ...]:
    chance = random.Random(9)
    found = [*_ceilings(chance), *_paths(chance), *_blocks(chance), *_datagrams(chance)]
    found += _lengths(chance)
    return frozen(tuple(builder.renumbered(record, place) for place, record in enumerate(found)))


def _ceilings(chance: random.Random) -> Iterator[Record]:
    for write in WRITES:
        for way in ("up", "down"):
            point: dict[str, Scalar] = {"direction": way, "write_bytes": write}
            top = CEILING * write / (write + 400)
            yield from _tcp("studies/ceiling", "direct", point, (top, None), chance)


def _paths(chance: random.Random) -> Iterator[Record]:
    for arm in ARMS:
        for way, part in (("up", 1.0), ("down", 0.97)):
            load = (GOODPUT[arm] * part, BUSY[arm])
            yield from _tcp("studies/paths", arm, {"direction": way}, load, chance)


def _blocks(chance: random.Random) -> Iterator[Record]:
    for way, top in (("send", 39e6), ("receive", 52e6)):
        for count, part in ((1, 1.0), (4, 1.13)):
            for write in WRITES:
                rate = top * part * write / (write + 4700)
                point: dict[str, Scalar] = {
                    "direction": way,
                    "streams": count,
                    "write_bytes": write,
                }
                yield from _tcp("studies/blocks", "endpoint", point, (rate, 0.995), chance)


def _datagrams(chance: random.Random) -> Iterator[Record]:
    for size in DATAGRAMS:
        point: dict[str, Scalar] = {"kind": "udp", "direction": "send", "payload_bytes": size}
        rate_pps = 1 / (340e-6 + size * 60e-9)
        yield from _udp("studies/datagrams", "endpoint", point, (size, rate_pps), chance)


def _lengths(chance: random.Random) -> Iterator[Record]:
    for family in ("ipv4", "ipv6"):
        for arm, part in (("route", 1.0), ("nat", 0.85)):
            for size in LENGTHS:
                slow = part * (0.94 if family == "ipv6" else 1.0)
                point: dict[str, Scalar] = {"kind": "tcp", "family": family, "write_bytes": size}
                load = (56e6 * slow * size / (size + 90), 0.998)
                yield from _tcp("studies/lengths", arm, point, load, chance)
                sent: dict[str, Scalar] = {"kind": "udp", "family": family, "payload_bytes": size}
                pps = 5_300 * slow
                yield from _udp("studies/lengths", arm, sent, (min(size, 1450), pps), chance)


def _tcp(
    plan: str,
    arm: str,
    point: dict[str, Scalar],
    load: tuple[float, float | None],
    chance: random.Random,
) -> Iterator[Record]:
    rate, busy = load
    definition = Definition(
        quantity="goodput",
        l4="tcp",
        rate_layer="l4",
        path=arm.removesuffix(" (A/A)"),
        direction=str(point.get("direction", "up")),
        family=str(point.get("family", "ipv4")),
        write_bytes=int(point.get("write_bytes", 131_072)),
        streams=int(point.get("streams", 1)),
        socket_buffer_bytes=0,
        congestion="cubic",
        duration_s=10.0,
        slow_to_pps=0 if arm == "direct" else 5_000,
    )
    for repeat in range(1, REPEATS + 1):
        values = {
            "goodput_bps": rate * chance.gauss(1, 0.006),
            "retransmits": float(chance.randrange(40)),
            "rtt_p50_ns": 9e6 * chance.gauss(1, 0.1),
            "mss_bytes": 1448.0,
        }
        values |= {} if busy is None else {"cpu_busy": min(1.0, busy * chance.gauss(1, 0.002))}
        yield builder.record(plan, arm, point, definition, repeat, values)


def _udp(
    plan: str,
    arm: str,
    point: dict[str, Scalar],
    load: tuple[int, float],
    chance: random.Random,
) -> Iterator[Record]:
    payload, pps = load
    definition = Definition(
        path=arm,
        direction=str(point.get("direction", "up")),
        family=str(point.get("family", "ipv4")),
        frame_bytes=frame_bytes(payload, "ipv4"),
        duration_s=10.0,
        slow_to_pps=5_000,
    )
    for repeat in range(1, REPEATS + 1):
        got = pps * chance.gauss(1, 0.008)
        values = builder.rates(9_000, got, frame_bytes(payload, "ipv4")) | {"cpu_busy": 0.998}
        yield builder.record(plan, arm, point, definition, repeat, values)


def source(judged: Judgement | None = None, published: bool = True) -> Source:
    """The run as a page needs it."""
    found = beside() if published else ()
    return Source(run=run(), records=trials(), judgement=judged or judgement(), beside=found)


@cache
def judgement() -> Judgement:
    """A hand-made judgement of `trials()`."""
    found = builder.points(trials())
    points = tuple(point for point in found if point.plan != "studies/ceiling")
    made = Judgement(
        ceilings=tuple(point for point in found if point.plan == "studies/ceiling"),
        points=tuple(_limited(point) for point in points),
        knees=(),
        comparisons=tuple(_comparisons(points)),
        sentence="A slowed lab gateway switches 93.7 Mbit/s of TCP payload from LAN to WAN, routes "
        "55.8 and NATs 47.5; its one CPU is the limit (route, nat).",
        warnings=(),
        trials=len(trials()),
        invalid=0,
        missing=0,
    )
    return frozen(made)


def _limited(point: PointResult) -> PointResult:
    near = point.arm == "switch"
    return replace(point, limit="tester", at_least=True, why="ceiling") if near else point


def _comparisons(points: Sequence[PointResult]) -> Iterator[Comparison]:
    base = {
        (p.plan, *p.point.items()): p.values[p.definition.headline]
        for p in points
        if p.arm == "route"
    }
    for p in points:
        key = (p.plan, *p.point.items())
        if p.arm == "route" or key not in base:
            continue
        yield Comparison(
            subject=p.subject,
            baseline="route",
            quantity=p.definition.headline,
            change=_change(base[key], p.values[p.definition.headline]),
            at_least=p.arm == "switch",
        )


def _change(old: Interval, new: Interval) -> Change:
    middle = new.value / old.value - 1
    verdict: Verdict = "slower" if middle < -0.01 else "faster" if middle > 0.01 else "no change"
    return Change(
        change=Interval(middle, middle - 0.006, middle + 0.007, REPEATS, 0.959),
        p=0.002 if verdict != "no change" else 0.6,
        mde=0.014,
        noise=0.01,
        verdict=verdict,
    )


PRINTED: tuple[tuple[str, str, str, Mapping[str, Factor], float], ...] = (
    ("studies/paths", "nat", "WRTSL54GS v1.1", {"direction": "up"}, 47.5e6),
    ("studies/paths", "nat", "WRT54GS v3.0", {"direction": "up"}, 34.2e6),
    ("studies/paths", "route", "WRTSL54GS v1.1", {"direction": "up"}, 55.8e6),
    ("studies/paths", "route", "WRT54GS v3.0", {"direction": "up"}, 40.4e6),
    ("studies/paths", "switch", "WRT54GS v3.0", {"direction": "up"}, 93.8e6),
    *(
        ("studies/blocks", "endpoint", device, {"streams": 1, "write_bytes": size}, value)
        for device, size, value in (
            ("WRT54GL", 8192, 23.8e6),
            ("WRT54GL", 131_072, 39e6),
            ("RouterStation Pro", 131_072, 363e6),
            ("TL-WR1043ND", 1024, 26e6),
            ("TL-WR1043ND", 8192, 48e6),
            ("TL-WR1043ND", 131_072, 74e6),
        )
    ),
)


def beside() -> list[Beside]:
    """Published values, some of them far from ours; not all are those of the studies."""
    return list(_beside())


@cache
def _beside() -> tuple[Beside, ...]:
    found = judgement().points
    made = []
    for plan, arm, device, factors, value in PRINTED:
        point = next(
            p
            for p in found
            if (p.plan, p.arm) == (plan, arm) and factors.items() <= p.point.items()
        )
        made.append(
            Beside(
                plan=plan,
                arm=arm,
                point=point.point,
                quantity="goodput_bps",
                published=_published(device, value),
                measured=point.values["goodput_bps"],
                at_least=point.at_least,
                differs=(
                    Fact("reference.duration", {"there": 20.0, "here": 10.0}),
                    Fact("reference.unstated", {"field": "congestion"}),
                ),
            )
        )
    return frozen(tuple(made))


def _published(device: str, value: float) -> Published:
    return Published(
        study="wrt54",
        device=device,
        experiment="nat.tcp",
        parameter="throughput",
        quantity="goodput_bps",
        value=value,
        printed=f"{value / 1e6:g} Mbit/s",
        kind="printed",
        note="",
        stated={},
    )
