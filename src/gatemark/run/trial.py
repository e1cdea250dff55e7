# SPDX-License-Identifier: Apache-2.0
"""The life of one trial: prepare, arm the agents, send, drain, account, judge its validity."""

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from gatemark.error import (
    NOT_HERE,
    GatemarkError,
    InvalidTrialError,
    StuckError,
    UnavailableError,
)
from gatemark.kind.udp.load import is_tagged
from gatemark.node.agent import Tick
from gatemark.node.reader import ODD
from gatemark.plan import workloads
from gatemark.plan.feature import tracks
from gatemark.plan.kind import RULES
from gatemark.plan.model import TrialSpec
from gatemark.probe.threads import Ports
from gatemark.run import mixed, reading, stop, turns, watching
from gatemark.run.bench import Bench
from gatemark.run.drain import Drain, remember
from gatemark.run.kept import labelled, moment
from gatemark.run.kept.moment import Direction
from gatemark.run.kept.watch import places
from gatemark.run.kind import definition, kind_of
from gatemark.run.program import Programs
from gatemark.run.raw import Raw
from gatemark.run.result import clock
from gatemark.run.turns import Start
from gatemark.run.validity import require_valid
from gatemark.station.awake import awake
from gatemark.station.lent import introduced
from gatemark.station.station import Station
from gatemark.station.wiring import Wire, wires
from gatemark.store.packets import Packets
from gatemark.store.record import Record
from gatemark.store.series import Series
from gatemark.workload.way import Load, Report

# What a tick counts: its key, what makes it ours, and the unit of its rate.
COUNTED = (
    ("bytes", 8, "bit/s"),
    ("received", 1, "packets/s"),
    ("connections", 1, "connections/s"),
)

CAPTURED = "packets were captured on all hosts meanwhile, which takes CPU time"

Show = Callable[[float, str], None]  # a rate as it is now, and its unit


async def run(
    bench: Bench, spec: TrialSpec, on_rate: Show, start: Start | None = None
) -> tuple[Record, Series]:
    """Run a trial; what goes wrong in it becomes an invalid record that says why.

    `start` is shared by all trials that are measured together.
    """
    stop.heed()
    base = frame(bench, spec)
    bench.left.clear()
    try:
        with awake() as idle:
            raw = await _measure(bench, turns.sent(spec), on_rate, start)
            placement = bench.words | {"idle": idle}
            notes = (*bench.setup.notes, *bench.left)
            base = replace(base, placement=placement, notes=notes)
        threads = watching.threads(bench.station, spec)
        record = reading.complete(base, spec, raw, threads)
        series = reading.series(spec, raw, threads)
        record = _with_packets(bench, spec, record, raw)
    except UnavailableError as error:
        return replace(base, status="skipped", reason=f"{NOT_HERE}{error}"), {}
    except GatemarkError as error:
        for stuck in _causes(error):
            await bench.free(stuck)
        return replace(base, status="invalid", reason=str(error)), {}
    except ODD as error:
        return replace(base, status="invalid", reason=_unfit(error)), {}
    finally:
        if start:
            start.leave(spec)
    try:
        require_valid(record, raw.undrained or clock.why_invalid(raw.every_way))
    except InvalidTrialError as error:
        record = replace(record, status="invalid", reason=str(error))
    return record, series


def _with_packets(bench: Bench, spec: TrialSpec, record: Record, raw: Raw) -> Record:
    """A record that says that packets were captured; those of an odd trial wait on the bench."""
    if not watching.captures(spec):
        return record
    record = replace(record, notes=(*record.notes, CAPTURED))
    if spec.keep.capture:
        return _with_labelled(bench, spec, record, raw)
    if why := moment.odd(record):
        directions = [
            Direction(way, places(bench.station, spec.arm.path, way.wire), is_tagged(way.wire))
            for way in raw.ways
        ]
        title = f"{spec.trial}: {', '.join(why)}"
        try:
            data = moment.kept(title, directions, raw.seen["packets"])
            bench.packets[spec.trial] = Packets({"": data} if data else {})
        except ValueError as error:  # the trial is sound all the same
            record = replace(record, notes=(*record.notes, f"its packets are lost: {error}"))
    return record


def _with_labelled(bench: Bench, spec: TrialSpec, record: Record, raw: Raw) -> Record:
    """A record that says that packets were captured; all of them wait on the bench."""
    try:
        bench.packets[spec.trial] = labelled.kept(
            spec, record, raw.ways[0].wire, raw.seen["packets"]
        )
    except ValueError as error:  # the trial is sound all the same
        return replace(record, notes=(*record.notes, f"its packets are lost: {error}"))
    return record


