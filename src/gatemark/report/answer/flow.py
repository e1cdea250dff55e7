# SPDX-License-Identifier: Apache-2.0
"""What real-time flows had of the gateway: what load added, what came too late, how a call sounds.

A row for each direction of each flow that was replayed. Added is against the same setup and flow
with nothing sent beside it, where that was measured as well.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.number import decimals_within
from gatemark.report.answer.rates import WHOLE, cell
from gatemark.report.words import number, traffic
from gatemark.report.words.number import PERCENT, Scale
from gatemark.report.words.table import NONE, Table
from gatemark.stats.judgement import Judgement, PointResult

ANCHOR: Final = "flows"
# A flow's values of one direction: `up.loss_ratio`, and of one beside it `call.up.loss_ratio`.
LOSS: Final = re.compile(r"((?:[a-z0-9-]+\.)?)(up|down)\.loss_ratio")
MISSED: Final = re.compile(r"missed_(\d+)ms_ratio")
P99: Final = "delay_p99_ns"
MS: Final = Scale(1e6, "ms")
CAPTION: Final = (
    "Real-time flows. Added: 99th percentile of the delay, less that of the flow alone. Missed: "
    "lost or later than its deadline. MOS: of a G.711 call, 1 to 4.5, estimated by ITU-T G.107"
)
HEAD: Final = ("setup", "flow", "beside", "delay p50, ms", "p99, ms", "added, ms")
MORE: Final = ("lost, %", "missed, %", "longest, ms", "MOS (estimate)")


@dataclass(frozen=True, slots=True)
class Flow:
    """One direction of a flow at a point."""

    point: PointResult
    owner: str  # "" of the plan's own workload, else its name and a dot
    way: str

    def name(self, quantity: str) -> str:
        """That of one of its values."""
        return f"{self.owner}{self.way}.{quantity}"

    @property
    def trace(self) -> str:
        """What was replayed, or the name of the workload that did it."""
        return self.owner.rstrip(".") or self.point.definition.trace


def flows(points: Sequence[PointResult]) -> list[Flow]:
    """Every direction of every flow that was replayed."""
    named = [(point, LOSS.fullmatch(name)) for point in points for name in point.values]
    return [Flow(point, match[1], match[2]) for point, match in named if match]


def table(judgement: Judgement) -> Table:
    """A row for each; empty without one that has a deadline."""
    every = flows([*judgement.floors, *judgement.points])
    rows = [(*_who(flow), *_delays(flow, every), *_use(flow)) for flow in every if _deadlines(flow)]
    return Table(CAPTION, HEAD + MORE, tuple(rows), frozenset(range(3, len(HEAD + MORE))))


def alone(flow: Flow, every: Sequence[Flow]) -> Flow | None:
    """The same flow through the same setup with nothing beside it; of its own plan first."""
    if not flow.point.definition.beside or flow.owner:
        return None
    alike = [
        other
        for other in every
        if not other.point.definition.beside and _identity(other) == _identity(flow)
    ]
    own = [other for other in alike if other.point.plan == flow.point.plan]
    return next(iter(own or alike), None)


def _identity(flow: Flow) -> tuple[object, ...]:
    d = flow.point.definition
    return (flow.way, d.path, d.features, d.trace, d.direction, d.family, d.slow_to_pps, d.dscp)


def _who(flow: Flow) -> Iterator[str]:
    d = flow.point.definition
    yield "tester alone" if d.path == "direct" else flow.point.setup
    yield f"{flow.trace}, {traffic.way(flow.way)}"
    yield ", ".join(d.beside) or NONE


def _delays(flow: Flow, every: Sequence[Flow]) -> Iterator[str]:
    for quantity in ("delay_p50_ns", P99):
        yield cell(flow.point, flow.name(quantity), MS)
    idle = alone(flow, every)
    loaded = flow.point.values.get(flow.name(P99))
    before = idle.point.values.get(idle.name(P99)) if idle else None
    if loaded is None or before is None:
        yield NONE
        return
    added = loaded.value - before.value, loaded.lo - before.hi, loaded.hi - before.lo
    count = decimals_within(*(x / MS.factor for x in added))
    yield number.plain(added[0] / MS.factor, count)


def _use(flow: Flow) -> Iterator[str]:
    """Lost, missed, the longest time of that, the opinion."""
    values, deadlines = flow.point.values, _deadlines(flow)
    yield cell(flow.point, flow.name("loss_ratio"), PERCENT)
    shares = [
        (ms, cell(flow.point, flow.name(f"missed_{ms}ms_ratio"), PERCENT)) for ms in deadlines
    ]
    yield "; ".join(f"{share} > {ms} ms" for ms, share in shares)
    longest = (cell(flow.point, flow.name(f"missed_{ms}ms_longest_ns"), MS) for ms in deadlines)
    yield "; ".join(longest)
    opinion = values.get(flow.name("mos"))
    yield cell(flow.point, flow.name("mos"), WHOLE) if opinion else NONE


def _deadlines(flow: Flow) -> list[int]:
    before = flow.name("")
    names = (name.removeprefix(before) for name in flow.point.values if name.startswith(before))
    return sorted(int(match[1]) for match in map(MISSED.fullmatch, names) if match)
