# SPDX-License-Identifier: Apache-2.0
"""The outcome of filling a gateway's table: flows, their memory, and room for how many."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Final

from msgspec.structs import replace

from gatemark.kind.fill import slope
from gatemark.kind.fill.load import loads
from gatemark.kind.fill.plan import FILL
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition, FillStep
from gatemark.store.series import Series
from gatemark.workload.way import Report, Way

READS: Final = ("memory", "conntrack", "slab", "pagesets")  # probes of what a flow takes
HALF: Final = 0.5  # of an object a flow: less is another's
ENTRY: Final = "nf_conntrack"  # the cache of entries; without it every sum is incomplete


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of flows alone."""
    return replace(
        both,
        l4="udp",
        quantity=FILL,
        rate_layer="flows",
        flows=load.flows,
        clients=load.clients,
        active_pps=load.active_pps,
    )


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """The values; every flow's packet is accounted for by itself."""
    del spec
    steps = filled(raw)
    values = {"flows": float(_held(raw, steps))}
    sent = raw.ways[0].sender
    if sent.get("emptied_ns") and values["flows"]:
        values["teardown_per_s"] = values["flows"] * 1e9 / sent["emptied_ns"]
    if line := slope.slab(steps):
        values["flow_bytes"] = line.slope
    if made_of := objects(raw, steps):
        values["flow_object_bytes"] = float(sum(made_of.values()))
    spare_bytes = sent["spare_bytes"]
    limit = slope.predicted(steps, spare_bytes) if _own_memory(raw) else None
    if steps and _own_memory(raw):
        values["free_bytes"] = float(steps[0].free_bytes + steps[0].listed_bytes)
    if limit is not None:
        values |= {"flows_predicted": limit, "flows_recommended": slope.recommended(limit)}
    return values, None


def evidence(raw: Raw) -> dict[str, Any]:
    """Each step, what ended it, and what a flow is made of."""
    sent = raw.ways[0].sender
    steps, last = filled(raw), sent["steps"][-1]
    return {
        "fill_steps": tuple(steps),
        "fill": {
            "asked": sent["asked"],
            "came": last["flows"],
            "lost": last["lost"],
            "servers": sent["servers"],
            "killed": sent["killed"],
            "spare_bytes": sent["spare_bytes"],
            "own_memory": _own_memory(raw),
        },
        "objects": objects(raw, steps),
    }


def filled(raw: Raw) -> list[FillStep]:
    """Return the reading of each step; a step without one, as the last may be, is left out."""
    watched, steps = raw.watched, raw.ways[0].sender["steps"]
    if "memory" not in watched or "conntrack" not in watched:
        return []
    listed = watched.get("pagesets", {}).get("listed_bytes", [])
    read = [(step, _window(watched["t_ns"], step)) for step in steps]
    return [
        FillStep(
            flows=step["flows"],
            entries=_middle(watched["conntrack"]["entries"], window),
            **{
                name: _middle(watched["memory"][name], window)
                for name in ("slab_bytes", "free_bytes", "available_bytes")
            },
            listed_bytes=_middle(listed, window) if listed else 0,
        )
        for step, window in read
        if window.start < window.stop
    ]


def objects(raw: Raw, steps: Sequence[FillStep]) -> dict[str, int]:
    """Return the caches of which a flow takes whole objects, with their bytes: checks the slope."""
    watched, known = raw.watched, slope.rising(steps)
    bytes_of = {}
    for name, columns in watched.get("slab", {}).items():
        sent_steps = raw.ways[0].sender["steps"]
        windows = [w for step in sent_steps if (w := _window(watched["t_ns"], step))]
        points = [
            (step.entries, _middle(columns["active"], window))
            for step, window in zip(known, windows, strict=False)
        ]
        line = slope.line(points)
        if line and line.slope >= HALF:
            bytes_of[name] = round(line.slope) * int(columns["object_bytes"][-1])
    return bytes_of if ENTRY in bytes_of else {}


def delivered_pps(raw: Raw, values: Mapping[str, float]) -> float:
    """Flows a second: a packet each."""
    return values["flows"] * 1e9 / max(1, raw.ways[0].span_ns)


def series(way: Way) -> Series:
    """Flows that came through, at the end of each step; memory over time is the probes'."""
    steps = way.sender["steps"]
    read = [step for step in steps if step["t1_ns"]]
    name = f"source.{way.wire.direction}.flows"
    return {name: ([step["t0_ns"] for step in read], [step["flows"] for step in read])}


def _own_memory(raw: Raw) -> bool:
    """Whether the memory that is read is the gateway's alone: a namespace has this machine's."""
    return raw.gateway_cpus is None


def _held(raw: Raw, steps: Sequence[FillStep]) -> int:
    """Return the flows that came through, or the most that the table had, if that is less.

    A slow gateway is read too rarely to be read in a step; that its table threw entries out tells
    that it was read when it was full.
    """
    came = int(raw.ways[0].sender["steps"][-1]["flows"])
    table = raw.watched.get("conntrack", {})
    entries, evicted = table.get("entries", []), table.get("early_drop", [])
    was_full = bool(evicted) and evicted[-1] > evicted[0]
    return min(came, max(entries)) if entries and (steps or was_full) else came


def _window(t_ns: Sequence[int], step: Report) -> range:
    """The readings while a step's flows were open, by their places."""
    return range(bisect_left(t_ns, step["t0_ns"]), bisect_right(t_ns, step["t1_ns"]))


def _middle(column: Sequence[int], window: range) -> int:
    return round(median(column[window.start : window.stop]))


KIND: Final = Kind(loads, define, outcome, delivered_pps, series, evidence, READS)
