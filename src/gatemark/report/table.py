# SPDX-License-Identifier: Apache-2.0
"""Tables that terminal and page share: cells are text, made once from a judgement."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gatemark.report import number, sweep
from gatemark.report.number import KPPS, MBPS, PERCENT, Scale
from gatemark.stats.judgement import Interval, Judgement, Knee, PointResult

NONE = number.DASH
_NUMBER = re.compile(rf"^((?:{number.AT_LEAST})?\D?\d+)(.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Table:
    """Head and rows of one table; `numeric` names the columns that stand by their point."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int]

    def lines(self) -> list[str]:
        """The table as plain text, columns two spaces apart, decimal points aligned."""
        columns = list(zip(self.head, *self.rows, strict=True))
        wide = [self._column(place, cells) for place, cells in enumerate(columns)]
        return ["  ".join(cells).rstrip() for cells in zip(*wide, strict=True)]

    def _column(self, place: int, cells: Sequence[str]) -> list[str]:
        head, *body = cells
        body = aligned(body) if place in self.numeric else body
        width = max(len(cell) for cell in (head, *body))
        if place not in self.numeric:
            return [cell.ljust(width) for cell in (head, *body)]
        inner = max((len(cell) for cell in body), default=0)
        return [head.rjust(width), *(cell.ljust(inner).rjust(width) for cell in body)]


def aligned(cells: Sequence[str]) -> list[str]:
    """Cells padded on the left so that their decimal points stand below each other."""
    parts = [_NUMBER.match(cell) for cell in cells]
    widest = max((len(part[1]) for part in parts if part), default=0)
    return [
        part[1].rjust(widest) + part[2] if part else cell.rjust(widest)
        for part, cell in zip(parts, cells, strict=True)
    ]


def knees(judgement: Judgement) -> Table:
    """One line for each arm and direction: the knee, what is left beyond it, what limits."""
    found = judgement.knees
    places = number.decimals([knee.knee_pps for knee in found], KPPS)
    rows = tuple(_knee_row(judgement, knee, places) for knee in found)
    head = ("setup", "direction", "knee, k packets/s", "Mbit/s (L1)")
    more = ("at 2x the knee, %", "CPU, %", "limit")
    caption = "Capacity: the offered rate at which received stops following"
    return Table(caption, head + more, rows, frozenset({2, 3, 4, 5}))


def ceilings(judgement: Judgement) -> Table:
    """What the tester alone can do, LAN host to WAN host without the gateway."""
    return _rates(judgement.ceilings, "Tester's ceiling: without the gateway")


def singles(judgement: Judgement) -> Table:
    """Points that belong to no sweep: ranked by received rate."""
    return _rates(sweep.singles(judgement), "Single points, fastest first")


def points(judgement: Judgement) -> Table:
    """Every point with its rates, loss, delay, CPU and limit with its why."""
    everyone = (*judgement.ceilings, *judgement.points)
    delay = number.scale(_middles(everyone, "delay_p50_ns"), "ns")
    rate = _places(everyone, "received_pps", KPPS)
    spec: tuple[tuple[str, Callable[[PointResult], str]], ...] = (
        ("plan", lambda p: p.plan),
        ("setup", _name),
        ("point", lambda p: point(p.point)),
        ("received, k packets/s", lambda p: cell(p, "received_pps", KPPS, rate)),
        ("loss, %", lambda p: cell(p, "loss_ratio", PERCENT)),
        (f"delay p50, {delay.unit}", lambda p: cell(p, "delay_p50_ns", delay)),
        (f"delay p99, {delay.unit}", lambda p: cell(p, "delay_p99_ns", delay)),
        ("CPU, %", lambda p: cell(p, "cpu_busy", PERCENT)),
        ("limit", lambda p: p.limit),
        ("why", lambda p: "; ".join([p.why or NONE, *_invalid(p)])),
    )
    rows = tuple(tuple(make(p) for _, make in spec) for p in everyone)
    return Table("Every point, with the interval of its median", _heads(spec), rows, _RATE_COLUMNS)


_RATE_COLUMNS = frozenset({3, 4, 5, 6, 7})


def cell(p: PointResult, name: str, to: Scale, places: int | None = None) -> str:
    """One quantity of a point with its interval; a dash where it was not measured."""
    if name not in p.values:
        return NONE
    bound = p.at_least and name.startswith("received")
    return number.interval(p.values[name], to, places, at_least=bound)


def point(factors: Mapping[str, object]) -> str:
    """A point's factors in short: `rate 20 k packets/s, up`."""
    return ", ".join(_factor(name, level) for name, level in factors.items()) or NONE


def _factor(name: str, level: object) -> str:
    if name == "direction":
        return sweep.ARROW.get(str(level), str(level))
    if name == "rate_pps" and isinstance(level, int | float):
        return f"offered {number.nominal(level, 'packets/s')}" if level else "as fast as it goes"
    if name == "frame_bytes":
        return f"{level} B"
    return f"{name.replace('_', ' ')} {level}"


def _knee_row(judgement: Judgement, knee: Knee, places: int) -> tuple[str, ...]:
    at = sweep.loaded(judgement, knee)
    bits = number.plain(knee.knee_l1_bps / MBPS.factor, 1)
    twice = knee.collapse.get("2.0")
    return (
        knee.setup,
        sweep.ARROW.get(knee.direction, knee.direction),
        number.interval(knee.knee_pps, KPPS, places, at_least=knee.at_least),
        (number.AT_LEAST if knee.at_least else "") + bits,
        number.interval(twice, PERCENT) if twice else NONE,
        cell(at, "cpu_busy", PERCENT) if at else NONE,
        knee.limit,
    )


def _rates(found: Sequence[PointResult], caption: str) -> Table:
    rate = number.scale(_middles(found, "received_pps"), "packets/s")
    bits = number.scale(sorted(_middles(found, "received_l1_bps"))[:1], "bit/s")
    places = _places(found, "received_pps", rate), _places(found, "received_l1_bps", bits)
    spec: tuple[tuple[str, Callable[[PointResult], str]], ...] = (
        ("setup", _name),
        ("point", sweep.point_words),
        (f"received, {rate.unit}", lambda p: cell(p, "received_pps", rate, places[0])),
        (f"{bits.unit} (L1)", lambda p: cell(p, "received_l1_bps", bits, places[1])),
        ("loss, %", lambda p: cell(p, "loss_ratio", PERCENT)),
        ("limit", lambda p: p.limit),
    )
    rows = tuple(tuple(make(p) for _, make in spec) for p in found)
    return Table(caption, _heads(spec), rows, frozenset({2, 3, 4}))


def _heads(spec: Iterable[tuple[str, object]]) -> tuple[str, ...]:
    return tuple(head for head, _ in spec)


def _name(p: PointResult) -> str:
    return "tester alone" if p.definition.path == "direct" else p.setup


def _invalid(p: PointResult) -> list[str]:
    return [f"{p.invalid} invalid trial{'' if p.invalid == 1 else 's'}"] if p.invalid else []


def _intervals(found: Iterable[PointResult], name: str) -> list[Interval]:
    return [p.values[name] for p in found if name in p.values]


def _middles(found: Iterable[PointResult], name: str) -> list[float]:
    return [i.value for i in _intervals(found, name)]


def _places(found: Iterable[PointResult], name: str, to: Scale) -> int:
    return number.decimals(_intervals(found, name), to)
