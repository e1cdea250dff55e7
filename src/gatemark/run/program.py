# SPDX-License-Identifier: Apache-2.0
"""The programs that run on the gateway beside the traffic of a trial.

In the order of a trial's life (Reggani and others, section 4): they are started when the gateway
is set and watched, the traffic is sent, they read what their buffers hold, then they are ended,
each of them seen to have ended.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatemark.gateway import far
from gatemark.gateway.feature import RUNNING, Wanted
from gatemark.gateway.program import Program
from gatemark.gateway.supervisor import End, Supervised, Use
from gatemark.node.shell import Here
from gatemark.plan.feature import parts
from gatemark.plan.model import TrialSpec, programs
from gatemark.station.station import Station
from gatemark.station.wiring import Gateway
from gatemark.store.record import CpuReading, ProgramReading

DEV = "/proc/net/dev"
# Columns after the name (net/core/net-procfs.c): packets that a port received, sent, and was given
# to send and dropped. A packet socket sees the last ones too: it is asked before the driver.
CROSSED = (1, 9, 11)
# On a CPU, at the niceness that programs have by themselves, whatever the laboratory's own is.
ON_CPU = 'renice 0 -p $$ > /dev/null 2>&1; exec taskset -c "$0" "$@"'
SAID = 400  # characters of a program's last words that a record keeps


@dataclass(frozen=True, slots=True)
class Ran:
    """One program in one trial."""

    program: Program
    before: Use
    after: Use
    crossed: int | None  # packets at the port that it listens at, meanwhile
    end: End


class Programs:
    """The programs of one trial."""

    def __init__(self, station: Station, spec: TrialSpec) -> None:
        self.gateway = station.gateway
        self.programs = list(wanted(station.gateway, spec))
        # A namespace's programs go where its threads forward; niceness is that of any program, so
        # forwarding goes before them, as a kernel's softirq does.
        on_cpu = isinstance(station.gateway.node, Here)
        cpu = str(station.placement.gateway)
        self.first = ("sh", "-c", ON_CPU, cpu) if on_cpu else ()
        self._running: list[Supervised] = []
        self._before: list[Use] = []
        self._counted: dict[str, int] = {}

    async def start(self) -> None:
        """Start them, and read what they and the port count before the traffic.

        Raises UnavailableError, NodeError.
        """
        for program in self.programs:
            self._running.append(
                await Supervised.start(self.gateway.node, program, first=self.first)
            )
        self._before = [await one.look() for one in self._running]
        self._counted = await self._count()

    async def stop(self) -> list[Ran]:
        """Let them read the rest, and end them. Raises GatemarkError if one had ended by itself."""
        await asyncio.sleep(max((program.settle_s for program in self.programs), default=0.0))
        after = [await one.look() for one in self._running]
        counted = await self._count()
        for one in self._running:
            await one.question()
        ends = [await one.end() for one in self._running]
        running, self._running = self._running, []
        for one, ended in zip(running, ends, strict=True):
            one.require_lasted(ended)
        rows = zip(running, self._before, after, ends, strict=True)
        return [
            Ran(
                one.program,
                before,
                after,
                counted[one.program.device] - self._counted[one.program.device]
                if one.program.device
                else None,
                ended,
            )
            for one, before, after, ended in rows
        ]

    async def abort(self) -> None:
        """End them, whatever they do."""
        running, self._running = self._running, []
        for one in running:
            await one.abort()

    async def _count(self) -> dict[str, int]:
        """Packets at each port that one of them listens at."""
        devices = {program.device for program in self.programs if program.device}
        if not devices:
            return {}
        rows = (line.partition(":") for line in (await self.gateway.run("cat", DEV)).splitlines())
        return {
            name.strip(): sum(int(row.split()[place]) for place in CROSSED)
            for name, _, row in rows
            if name.strip() in devices
        }


def wanted(gateway: Gateway, spec: TrialSpec) -> Iterator[Program]:
    """The programs of a trial's arm."""
    for feature in programs(spec.arm.features):
        name, said = parts(feature)
        asked = Wanted(far.linked(gateway, spec.arm), spec.arm.path, feature, said, spec.commands)
        yield RUNNING[name].program(asked)


def readings(ran: Sequence[Ran], span_ns: int) -> tuple[ProgramReading, ...]:
    """What they counted and used, the CPU as a share of one over the time that was sent."""
    return tuple(_reading(one, max(1, span_ns)) for one in ran)


def _reading(one: Ran, span_ns: int) -> ProgramReading:
    user = one.after.user_ns - one.before.user_ns
    system = one.after.system_ns - one.before.system_ns
    run = one.after.run_ns - one.before.run_ns
    said = one.end.said.strip()
    return ProgramReading(
        program=one.program.name,
        command=" ".join(one.program.command),
        device=one.program.device,
        counters=dict(one.program.counters(one.end.said)),
        crossed=one.crossed,
        cpu=max(run, 0 if run else user + system) / span_ns,
        cpu_user=user / span_ns,
        cpu_system=system / span_ns,
        memory_bytes=max(one.before.most_bytes, one.after.most_bytes),
        processes=one.after.processes,
        ended=one.end.by,
        exit_code=one.end.code,
        left=one.end.left,
        said=said[-SAID:],
    )


def values(read: Sequence[ProgramReading]) -> dict[str, float]:
    """Quantities of the trial: their CPU together, and the share that the first of them got."""
    found = {"program_cpu": sum(one.cpu for one in read)} if read else {}
    for one in read:
        if one.crossed and "captured" in one.counters:
            return found | {"captured_share": one.counters["captured"] / one.crossed}
    return found


def cpu(read: Sequence[ProgramReading], core: int | None) -> Iterator[CpuReading]:
    """Where a program is on the CPU of the gateway's threads: its part of that CPU's load."""
    for one in read:
        yield CpuReading(thread=one.program, cpu=core, busy=one.cpu)


def notes(read: Sequence[ProgramReading]) -> Iterator[str]:
    """What is to be said of those that did not end when they were asked to."""
    for one in read:
        if one.ended == "kill":
            yield f"{one.program} did not end by SIGTERM: SIGKILL ended it"
        if one.left:
            yield f"{one.program}: {one.left} of its processes could not be ended"