def _unfit(error: Exception) -> str:
    """Why reports that were read one by one make no trial, and where that was seen.

    A column may be shorter than another, or a thread's be missing: one odd report ends no run.
    """
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}:{place.lineno}"
    return (
        f"what the hosts reported does not fit together: {type(error).__name__}: {error} ({where})"
    )


def _causes(error: BaseException | None) -> Iterator[StuckError]:
    """Of an error and those that it came after, those of programs that could not be ended."""
    while error:
        if isinstance(error, StuckError):
            yield error
        error = error.__context__


async def _measure(bench: Bench, spec: TrialSpec, on_rate: Show, start: Start | None) -> Raw:
    """In the order of a trial's life: set, ready, watched, sent, drained, read.

    Whatever happens, what was begun is ended, the last one first.
    """
    station, load = bench.station, spec.workload
    others = spec.beside.values()
    await bench.prepare(spec.arm, load, spec.gateway.slow_to_pps, spec.line, *others)
    wired = _wired(station, spec)
    async with bench.unchanged(spec.commands), AsyncExitStack() as stack:
        loads = await _loads(bench, spec)
        for direction in (way for ways in loads.values() for way in ways):
            stack.push_async_callback(direction.abort)
            await direction.ready()
        watchers = watching.watchers(bench, spec, wired)
        for watcher in watchers.values():
            stack.push_async_callback(watcher.abort)
        await watching.start(watchers)
        if start:
            await start.wait(spec)
        ports = watchers["ports"]
        assert isinstance(ports, Ports)
        drained = Drain(bench, spec.arm, ports, [wire.sink for wire in wired], spec.line)
        programs = watchers["programs"]
        assert isinstance(programs, Programs)
        await programs.goes()
        ways = await mixed.go(spec, loads, drained, _rate(on_rate))
        seen = await watching.stop(watchers)
    await station.require_alive()  # a gateway that gave itself back meanwhile was not measured
    first = ways.pop(workloads.MAIN)
    remember(bench, spec.arm, first)
    return Raw(first, seen, watching.own_cpus(station), drained.why, ways)


def _wired(station: Station, spec: TrialSpec) -> list[Wire]:
    """The directions of all workloads, each once."""
    ways = [load.direction for load in workloads.by_name(spec).values()]
    direction = ways[0] if len(set(ways)) == 1 else "both"
    return wires(station.ports, spec.arm.path, direction)


async def _loads(bench: Bench, spec: TrialSpec) -> dict[str, Sequence[Load]]:
    """What sends in each direction, by workload. The table of connections is emptied before.

    Raises UnavailableError where the station cannot have one of them.
    """
    station = bench.station
    parts = workloads.parts(spec)
    ways = {
        name: wires(station.ports, spec.arm.path, part.workload.direction)
        for name, part in parts.items()
    }
    for name, part in parts.items():
        introduced.require(station.gateway, part.workload, ways[name])
    if tracks(spec.arm) and not RULES[spec.workload.kind].ages:
        await station.flush()
    return {
        name: await kind_of(part.workload).loads(station, part, ways[name])
        for name, part in parts.items()
    }


def _rate(show: Show) -> Tick:
    """Turn a running count into a rate: packets/s, bit/s of TCP, connections/s."""
    last: list[tuple[int, int]] = []

    def tick(message: Report) -> None:
        row = next((row for row in COUNTED if row[0] in message), None)
        if row is None:
            return
        name, times, unit = row
        now = (message["t_ns"], message[name] * times)
        if last and now[0] > last[-1][0]:
            per_second = (now[1] - last[-1][1]) * 1e9 / (now[0] - last[-1][0])
            show(per_second, unit)
        last[:] = [now]

    return tick


def frame(bench: Bench, spec: TrialSpec) -> Record:
    """The record of a trial with nothing measured in it yet."""
    return Record(
        trial=spec.trial,
        plan=spec.plan,
        arm=spec.arm.name,
        point=dict(spec.point),
        repeat=spec.repeat,
        pass_=spec.pass_,
        sequence=spec.sequence,
        boot=spec.boot,
        status="ok",
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
        definition=definition(spec),
        placement=bench.station.words,
        deviations=spec.deviations,
    )
