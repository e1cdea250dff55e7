# SPDX-License-Identifier: Apache-2.0
"""The life of one trial: prepare, arm the agents, send, drain, account, judge its validity."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from gatemark.error import GatemarkError, InvalidTrialError
from gatemark.gateway import flowtable
from gatemark.node.agent import Tick
from gatemark.plan.model import TrialSpec
from gatemark.probe.inside import Probes
from gatemark.probe.outside import port_counters, watch_threads
from gatemark.run import reading
from gatemark.run.bench import Bench
from gatemark.station.awake import awake
from gatemark.station.wiring import Port, wires
from gatemark.store.record import Definition, Record
from gatemark.store.series import Series
from gatemark.workload.account import Counters
from gatemark.workload.udp import Report, Stream, Way, lan_ports, open_mappings

QUIET_S = 0.03  # nothing arrived for so long: nothing is on its way any more
LONGEST_DRAIN_S = 3.0


@dataclass(slots=True)
class Raw:
    """All that a trial reported."""

    ways: list[Way]
    threads: Report
    before: Counters
    after: Counters
    inside: Report = field(default_factory=dict)
    found: dict[str, dict[str, Any]] = field(default_factory=dict)


async def run(
    bench: Bench, spec: TrialSpec, on_rate: Callable[[float], None]
) -> tuple[Record, Series]:
    """Run a trial; what goes wrong in it becomes an invalid record that says why."""
    started = datetime.now(UTC).isoformat(timespec="milliseconds")
    base = _base(bench, spec, started)
    try:
        with awake() as idle:
            base = replace(base, placement=base.placement | {"idle": idle})
            raw = await _measure(bench, spec, on_rate)
        record = reading.complete(base, spec, raw, bench.station.threads)
        series = reading.series(raw, bench.station.threads)
    except GatemarkError as error:
        return replace(base, status="invalid", reason=str(error)), {}
    try:
        _validate(record)
    except InvalidTrialError as error:
        record = replace(record, status="invalid", reason=str(error))
    return record, series


async def _measure(bench: Bench, spec: TrialSpec, on_rate: Callable[[float], None]) -> Raw:
    station, load = bench.station, spec.workload
    await bench.prepare(spec.arm, spec.gateway.brake_pps)
    placement = station.placement
    ways = wires(station.ports, spec.arm.path, load.direction)
    number = spec.sequence % 256
    async with AsyncExitStack() as stack:
        ports = await _flow_ports(bench, spec, number)
        streams = [Stream(wire, load, placement, number) for wire in ways]
        for stream in streams:
            stack.push_async_callback(stream.abort)
            await stream.ready(ports if stream.wire.direction == "down" else lan_ports(load.flows))
        watch = await watch_threads(station.threads, placement.sink, load.duration_s)
        stack.push_async_callback(watch.abort)
        probes = Probes(station.gateway, spec.probes, placement.sink)
        stack.push_async_callback(probes.abort)
        test_ports = [port for wire in ways for port in (wire.source, wire.sink)]
        await probes.start(load.duration_s)
        before = await port_counters(test_ports)
        await watch.start()

        async def drained() -> None:
            await _quiet([wire.sink for wire in ways])

        done = await asyncio.gather(*(stream.go(drained, _rate(on_rate)) for stream in streams))
        after = await port_counters(test_ports)
        threads = await watch.close()
        inside, found = await probes.stop()
    return Raw(list(done), threads, before, after, inside, found)


async def _flow_ports(bench: Bench, spec: TrialSpec, number: int) -> list[int]:
    """The ports by which the flows are known at the gateway's WAN side."""
    flows, station = spec.workload.flows, bench.station
    if spec.arm.path != "nat":
        return lan_ports(flows)
    await asyncio.to_thread(flowtable.flush, station.gateway)
    if spec.workload.direction == "up":
        return lan_ports(flows)
    (up,) = wires(station.ports, "nat", "up")
    return await open_mappings(up, spec.workload, station.placement, number)


def _rate(on_rate: Callable[[float], None]) -> Tick:
    """Turn the sink's running count into a rate."""
    last: list[tuple[int, int]] = []

    def tick(message: Report) -> None:
        now = (message["t_ns"], message["received"])
        if last:
            on_rate((now[1] - last[-1][1]) * 1e9 / (now[0] - last[-1][0]))
        last.append(now)

    return tick


async def _quiet(sinks: list[Port]) -> None:
    """Wait until no test port receives any more: a slow gateway's queue drains after the end."""
    loop = asyncio.get_running_loop()
    until = loop.time() + LONGEST_DRAIN_S
    last = await port_counters(sinks)
    while loop.time() < until:
        await asyncio.sleep(QUIET_S)
        now = await port_counters(sinks)
        if now == last:
            return
        last = now


def _base(bench: Bench, spec: TrialSpec, started: str) -> Record:
    load = spec.workload
    direct = spec.arm.path == "direct"
    return Record(
        trial=spec.trial,
        plan=spec.plan,
        arm=spec.arm.name,
        point=dict(spec.point),
        repeat=spec.repeat,
        pass_=spec.pass_,
        sequence=spec.sequence,
        status="ok",
        started=started,
        definition=Definition(
            path=spec.arm.path,
            features=spec.arm.features,
            direction=load.direction,
            family=load.family,
            frame_bytes=load.frame_bytes,
            flows=load.flows,
            duration_s=load.duration_s,
            brake_pps=0 if direct else spec.gateway.brake_pps,
        ),
        placement=bench.station.info.placement,
        deviations=spec.deviations,
    )


def _validate(record: Record) -> None:
    """Raise InvalidTrialError if a packet is unaccounted for."""
    accounting = record.accounting
    assert accounting is not None
    if accounting.lost < 0:
        raise InvalidTrialError(f"{-accounting.lost} more packets delivered than tried")
    if accounting.mismatch:
        where = ", ".join(
            f"{name} {difference:+d}" for name, difference in accounting.mismatch.items()
        )
        raise InvalidTrialError(f"interface counters and accounting differ: {where} packets")
