# SPDX-License-Identifier: Apache-2.0
"""The real-time flows of a run's points: which there are, what loads them, which is one alone."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.judge.judgement import PointResult
from gatemark.store.record import Definition

# A flow's values of one direction: `up.loss_ratio`, and of one beside it `call.up.loss_ratio`.
LOSS: Final = re.compile(r"((?:[a-z0-9-]+\.)?)(up|down)\.loss_ratio")
MISSED: Final = re.compile(r"missed_(\d+)ms_ratio")
REPLAY: Final = "replay"
TRACE: Final = "game"  # what a replay sends unless it says otherwise
Load = Mapping[str, str]  # of a workload's keys those that its words have; "kind" besides


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

    @property
    def deadlines_ms(self) -> list[int]:
        """Those that its packets were judged by."""
        before = self.name("")
        names = (n.removeprefix(before) for n in self.point.values if n.startswith(before))
        return sorted(int(match[1]) for match in map(MISSED.fullmatch, names) if match)


def flows(points: Iterable[PointResult]) -> list[Flow]:
    """Every direction of every flow that was replayed."""
    named = [(point, LOSS.fullmatch(name)) for point in points for name in point.values]
    return [Flow(point, match[1], match[2]) for point, match in named if match]


def alone(flow: Flow, every: Sequence[Flow]) -> Flow | None:
    """The same flow through the same setup without a load beside it; of its own plan first."""
    if not flow.point.definition.beside:
        return None
    alike = [
        other
        for other in every
        if not loads(other.point.definition) and _identity(other) == _identity(flow)
    ]
    own = [other for other in alike if other.point.plan == flow.point.plan]
    return next((other for other in own or alike if other.point is not flow.point), None)


def _identity(flow: Flow) -> tuple[object, ...]:
    d = flow.point.definition
    traffic = (flow.owner, flow.way, d.trace, d.direction, d.family, d.dscp)
    return (*traffic, d.path, d.features, d.slow_to_pps, getattr(d, "line", ""))


def loads(definition: Definition) -> dict[str, Load]:
    """What loads the line at a point, by name: all but replays, and TCP without a stream."""
    made = beside(definition.beside)
    if definition.l4 != REPLAY:
        count = "" if definition.streams is None else str(definition.streams)
        of_point = {"direction": definition.direction} | ({"streams": count} if count else {})
        made = {"": {"kind": definition.l4} | of_point, **made}
    return {name: load for name, load in made.items() if _is_load(load)}


def goes(load: Load, way: str) -> bool:
    """Return whether it loads a direction."""
    return load.get("direction", "up") in (way, "both")


def trace_of(definition: Definition, owner: str) -> str:
    """What a flow replays, by the name of its workload; "": it is no replay of this point."""
    if not owner:
        return definition.trace
    load = beside(definition.beside).get(owner, {})
    return load.get("trace", TRACE) if load.get("kind") == REPLAY else ""


def dscp_of(definition: Definition, owner: str) -> int:
    """The code point of a flow's packets, by the name of its workload; 0: none."""
    load = beside(definition.beside).get(owner, {})
    return int(load.get("dscp", "0")) if owner else definition.dscp


def beside(texts: Iterable[str]) -> dict[str, Load]:
    """The keys of each workload beside the first, by its name (`upload: tcp streams=8`)."""
    return {name: _read(text) for name, _, text in (b.partition(": ") for b in texts)}


def _read(text: str) -> Load:
    """A workload's words, `tcp streams=8`, as its keys (plan/workloads.py writes them)."""
    kind, *keys = text.split(" ")
    return {"kind": kind} | {key: value for key, _, value in (k.partition("=") for k in keys)}


def _is_load(load: Load) -> bool:
    return load["kind"] != REPLAY and (load["kind"], load.get("streams")) != ("tcp", "0")
