# SPDX-License-Identifier: Apache-2.0
"""What searches found, side by side: NDR and PDR of each arm and load, bursts, delay at shares."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.store.record import Record, Scalar
from gatemark.tell.group import study
from gatemark.tell.words import headline, number, traffic
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
    cells = {goal: _columns(every, goal) for goal in goals}
    rows = []
    for place, search in enumerate(every):
        numbers = [text for goal in goals for text in cells[goal][place]]
        rows.append((search.plan, search.arm, search.load, *numbers, *_held(search)))
    head = [f"{NAMES[g]}, {unit}" for g in goals for unit in ("k packets/s", "Mbit/s (L2)")]
    caption = "Throughput: the highest rate with " + ", and with ".join(
        f"{MEANS[goal]} ({NAMES[goal]})" for goal in goals
    )
    last = ("CPU, %", "bottleneck", "trials", "search, s")
    numeric = {*range(3, 4 + len(head)), 5 + len(head), 6 + len(head)} - {4 + len(head)}
    return Table(caption, ("plan", "setup", "load", *head, *last), tuple(rows), frozenset(numeric))


def _columns(every: Sequence[Found], goal: str) -> list[tuple[str, str]]:
    """A goal's two columns: packets/s and Mbit/s side by side."""
    points = [search.goals.get(goal) for search in every]
    texts = [_column(points, "throughput_pps", KPPS), _column(points, "throughput_l2_bps", MBPS)]
    return list(zip(*texts, strict=True))


def _column(points: Sequence[PointResult | None], quantity: str, to: Scale) -> list[str]:
    return [_cell(point, quantity, to) for point in points]


def _cell(point: PointResult | None, quantity: str, to: Scale) -> str:
    if point is None or quantity not in point.values:
        return NONE
    bound = headline.bounded(point, quantity)
    return number.interval(point.values[quantity], to, at_least=bound)


def _held(search: Found) -> tuple[str, str, str, str]:
    """CPU, limit, how many trials a search took and how long."""
    limits = list(dict.fromkeys(point.limit for point in search.goals.values()))
    words = (
        limits if len(limits) == 1 else [f"{NAMES[g]} {p.limit}" for g, p in search.goals.items()]
    )
    return (
        _cell(search.first, "cpu_busy", PERCENT),
        ", ".join(words),
        _whole(search.first.values.get("search_trials")),
        _whole(search.first.values.get("search_s")),
    )


def _whole(i: Interval | None) -> str:
    return number.plain(i.value, 0) if i else NONE


def _bursts(judgement: Judgement) -> Table:
    every = [search for searches in bursts(judgement).values() for search in searches]
    rows = tuple(
        (
            search.plan,
            search.arm,
            search.load,
            _cell(search.first, "offered_pps", KPPS),
            _cell(search.first, "burst_packets", Scale(1.0, "packets")),
            _cell(search.first, "buffer_ns", Scale(1e3, "µs")),
            _whole(search.first.values.get("search_trials")),
        )
        for search in every
    )
    head = ("plan", "setup", "load", "at, k packets/s", "packets", "buffer, µs", "trials")
    caption = "Back-to-back: the longest burst without loss, and the buffer's time (RFC 9004)"
    return Table(caption, head, rows, frozenset({3, 4, 5, 6}))


def _shares(judgement: Judgement) -> Table:
    every = [point for points in shares(judgement).values() for point in points]
    to = number.scale([p.values["delay_p50_ns"].value for p in every], "ns")
    names = {"p50": "delay_p50_ns", "p99": "delay_p99_ns", "p99.9": "delay_p999_ns"}
    rows = tuple(
        (
            *(point.plan, point.arm, load(point), traffic.factor(SHARE, point.point[SHARE])),
            _cell(point, "received_pps", KPPS),
            *(_cell(point, quantity, to) for quantity in names.values()),
            _cell(point, "loss_ratio", PERCENT),
        )
        for point in every
    )
    delays = [f"delay {short}, {to.unit}" for short in names]
    head = ("plan", "setup", "load", "at", "received, k packets/s", *delays, "loss, %")
    caption = "Delay at shares of the throughput that the same repeat found"
    return Table(caption, head, rows, frozenset(range(4, 9)))


def varying_loads(points: Sequence[PointResult]) -> Iterator[str]:
    """The loads of these points in as few words as distinguish them."""
    names = [name for name in study.varying(points) if name not in (GOAL, SHARE)]
    for point in points:
        yield study.label(point, names) or load(point)
