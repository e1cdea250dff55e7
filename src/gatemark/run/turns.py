# SPDX-License-Identifier: Apache-2.0
"""Arms at once, each on a gateway of its own, that are sent to in turns.

    gateway a  |####|    |    |####|    |    |####          #: packets come
    gateway b  |    |####|    |    |####|    |    |
    gateway c  |    |    |####|    |    |####|    |

What disturbs a machine that others use as well lasts tens of milliseconds: a neighbour on the
core's other thread, one that fills the shared cache. It meets all arms alike where a round of turns
is shorter than that, and so goes out of the difference of two arms. One after the other, each arm
would meet a weather of its own.

A gateway works off what its queue holds in the turn of the next one, so a packet's time is all
that the gateway worked for all packets that it delivered, and no share of any span.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from gatemark.plan.model import TrialSpec, Turn
from gatemark.probe.threads import busiest
from gatemark.run import program
from gatemark.run.raw import Raw
from gatemark.run.result.udp import on_each_layer
from gatemark.station.thread import Thread
from gatemark.store.record import Accounting, CpuReading


def round_of(spec: TrialSpec, left: Sequence[TrialSpec]) -> list[TrialSpec]:
    """The trials of a block that can be measured together with one; itself alone where none can."""
    if not spec.turn.ms:
        return [spec]
    its = spec.plan, spec.repeat, spec.point, spec.pass_
    return [other for other in left if (other.plan, other.repeat, other.point, other.pass_) == its]


def placed(specs: Sequence[TrialSpec]) -> list[TrialSpec]:
    """The same, each with its place among them. One alone needs none."""
    if len(specs) < 2:
        return list(specs)
    return [
        replace(spec, turn=Turn(ms=spec.turn.ms, of=len(specs), at=at))
        for at, spec in enumerate(specs)
    ]


def sent(spec: TrialSpec) -> TrialSpec:
    """As it is sent: for as long as the turns of all take, so that its own add up to its time."""
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
        """It is ready: go on when all are that will be."""
        self.leave(spec)
        await self._all.wait()

    def leave(self, spec: TrialSpec) -> None:
        """Nobody waits for it any more; its turns are nobody's if it ended before its start."""
        self._awaited.discard(spec.trial)
        if not self._awaited:
            self._all.set()


def values(
    spec: TrialSpec, raw: Raw, threads: Mapping[str, Thread], accounting: Accounting | None
) -> dict[str, float]:
    """Rates in its own turns, and what a packet took; nothing for a trial that was alone."""
    turn, load = spec.turn, spec.workload
    if not turn.of or accounting is None:
        return {}
    own_s = max(way.span_ns for way in raw.ways) / 1e9 / turn.of
    values = {
        "offered_pps": accounting.tried / own_s,
        **on_each_layer(accounting.unique / own_s, load),
    }
    if threads and spec.arm.path != "direct":
        busy_ns = _busy_ns(raw, threads)
        values["cpu_busy"] = min(1.0, busy_ns / (own_s * 1e9))
        if accounting.unique:
            values["packet_ns"] = busy_ns / accounting.unique
    return values


def own_share(readings: Sequence[CpuReading], turn: Turn) -> tuple[CpuReading, ...]:
    """The gateway's CPU as a share of its own turns, by which a limit is judged."""
    return tuple(replace(reading, busy=min(1.0, reading.busy * turn.of)) for reading in readings)


def _busy_ns(raw: Raw, threads: Mapping[str, Thread]) -> float:
    """What the gateway's busiest CPU worked in all: its threads, and the programs beside them."""
    readings = []
    for thread in threads.values():
        if not thread.carries:
            run_ns = raw.threads["threads"][str(thread.pid)]["run_ns"]
            worked_ns = run_ns[-1] - run_ns[0]
            readings.append(CpuReading(thread=thread.name, cpu=thread.cpu, busy=worked_ns))
    cpu = next((thread.cpu for thread in threads.values()), None)
    return busiest([*readings, *program.cpu(program.readings(raw.programs, 1), cpu)])
