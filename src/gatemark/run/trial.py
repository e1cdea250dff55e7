# SPDX-License-Identifier: Apache-2.0
"""The life of one trial: prepare, arm the agents, send, drain, account, judge its validity."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime

from msgspec.structs import replace

from gatemark.error import GatemarkError, InvalidTrialError, UnavailableError
from gatemark.node.agent import Tick
from gatemark.node.shell import Here
from gatemark.plan.exact import COUNTS
from gatemark.plan.feature import tracks
from gatemark.plan.lasting import lasts_s as lasting_s
from gatemark.plan.model import TrialSpec
from gatemark.probe.caches import Caches
from gatemark.probe.rate import Rate
from gatemark.probe.registry import Probes
from gatemark.probe.threads import port_counters, watch_threads
from gatemark.run import reading, turns
from gatemark.run.bench import Bench
from gatemark.run.kind import kind_of
from gatemark.run.program import Beside
from gatemark.run.raw import Raw
from gatemark.run.result import caches
from gatemark.run.turns import Start
from gatemark.station.awake import awake
from gatemark.station.counting import NOT_EMULATED
from gatemark.station.cpu import ANY_CPU
from gatemark.station.station import Station
from gatemark.station.thread import Thread
from gatemark.station.wiring import Port, Wire, wires
from gatemark.store.record import Definition, Record
from gatemark.store.series import Series
from gatemark.workload.way import Load, Report

QUIET_S = 0.03  # nothing arrived for so long: nothing is on its way any more
# Where the gateway has no CPU of its own its thread may be kept waiting with packets in its queue.
SHARED_QUIET_S = 0.15
LONGEST_DRAIN_S = 3.0

# What a tick counts: its key, what makes it ours, and the unit of its rate.
COUNTED = (
    ("bytes", 8, "bit/s"),
    ("received", 1, "packets/s"),
    ("connections", 1, "connections/s"),
)

Show = Callable[[float, str], None]  # a rate as it is now, and its unit


async def run(
    bench: Bench, spec: TrialSpec, on_rate: Show, start: Start | None = None
) -> tuple[Record, Series]:
    """Run a trial; what goes wrong in it becomes an invalid record that says why.

    `start` is that of all that are measured together with it.
    """
    base = frame(bench, spec)
    try:
        with awake() as idle:
            raw = await _measure(bench, turns.sent(spec), on_rate, start)
            base = replace(base, placement=bench.station.words | {"idle": idle})
        record = reading.complete(base, spec, raw, _threads(bench, spec))
        series = reading.series(spec, raw, _threads(bench, spec))
    except UnavailableError as error:
        return replace(base, status="skipped", reason=f"not available here: {error}"), {}
    except GatemarkError as error:
        return replace(base, status="invalid", reason=str(error)), {}
    finally:
        if start:
            start.leave(spec)
    try:
        _validate(record)
    except InvalidTrialError as error:
        record = replace(record, status="invalid", reason=str(error))
    return record, series


async def _measure(bench: Bench, spec: TrialSpec, on_rate: Show, start: Start | None) -> Raw:
    station, load = bench.station, spec.workload
    await bench.prepare(spec.arm, load, spec.gateway.slow_to_pps)
    ways = wires(station.ports, spec.arm.path, load.direction)
    async with AsyncExitStack() as stack:
        loads = await _loads(bench, spec, ways)
        for one in loads:
            stack.push_async_callback(one.abort)
            await one.ready()
        sink_cpu, lasts_s = station.placement.sink, lasting_s(load)
        watch = await watch_threads(_threads(bench, spec), sink_cpu, lasts_s)
        stack.push_async_callback(watch.abort)
        own = isinstance(station.gateway.node, Here)  # another host's CPUs are its own to choose
        cpu = sink_cpu if own else ANY_CPU
        valued = kind_of(load).reads
        reads = tuple(dict.fromkeys((*valued, *spec.probes)))
        probes = Probes(station.gateway, reads, cpu, _cpus(station), valued=bool(valued))
        stack.push_async_callback(probes.abort)
        test_ports = [port for wire in ways for port in (wire.source, wire.sink)]
        await probes.start(lasts_s)
        features = {} if load.restart_s else await bench.setup.seen({})
        beside = Beside(station, spec)
        stack.push_async_callback(beside.abort)
        await beside.start()
        modelled = Caches(station.counting, spec.gateway.devices)
        stack.push_async_callback(modelled.abort)
        await modelled.start()
        before = await port_counters(test_ports)
        await watch.start()
        rate = await _rested(station, spec.probes)

        if start:
            await start.wait(spec)
        quiet_s = QUIET_S if station.able.own_cpu else SHARED_QUIET_S

        async def drained() -> None:
            await _quiet([wire.sink for wire in ways], quiet_s)

        done = await asyncio.gather(*(one.go(drained, _rate(on_rate)) for one in loads))
        if rate:
            rate.end()
        after = await port_counters(test_ports)
        cached = await modelled.stop()
        ran = await beside.end()
        threads = await watch.close()
        seen = await probes.stop()
        offload = await bench.setup.seen(features) if features else {}
    pairs = station.counting.caches if station.counting else ()
    told = _cpus(station), offload, ran, cached, pairs
    rated = rate.rated if rate else None
    return Raw(list(done), threads, before, after, seen, *told, rated)


async def _rested(station: Station, probes: Sequence[str]) -> Rate | None:
    """The instructions of a gateway at rest, where the trial is to count them."""
    if COUNTS not in probes:
        return None
    if station.counting is None:
        raise UnavailableError(NOT_EMULATED)
    rate = Rate(station.counting)
    await rate.begin()
    return rate


def _cpus(station: Station) -> frozenset[int] | None:
    """Which of the CPUs that a gateway reads are its own.

    A gateway that is a namespace sees all of this machine's; its own are those of its threads.
    """
    if not isinstance(station.gateway.node, Here):
        return None
    cpus = (made.cpu for made in station.threads.values())
    return frozenset(cpu for cpu in cpus if cpu is not None)


def _threads(bench: Bench, spec: TrialSpec) -> Mapping[str, Thread]:
    """Whose CPU time is read: nobody's where a restart makes the gateway's threads anew.

    Nor where packets go one at a time: the share of a gateway that waits says nothing.
    """
    load = spec.workload
    return {} if load.restart_s or load.kind == "walk" else bench.station.threads


async def _loads(bench: Bench, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """What sends in each direction. The gateway's table of connections is emptied before."""
    if tracks(spec.arm):
        await bench.station.flush()
    return await kind_of(spec.workload).loads(bench.station, spec, ways)


