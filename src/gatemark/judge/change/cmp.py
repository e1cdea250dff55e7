# SPDX-License-Identifier: Apache-2.0
"""Different gateways side by side: like definitions only, each run against the first."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from gatemark.error import UsageError
from gatemark.judge.change.arms import DIRECT
from gatemark.judge.change.comparable import Difference, aligned, differing, nearest
from gatemark.judge.change.compare import compare
from gatemark.judge.change.diff import FIRMWARE, Side, inventory, one_firmware
from gatemark.judge.change.sampled import Sampled
from gatemark.judge.change.tool import ToolSide, put
from gatemark.judge.fact import fact, several
from gatemark.judge.math.interval import Interval
from gatemark.quantity import is_bounded
from gatemark.store.run import UNKNOWN, Run

# How much the lab's gateway is slowed is which gateway it is, and no part of what is asked of it.
CONDITION = "slow_to_pps"
HASH = 12  # digits that are shown of a hash


@dataclass(frozen=True, slots=True)
class Clock:
    """The ratio of two clocks beside that of two rates (requirement B06).

    A throughput that follows the clock from one gateway to another is one that the CPU limits: a
    router at 200 MHz had 0.72 of the NAT throughput of one at 266 MHz, whose clock ratio is 0.752.
    """

    of: str  # cpu_mhz; slow_to_pps: it stands for the clock of a lab gateway
    ratio: float
    held: bool  # whether the interval of the rates' ratio holds it


@dataclass(frozen=True, slots=True)
class Cell:
    """One run's value in a row."""

    value: Sampled
    ratio: Interval | None = None  # to the first run's; None: is the first, or the first has none
    clock: Clock | None = None
    differences: tuple[Difference, ...] = ()  # from the first run's definition (`across`)
    bound: str = ""  # of the ratio: "at least" or "at most", "none" where it says nothing


@dataclass(frozen=True, slots=True)
class Cmp:
    """All that `gatemark cmp` tells: a row for each definition, a place in it for each run."""

    rows: tuple[tuple[Cell | None, ...], ...]
    conditions: tuple[tuple[Difference, ...], ...]  # of each run: field, "", value


def cmp(sides: Sequence[Side | ToolSide], across: Collection[str] = ()) -> Cmp:
    """Compare runs on different gateways, and files of other tools.

    Raises UsageError where no definition is alike, or the software differs and `across` does not
    name it.
    """
    if FIRMWARE not in across:
        one_firmware([side.run for side in sides if isinstance(side, Side)])
    runs = [[row for row in side.rows if _of_gateway(row)] for side in sides]
    own = [rows if isinstance(s, Side) else [] for s, rows in zip(sides, runs, strict=True)]
    rows = aligned(own, {*across, CONDITION})
    free: set[str] = set()
    for place, side in enumerate(sides):
        if isinstance(side, ToolSide):
            free |= side.free
            rows = list(put(rows, place, side, {*across, CONDITION}, len(sides)))
    if not any(sum(value is not None for value in row) > 1 for row in rows):
        _refuse(runs, {*free, CONDITION})
    return Cmp(
        rows=tuple(_cells(sides, row) for row in rows),
        conditions=tuple(
            tuple(_conditions(side, rows)) for side, rows in zip(sides, runs, strict=True)
        ),
    )


def clock_mhz(side: Side | ToolSide) -> float | None:
    """The gateway's clock, if its inventory tells one."""
    return None if isinstance(side, ToolSide) else clock_of(side.run)


def clock_of(run: Run) -> float | None:
    """The clock of a run's gateway."""
    match = re.search(r"\d+(\.\d+)?", str(inventory(run, "gateway").get("cpu_mhz", "")))
    return float(match[0]) if match else None


def _of_gateway(row: Sampled) -> bool:
    """A row of its own: not the tester's, no twin, and no single rate of a sweep."""
    return row.definition.path != DIRECT and not row.twin and not row.swept


def _cells(
    sides: Sequence[Side | ToolSide], row: Sequence[Sampled | None]
) -> tuple[Cell | None, ...]:
    first = row[0]
    cells: list[Cell | None] = [Cell(first) if first else None]
    for side, value in zip(sides[1:], row[1:], strict=True):
        if value and first:
            cells.append(_against(sides[0], first, side, value))
        else:
            cells.append(Cell(value) if value else None)
    return tuple(cells)


