# SPDX-License-Identifier: Apache-2.0
"""What searches found, side by side: NDR and PDR of each arm and load, bursts, delay at shares."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.verdict import shaping
from gatemark.store.record import Record, Scalar
from gatemark.tell.group import study
from gatemark.tell.words import column, headline, number, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.number import KPPS, MBPS, PERCENT, Scale
from gatemark.tell.words.table import NONE, Table

GOAL, SHARE = "goal", "share"
THROUGHPUT, BURST = "throughput", "burst"
NAMES = {"ndr": "NDR", "pdr": "PDR", "burst": "longest burst"}
MEANS = {"ndr": "no loss", "pdr": "at most 0.5 % lost"}


@dataclass(frozen=True, slots=True)
class Found:
    """What the searches of one arm found at one point of a plan, by goal."""

    plan: str
    arm: str
    load: str  # in words, without what is the same at all points of the plan
    goals: dict[str, PointResult]

    @property
    def first(self) -> PointResult:
        """The point of the strictest goal."""
        return next(iter(self.goals.values()))


def base(point: dict[str, Scalar]) -> tuple[tuple[str, Scalar], ...]:
    """The plan's own point, without goal and share."""
    return tuple(sorted((name, at) for name, at in point.items() if name not in (GOAL, SHARE)))


def plans(judgement: Judgement) -> dict[str, list[Found]]:
    """Plan -> what its searches for a rate found, in the order of the plan."""
    return _by_plan(judgement, THROUGHPUT)


def bursts(judgement: Judgement) -> dict[str, list[Found]]:
    """Plan -> what its searches for a burst found."""
    return _by_plan(judgement, BURST)


def shares(judgement: Judgement) -> dict[str, list[PointResult]]:
    """Plan -> its points at shares of what was found."""
    by_plan: dict[str, list[PointResult]] = {}
    for point in judgement.points:
        if SHARE in point.point and "delay_p50_ns" in point.values:
            by_plan.setdefault(point.plan, []).append(point)
    return by_plan


def load(point: PointResult) -> str:
    """The traffic in short, with what no definition has room for."""
    d = replace(point.definition, quantity="")  # its goals have columns
    more = [f"mix {d.mix}"] if d.mix else []
    more += [f"{d.clients} clients"] if d.clients > 1 else []
    more += [f"{d.flow_ports} ports"] if d.flow_ports != "ordered" else []
    return ", ".join([traffic.load(d), *more])


def steps_of(records: Iterable[Record], search: Found) -> list[list[Record]]:
    """The steps of these searches, repeat by repeat, as they ran."""
    at = dict(base(search.first.point))
    repeats: dict[int, list[Record]] = {}
    for record in records:
        own = {n: level for n, level in record.point.items() if n not in ("rate_pps", "packets")}
        is_own = (record.pass_, record.plan, record.arm) == ("search", search.plan, search.arm)
        if is_own and own == at:
            repeats.setdefault(record.repeat, []).append(record)
    return [is_own for _, is_own in sorted(repeats.items())]


def tables(judgement: Judgement) -> list[tuple[str, Table]]:
    """The tables of all searches, with their anchors."""
    made = [("throughput", _rates(judgement)), ("bursts", _bursts(judgement))]
    return [*made, ("delay-at-shares", _shares(judgement))]


def _by_plan(judgement: Judgement, quantity: str) -> dict[str, list[Found]]:
    members: dict[tuple[object, ...], dict[str, PointResult]] = {}
    for point in judgement.points:
        if GOAL in point.point and point.definition.quantity == quantity:
            key = (point.plan, point.arm, base(point.point))
            members.setdefault(key, {})[str(point.point[GOAL])] = point
    made: dict[str, list[Found]] = {}
    for (plan, arm, _), goals in members.items():
        first = next(iter(goals.values()))
        made.setdefault(str(plan), []).append(Found(str(plan), str(arm), load(first), goals))
    return made


def _rates(judgement: Judgement) -> Table:
    every = [search for searches in plans(judgement).values() for search in searches]
    goals = [goal for goal in MEANS if any(goal in search.goals for search in every)]
    caption = "Throughput: the highest rate with " + ", and with ".join(
        f"{MEANS[goal]} ({NAMES[goal]})" for goal in goals
    )
    return column.table(
        caption,
        every,
        *WHOSE,
        *(made for goal in goals for made in _goal(goal)),
        column.number("CPU, %", lambda s: _cell(s.first, "cpu_busy", PERCENT)),
        Column("bottleneck", _limits),
        column.number("trials", lambda s: _whole(s.first, "search_trials")),
        column.number("search, s", lambda s: _whole(s.first, "search_s")),
    )


