# SPDX-License-Identifier: Apache-2.0
"""The outcome: how long flows were in the flow table, what fell out of it, and why."""

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any, Final

from msgspec.structs import replace

from gatemark.kind.fastpath.load import Played, Stream, loads
from gatemark.kind.fastpath.plan import FASTPATH
from gatemark.kind.fastpath.state import Move, State, moves
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition
from gatemark.store.series import Series
from gatemark.workload.ends import LAN, WAN
from gatemark.workload.way import Way

WORDS: Final = {
    State.GONE: "no table",
    State.USUAL: "the usual path",
    State.TABLE: "the flow table",
    State.HARDWARE: "the hardware",
}
MOST_MOVES: Final = 200  # that a record keeps


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of these flows alone."""
    return replace(both, l4="", quantity=FASTPATH, interval_s=load.interval_s)


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """Return the values; each packet is followed by its number."""
    del spec
    return values(_played(raw)), None


def _played(raw: Raw) -> Played:
    played: Played = raw.ways[0].sender[FASTPATH]
    return played


def _moves(played: Played) -> list[Move]:
    """The changes of all flows, in order."""
    return [*moves(played.samples, {stream.key: stream.times_ns for stream in played.streams})]


def values(played: Played) -> dict[str, float]:
    """Shares of time and packets, and how many flows fell out; those alone that were read."""
    streams = played.streams
    slow = [stream for stream in streams if stream.sort == "slow"]
    idle = [stream for stream in streams if stream.sort == "idle"]
    known = {
        "fastpath_kept": _kept(streams),
        "fastpath_slow_kept": _kept(slow),
        "fastpath_idle_died": _share(not stream.is_alive for stream in idle),
    }
    if (usual := _usual(played)) is not None:
        known["fastpath_usual"] = usual
    return known | (_read(played) if played.samples else {})


def _read(played: Played) -> dict[str, float]:
    """Where flows were by the readings, and how many fell out."""
    changes = _moves(played)
    why = [move.why for move in changes]
    steady = [stream.key for stream in played.streams if stream.sort == "steady"]
    states = [sample.states[key] for sample in played.samples for key in steady]
    known = {
        "fastpath_steady": _share(state >= State.TABLE for state in states),
        "fastpath_hardware": _share(state is State.HARDWARE for state in states),
        "fastpath_aged": float(why.count("aged")),
        "fastpath_torn": float(why.count("torn")),
        "fastpath_forgotten": float(why.count("forgotten")),
        "fastpath_again": float(_again(changes)),
    }
    if ages := [move.silent_ns for move in changes if move.why == "aged"]:
        known["fastpath_age_ns"] = float(median(ages))
    return known


def _again(changes: Iterable[Move]) -> int:
    """Count the returns of flows that had fallen out."""
    fallen: set[tuple[int, int]] = set()
    count = 0
    for move in changes:
        if move.after > move.before and move.flow in fallen:
            count += 1
            fallen.discard(move.flow)
        elif move.after < move.before:
            fallen.add(move.flow)
    return count


def _usual(played: Played) -> float | None:
    """The share of packets that passed the forward hook between two readings."""
    if len(played.usual) < 2:
        return None
    (begin_ns, before), (end_ns, after) = played.usual[0], played.usual[-1]
    sent = sum(begin_ns <= at <= end_ns for stream in played.streams for at in stream.times_ns)
    return min(1.0, (after - before) / sent) if sent else None


def _kept(streams: Iterable[Stream]) -> float:
    sent = came = 0
    for stream in streams:
        for side in (LAN, WAN):
            sent += len(stream.sent_ns[side])
            came += len(stream.came[side])
    return came / sent if sent else 0.0


def _share(each: Iterable[bool]) -> float:
    known = [*each]
    return sum(known) / len(known) if known else 0.0


def evidence(raw: Raw) -> Mapping[str, Any]:
    """Each flow that went elsewhere: when, from where to where, and why."""
    played = _played(raw)
    names = {stream.key: stream.name for stream in played.streams}
    lines = {}
    for move in _moves(played)[:MOST_MOVES]:
        at_s, silent_s = (ns / 1e9 for ns in (move.at_ns - played.start_ns, move.silent_ns))
        why = move.why + (f" after {silent_s:.1f} s" if move.why in ("aged", "forgotten") else "")
        lines[f"{at_s:.1f} s {names[move.flow]}"] = (
            f"{WORDS[move.before]} -> {WORDS[move.after]}: {why}"
        )
    for table in played.tables:
        words = ", ".join(table.devices) + (", hardware" if table.hardware else ", software")
        lines[f"flow table {table.name}"] = words
    if played.samples and played.samples[-1].statistics:
        counts = played.samples[-1].statistics
        lines["statistics"] = ", ".join(f"{name} {count}" for name, count in counts.items())
    return {"fastpath": lines}


def delivered_pps(raw: Raw, values: Mapping[str, float]) -> float:
    """Packets/s of all flows that came through."""
    del values
    came = sum(len(s.came[side]) for s in _played(raw).streams for side in (LAN, WAN))
    return came * 1e9 / max(1, raw.ways[0].span_ns)


def series(way: Way) -> Series:
    """Where each flow was over time: 0 in no table, 1 usual path, 2 flow table, 3 hardware."""
    played: Played = way.sender[FASTPATH]
    times = [sample.at_ns for sample in played.samples]
    return {
        f"fastpath.{stream.name.replace(' ', '_').lower()}": (
            times,
            [int(sample.states[stream.key]) for sample in played.samples],
        )
        for stream in played.streams
    }


KIND: Final = Kind(loads, define, outcome, delivered_pps, series, evidence)