def _against(base: Side | ToolSide, first: Sampled, side: Side | ToolSide, value: Sampled) -> Cell:
    change = compare(first.samples, value.samples).change
    ratio = Interval(1 + change.value, 1 + change.lo, 1 + change.hi, change.n, change.level)
    limited = first.at_least, value.at_least
    return Cell(
        value=value,
        ratio=ratio,
        clock=None if any(limited) else _clock(base, first, side, value, ratio),
        differences=tuple(d for d in differing(first, value) if d.field != CONDITION),
        bound=_bound(value.quantity, limited),
    )


def _bound(quantity: str, limited: tuple[bool, bool]) -> str:
    """Return which side the ratio bounds where the tester was the bottleneck of one."""
    if not is_bounded(quantity):
        return "none" if any(limited) else ""
    bounds = {(False, True): "at least", (True, False): "at most", (True, True): "none"}
    return bounds.get(limited, "")


def _clock(
    base: Side | ToolSide,
    first: Sampled,
    side: Side | ToolSide,
    value: Sampled,
    ratio: Interval,
) -> Clock | None:
    """Of rates alone, and of two clocks of the same kind that differ."""
    if not value.unit.endswith("/s"):
        return None
    slowdowns = first.definition.slow_to_pps, value.definition.slow_to_pps
    clocks = slowdowns if all(slowdowns) else (clock_mhz(base), clock_mhz(side))
    if any(slowdowns) != all(slowdowns) or not clocks[0] or not clocks[1] or clocks[0] == clocks[1]:
        return None
    of = CONDITION if all(slowdowns) else "cpu_mhz"
    times = clocks[1] / clocks[0]
    return Clock(of, times, ratio.lo <= times <= ratio.hi)


def _conditions(side: Side | ToolSide, rows: Sequence[Sampled]) -> Iterator[Difference]:
    """Yield what a reader must know of a gateway before its numbers."""
    if isinstance(side, ToolSide):
        yield Difference("shape of loss", "", None)
        yield Difference("station", "", f"{UNKNOWN}, by {side.tool}")
        for field in ("gateway", "kernel", "firmware_sha256", CONDITION, "cpu_mhz"):
            yield Difference(field, "", UNKNOWN)
        return
    run = side.run
    lost = [
        fact("of-setup", setup=diagnosis.setup, finding=finding.fact)
        for diagnosis in side.judgement.diagnoses
        for finding in diagnosis.wrong
    ]
    yield Difference("shape of loss", "", several(lost, "clauses") if lost else None)
    yield Difference("station", "", run.station.name)
    yield Difference(
        "gateway", "", f"{'virtual' if run.station.virtual else 'real'}, {run.station.kind}"
    )
    yield Difference("kernel", "", inventory(run, "gateway").get("kernel"))
    packages = str(inventory(run, "gateway").get("firmware_sha256", ""))
    yield Difference("firmware_sha256", "", packages[:HASH] or None)
    slowdowns = sorted({row.definition.slow_to_pps for row in rows})
    yield Difference(CONDITION, "", ", ".join(str(b) if b else "none" for b in slowdowns))
    yield Difference("cpu_mhz", "", clock_mhz(side))


def _refuse(runs: Sequence[Sequence[Sampled]], free: Collection[str]) -> NoReturn:
    """Say why nothing can be compared. Raises UsageError."""
    kept_differences = [nearest(runs[0], rows) for rows in runs[1:]]
    shown_differences = [
        [d for d in differences if d.field not in free] for differences in kept_differences
    ]
    near = min(
        (differences for differences in shown_differences if differences), key=len, default=[]
    )
    if not near:
        raise UsageError(
            "no two of these runs measured the same quantity: `gatemark show RUN` lists them"
        )
    fix = " ".join(f"--across {difference.field}" for difference in near)
    raise UsageError(
        f"no definition is alike; the nearest differ in {'; '.join(map(str, near))} ({fix})"
    )