def _goal(goal: str) -> Iterator[Column[Found]]:
    """A goal's two columns: packets/s and Mbit/s side by side."""
    units = {"k packets/s": ("throughput_pps", KPPS), "Mbit/s (L2)": ("throughput_l2_bps", MBPS)}
    for unit, (quantity, to) in units.items():

        def cell(search: Found, quantity: str = quantity, to: Scale = to) -> str:
            return _cell(search.goals.get(goal), quantity, to)

        yield column.number(f"{NAMES[goal]}, {unit}", cell)


def _cell(point: PointResult | None, quantity: str, to: Scale) -> str:
    if point is None or quantity not in point.values:
        return NONE
    bound = headline.bounded(point, quantity)
    return number.interval(point.values[quantity], to, at_least=bound)


def _limits(search: Found) -> str:
    """What limited all goals, or each."""
    limits = dict.fromkeys(point.limit for point in search.goals.values())
    if len(limits) == 1:
        return headline.bottleneck(next(iter(limits)))
    return ", ".join(f"{NAMES[g]} {headline.bottleneck(p.limit)}" for g, p in search.goals.items())


def _whole(point: PointResult, quantity: str) -> str:
    return number.plain(i.value, 0) if (i := point.values.get(quantity)) else NONE


WHOSE: tuple[Column[Found], ...] = (
    Column("plan", lambda search: search.plan),
    Column("setup", lambda search: search.arm),
    Column("load", lambda search: search.load),
)


def _bursts(judgement: Judgement) -> Table:
    return column.table(
        "Back-to-back: the longest burst without loss, and the buffer's time (RFC 9004)",
        [search for searches in bursts(judgement).values() for search in searches],
        *WHOSE,
        column.number("at, k packets/s", lambda s: _cell(s.first, "offered_pps", KPPS)),
        column.number("packets", lambda s: _cell(s.first, "burst_packets", Scale(1.0, ""))),
        column.number("buffer, µs", lambda s: _cell(s.first, "buffer_ns", Scale(1e3, "µs"))),
        column.number("trials", lambda s: _whole(s.first, "search_trials")),
    )


def _shares(judgement: Judgement) -> Table:
    every = [point for points in shares(judgement).values() for point in points]
    to = number.scale([p.values["delay_p50_ns"].value for p in every], "ns")
    names = {"p50": "delay_p50_ns", "p99": "delay_p99_ns", "p99.9": "delay_p999_ns"}
    return column.table(
        "Delay at shares of the throughput that the same repeat found",
        every,
        Column("plan", lambda point: point.plan),
        Column("setup", lambda point: point.arm),
        Column("load", load),
        Column("at", lambda point: traffic.factor(SHARE, point.point[SHARE])),
        _quantity("received, k packets/s", "received_pps", KPPS),
        *(_quantity(f"delay {short}, {to.unit}", name, to) for short, name in names.items()),
        _quantity("loss, %", "loss_ratio", PERCENT),
    )


def shaped(judgement: Judgement) -> Table:
    """The highest rate that each shaper holds: what came through, what it added."""
    whole, ms = Scale(1.0, ""), Scale(1e6, "ms")
    return column.table(
        "Shapers: the highest rate that each holds. Uploads' frames fill 95 % of it, and add at "
        "most 5 ms, or the time of three full frames, to a flow's delay. Of that: its highest "
        "percentile, up to the 99th, that ten packets exceed",
        shaping.held(judgement.points).values(),
        Column("setup", lambda point: point.arm),
        Column("load", lambda point: traffic.load(point.definition)),
        _quantity("holds, Mbit/s", "held_bps", MBPS),
        _quantity("no more, Mbit/s", "too_fast_bps", MBPS),
        _quantity("share of it, %", "shaped_share", PERCENT),
        _quantity("adds, ms", "shaped_added_ns", ms),
        _quantity("CPU, %", "cpu_busy", PERCENT),
        _quantity("trials", "search_trials", whole),
        _quantity("search, s", "search_s", whole),
        Column("bottleneck", lambda point: headline.bottleneck(point.limit)),
    )


def _quantity(head: str, name: str, to: Scale) -> Column[PointResult]:
    return column.number(head, lambda point: _cell(point, name, to))


def varying_loads(points: Sequence[PointResult]) -> Iterator[str]:
    """The loads of these points in as few words as distinguish them."""
    names = [name for name in study.varying(points) if name not in (GOAL, SHARE)]
    for point in points:
        yield study.label(point, names) or load(point)
