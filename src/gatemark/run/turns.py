# SPDX-License-Identifier: Apache-2.0
"""Several arms at the same time, each on its own gateway, with interleaved traffic.

    gateway a  |####|    |    |####|    |    |####          #: packets come
    gateway b  |    |####|    |    |####|    |    |
    gateway c  |    |    |####|    |    |####|    |

Disturbances on a shared machine last tens of milliseconds: a neighbour on the core's other thread,
or one that fills the shared cache. A round of turns is about as short, so a disturbance meets all
arms and cancels out of the difference of two arms. One after the other, they would not.

A gateway works off its queue in the rest at a turn's end, or in the next arm's turn. So the time of
a packet is all the time that the gateway worked, divided by all packets that it delivered. A rate
is over the longest of three times: the sending part of its turns, the sender's CPU time, and the
time that the gateway worked.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from gatemark.kind.udp.result import on_each_layer
from gatemark.plan.model import TrialSpec, Turn
from gatemark.probe.threads import busiest
from gatemark.run import program
from gatemark.run.raw import Raw
from gatemark.station.thread import Thread
from gatemark.store.record import Accounting, CpuReading

REST: Final = 0.2  # of a turn, at its end: nobody sends (agent/src/time/turn.c)


def round_of(spec: TrialSpec, left: Sequence[TrialSpec]) -> list[TrialSpec]:
    """The trials of a block that are measured together with this one, itself included."""
    if not spec.turn.ms:
        return [spec]
    its = spec.plan, spec.repeat, spec.point, spec.pass_
    return [other for other in left if (other.plan, other.repeat, other.point, other.pass_) == its]


def placed(specs: Sequence[TrialSpec]) -> list[TrialSpec]:
    """The same trials, each with its place among them. A single trial needs none."""
    if len(specs) < 2:
        return list(specs)
    return [
        replace(spec, turn=Turn(ms=spec.turn.ms, of=len(specs), at=at))
        for at, spec in enumerate(specs)
    ]


def sent(spec: TrialSpec) -> TrialSpec:
    """The trial as it is sent: as long as all turns take, so that its own add up to its time."""
    if not spec.turn.of:
        return spec
    load = spec.workload
    return replace(spec, workload=replace(load, duration_s=load.duration_s * spec.turn.of))


class Start:
    """All trials of a round are ready before the first packet of any."""

    def __init__(self, trials: Iterable[TrialSpec]) -> None:
        self._awaited = {spec.trial for spec in trials}
        self._all = asyncio.Event()

    async def wait(self, spec: TrialSpec) -> None:
        """Report a trial as ready, and go on when all others are."""
        self.leave(spec)
        await self._all.wait()

    def leave(self, spec: TrialSpec) -> None:
        """Stop waiting for a trial; its turns stay empty if it ended before its start."""
        self._awaited.discard(spec.trial)
        if not self._awaited:
            self._all.set()


def values(
    spec: TrialSpec, raw: Raw, threads: Mapping[str, Thread], accounting: Accounting | None
) -> dict[str, float]:
    """Rates in its own turns, and the time of a packet; nothing for a trial that ran alone."""
    turn, load = spec.turn, spec.workload
    if not turn.of or accounting is None:
        return {}
    busy_ns = _busy_ns(raw, threads) if threads and spec.arm.path != "direct" else 0.0
    own_s = max(_sending_ns(raw, turn), busy_ns) / 1e9
    values = {
        "offered_pps": accounting.tried / own_s,
        **on_each_layer(accounting.unique / own_s, load),
    }
    if busy_ns:
        values["cpu_busy"] = busy_ns / (own_s * 1e9)
        if accounting.unique:
            values["packet_ns"] = busy_ns / accounting.unique
    return values


def own_share(readings: Sequence[CpuReading], turn: Turn) -> tuple[CpuReading, ...]:
    """The gateway's CPU as a share of what its turns send in, by which a bottleneck is judged."""
    times = turn.of / (1 - REST)
    return tuple(replace(reading, busy=min(1.0, reading.busy * times)) for reading in readings)


def _sending_ns(raw: Raw, turn: Turn) -> float:
    """The time that it sent: its turns without their rest, or its sender's CPU time if longer."""
    span_ns = max(way.span_ns for way in raw.ways)
    cpu_ns = max(float(way.sender.get("cpu_ns", 0)) for way in raw.ways)
    return max(span_ns / turn.of * (1 - REST), cpu_ns)


def _busy_ns(raw: Raw, threads: Mapping[str, Thread]) -> float:
    """Time that the gateway's busiest CPU worked: its threads, and the programs beside them."""
    readings = []
    for thread in threads.values():
        if not thread.carries:
            run_ns = raw.threads["threads"][str(thread.pid)]["run_ns"]
            worked_ns = run_ns[-1] - run_ns[0]
            readings.append(CpuReading(thread=thread.name, cpu=thread.cpu, busy=worked_ns))
    cpu = next((thread.cpu for thread in threads.values()), None)
    return busiest([*readings, *program.cpu(program.readings(raw.programs, 1), cpu)])