def _rate(show: Show) -> Tick:
    """Turn a running count into a rate: packets/s, bit/s of TCP, connections/s."""
    last: list[tuple[int, int]] = []

    def tick(message: Report) -> None:
        name, times, unit = next(told for told in COUNTED if told[0] in message)
        now = (message["t_ns"], message[name] * times)
        if last:
            per_second = (now[1] - last[-1][1]) * 1e9 / (now[0] - last[-1][0])
            show(per_second, unit)
        last.append(now)

    return tick


async def _quiet(sinks: list[Port], quiet_s: float) -> None:
    """Wait until no test port receives any more: a slow gateway's queue drains after the end."""
    loop = asyncio.get_running_loop()
    until = loop.time() + LONGEST_DRAIN_S
    last = await port_counters(sinks)
    while loop.time() < until:
        await asyncio.sleep(quiet_s)
        now = await port_counters(sinks)
        if now == last:
            return
        last = now


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


def definition(spec: TrialSpec) -> Definition:
    """What the trial's values will be comparable with."""
    load = spec.workload
    both = Definition(
        path=spec.arm.path,
        features=spec.arm.features,
        direction=load.direction,
        family=load.family,
        l4=load.kind,
        duration_s=load.duration_s,
        turn_ms=spec.turn.ms if spec.turn.of else 0.0,
        slow_to_pps=0 if spec.arm.path == "direct" else spec.gateway.slow_to_pps,
    )
    return caches.define(kind_of(load).define(both, load), spec)


def _validate(record: Record) -> None:
    """Raise InvalidTrialError if a packet is unaccounted for; TCP accounts for itself."""
    accounting = record.accounting
    if accounting is None:
        return
    if accounting.lost < 0:
        raise InvalidTrialError(f"{-accounting.lost} more packets delivered than tried")
    if accounting.mismatch:
        where = ", ".join(
            f"{name} {difference:+d}" for name, difference in accounting.mismatch.items()
        )
        raise InvalidTrialError(f"interface counters and accounting differ: {where} packets")
