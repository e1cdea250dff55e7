# SPDX-License-Identifier: Apache-2.0
"""Several workloads in one trial: begun in their time, drained together, each read by itself.

    [workload]         |~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~|
    [beside.uploads]   .....start_s.....|=============|
                       ready            begins        ends   all have sent: drain, read

Ports are shared, so their counters are of all workloads together, and each sink meets packets of
the others, which are no strangers.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from gatemark.node.agent import Tick
from gatemark.plan.model import TrialSpec
from gatemark.plan.workloads import DOT, MAIN, parts
from gatemark.run.kind import definition, kind_of
from gatemark.run.raw import Raw
from gatemark.store.record import Accounting, Definition, Part, Record
from gatemark.store.series import Series
from gatemark.workload.way import Drained, Load, Way, span_ns

SLASH = "/"  # after the name, in that of a series

Loads = Mapping[str, Sequence[Load]]  # by the workload's name


async def go(spec: TrialSpec, loads: Loads, drained: Drained, tick: Tick) -> dict[str, list[Way]]:
    """Run every workload in its time; what each reported, by its name."""
    ways = [load for group in loads.values() for load in group]
    end = AllSent(drained, len(ways)) if len(loads) > 1 else drained
    done = await asyncio.gather(
        *(
            _go(part.workload.start_s, loads[name], end, None if name else tick)
            for name, part in parts(spec).items()
        )
    )
    return dict(zip(loads, done, strict=True))


async def _go(start_s: float, loads: Sequence[Load], end: Drained, tick: Tick | None) -> list[Way]:
    await asyncio.sleep(start_s)
    return await asyncio.gather(*(load.go(end, tick) for load in loads))


class AllSent:
    """Waits until all directions of all workloads have sent, and then for the trial's end."""

    def __init__(self, drained: Drained, ways: int) -> None:
        self._drained = drained
        self._sending = ways
        self._end: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def __call__(self, wire: object = None, sent: int | None = None) -> None:
        """Every direction calls it once."""
        del wire, sent  # the ports' counters are not of one alone
        self._sending -= 1
        if self._sending:
            await asyncio.shield(self._end)
            return
        await self._drained()
        self._end.set_result(None)


def complete(record: Record, spec: TrialSpec, raw: Raw) -> Record:
    """The record of the first workload, with the values and the accounting of the others."""
    if not raw.beside:
        return record
    values, done = dict(record.values), {}
    for name, part in parts(spec).items():
        if name == MAIN:
            continue
        own = seen_by(raw, raw.beside[name])
        kind = kind_of(part.workload)
        its, accounting = kind.values(part, own)
        values |= {f"{name}{DOT}{quantity}": value for quantity, value in its.items()}
        done[name] = _part(definition(part), raw.beside[name], accounting)
    return replace(record, values=values, parts=done, accounting=_shared(record.accounting))


def seen_by(raw: Raw, ways: list[Way]) -> Raw:
    """The same trial as one of its workloads has it."""
    return Raw(ways, raw.seen, raw.gateway_cpus, raw.undrained)


def delivered_pps(raw: Raw) -> float:
    """Packets/s of all workloads at the sinks' ports, from the first packet of any to the last."""
    ways = raw.every_way
    ports = {f"{way.wire.sink.role}.rx_packets" for way in ways}
    came = sum(raw.after[port] - raw.before[port] for port in ports)
    window_ns = span_ns(ways)
    return came * 1e9 / (window_ns[1] - window_ns[0])


def window_ns(raw: Raw) -> tuple[int, int]:
    """The time that the gateway is read over: of several workloads that of `delivered_pps`."""
    return span_ns(raw.every_way) if raw.beside else raw.ways[0].window_ns


def series(spec: TrialSpec, raw: Raw) -> Series:
    """Those of the others, each with its workload's name before it: `uploads/sink.up.bytes`."""
    return dict(_series(spec, raw))


def _series(
    spec: TrialSpec, raw: Raw
) -> Iterator[tuple[str, tuple[Sequence[int], Sequence[float]]]]:
    for name, ways in raw.beside.items():
        kind = kind_of(spec.beside[name])
        for way in ways:
            for key, columns in kind.series(way).items():
                yield f"{name}{SLASH}{key}", columns


def _part(definition: Definition, ways: list[Way], accounting: Accounting | None) -> Part:
    first = ways[0]
    late = first.sender.get("late_ns", {})
    scheduled = accounting.scheduled if accounting else 0
    return Part(
        definition=definition,
        accounting=_shared(accounting),
        window_ns=span_ns(ways),
        schedule_ratio=accounting.tried / scheduled if accounting and scheduled else None,
        late_ns={name: float(value) for name, value in late.items()},
        ports=first.ports,
        port_reasons=first.port_reasons,
        notes=tuple(note for way in ways for note in way.notes),
    )


def _shared(accounting: Accounting | None) -> Accounting | None:
    """An account without what is not its own: others' packets, and counters of shared ports."""
    if accounting is None:
        return None
    others = {"foreign": 0, "altered": 0, "strange": 0}
    return replace(accounting, mismatch={}, **others)
