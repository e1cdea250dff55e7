# SPDX-License-Identifier: Apache-2.0
"""The programs that run on the gateway beside the traffic of a trial.

Their order in a trial (Reggani and others, section 4): they start when the gateway is set and
watched; the traffic is sent; they read what their buffers hold; they are ended, and each end is
verified.
"""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from gatemark.gateway import far
from gatemark.gateway.feature import Wanted, running
from gatemark.gateway.program import BEGINS, OFFLOADED, OVER, WAITS, Program
from gatemark.gateway.supervisor import End, Supervised, Use
from gatemark.node import file
from gatemark.node.quoted import literal, sh
from gatemark.node.reader import reader
from gatemark.node.shell import Here, LocalProcess, Node
from gatemark.plan.feature import parts, programs
from gatemark.plan.model import Arm, Command, TrialSpec
from gatemark.station.station import Station
from gatemark.station.wiring import Gateway
from gatemark.store.record import Action, CpuReading, ProgramReading

DEV = "/proc/net/dev"
# Columns after the name (net/core/net-procfs.c): packets that a port received, sent, and was given
# to send and dropped. A packet socket sees the last ones too: it is asked before the driver.
CROSSED = (1, 9, 11)
# On a CPU, in the class and at the niceness that programs have by themselves, whatever is above.
ON_CPU = literal('{ chrt -o -p 0 $$; renice 0 -p $$; } > /dev/null 2>&1; exec taskset -c "$0" "$@"')
# Who is to end them has the tester's CPU, before whatever else is on it: theirs may be taken for
# good. It sleeps while packets are sent. An ordinary user may not and goes on without the class.
APART = literal('chrt -f -p 1 $$ > /dev/null 2>&1; exec taskset -c "$0" "$@"')
LAST_WORDS = 400  # characters of a program's last words that a record keeps


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
        self.programs = list(wanted(station.gateway, spec.arm, spec.commands, _far(station)))
        # A namespace's programs go where its threads forward; niceness is that of any program, so
        # forwarding goes before them, as a kernel's softirq does.
        on_cpu = isinstance(station.gateway.node, Here)
        cpu = str(station.placement.gateway)
        self.first = sh(ON_CPU, cpu) if on_cpu else ()
        self.apart = sh(APART, str(station.placement.sink)) if on_cpu else ()
        self._running: list[Supervised] = []
        self._before: list[Use] = []
        self._counted: dict[str, int] = {}

    @property
    def supervisors(self) -> list[int]:
        """Pids of those who watch over them, where they are of this machine."""
        processes = (child.process for child in self._running)
        return [process.pid for process in processes if isinstance(process, LocalProcess)]

    async def start(self) -> None:
        """Start them, and read what they and the port count before the traffic.

        Raises UnavailableError, NodeError.
        """
        for program in self.programs:
            ready = await placed(self.gateway.node, program)
            self._running.append(
                await Supervised.start(self.gateway.node, ready, self.first, self.apart)
            )
        self._before = [await child.look() for child in self._running]
        self._counted = await self._count()

    async def goes(self) -> None:
        """Have those that wait for the traffic know that it begins. Raises NodeError."""
        for child in self._running:
            await child.goes()

    async def stop(self) -> list[Ran]:
        """Let them read the rest, then end them. Raises GatemarkError if one had ended before."""
        await asyncio.sleep(max((program.settle_s for program in self.programs), default=0.0))
        after = [await child.look() for child in self._running]
        counted = await self._count()
        for child in self._running:
            await child.question()
        ends = [await child.end() for child in self._running]
        running, self._running = self._running, []
        for child, ended in zip(running, ends, strict=True):
            child.require_lasted(ended)
        rows = zip(running, self._before, after, ends, strict=True)
        return [
            Ran(
                child.program,
                before,
                after,
                counted[child.program.device] - self._counted[child.program.device]
                if child.program.device
                else None,
                ended,
            )
            for child, before, after, ended in rows
        ]

    async def abort(self) -> None:
        """End them, whatever they do. Raises StuckError if one could not be ended."""
        running, self._running = self._running, []
        async with AsyncExitStack() as stack:
            for child in running:
                stack.push_async_callback(child.abort)

    async def _count(self) -> dict[str, int]:
        """Packets at each port that a program listens at."""
        devices = {program.device for program in self.programs if program.device}
        if not devices:
            return {}
        return crossed(await self.gateway.run("cat", DEV), devices)


@reader("/proc/net/dev")
def crossed(text: str, devices: Collection[str]) -> dict[str, int]:
    """Packets that crossed each of these devices, in and out."""
    rows = (line.partition(":") for line in text.splitlines())
    return {
        name.strip(): sum(int(row.split()[place]) for place in CROSSED)
        for name, _, row in rows
        if name.strip() in devices
    }


def _far(station: Station) -> str:
    """The WAN host's address; "" where there is none."""
    port = station.ports.get("wan0")
    return port.address("ipv4") if port else ""


def wanted(
    gateway: Gateway, arm: Arm, commands: Mapping[str, Command], far_host: str = ""
) -> Iterator[Program]:
    """The programs of an arm, by the commands of its plan; `far_host`: the WAN host's address."""
    for feature in programs(arm.features):
        name, options = parts(feature)
        asked = Wanted(far.linked(gateway, arm), arm.path, feature, options, commands)
        yield running(name).program(replace(asked, far=far_host) if far_host else asked)


async def placed(node: Node, program: Program) -> Program:
    """The same with what it needs of ours put on the gateway. Raises GatemarkError."""
    if program.agent:
        path = await node.agent(program.agent)
        return replace(program, command=(path, program.agent, *program.command))
    there = {str(each): await file.path(node, each) for each in program.files}
    words = tuple(there.get(word, word) for word in program.command)
    if program.classifies:
        words = (await file.classifier(node), *words)
    return replace(program, command=words)


def readings(ran: Sequence[Ran], span_ns: int) -> tuple[ProgramReading, ...]:
    """What they counted and used; CPU time as a share of one CPU while packets were sent."""
    return tuple(_reading(each, max(1, span_ns)) for each in ran)


def _reading(ran: Ran, span_ns: int) -> ProgramReading:
    user = ran.after.user_ns - ran.before.user_ns
    system = ran.after.system_ns - ran.before.system_ns
    run = ran.after.run_ns - ran.before.run_ns
    words = ran.end.last_words.strip()
    return ProgramReading(
        program=ran.program.name,
        command=" ".join(ran.program.command),
        device=ran.program.device,
        counters=dict(ran.program.counters(ran.end.last_words)),
        crossed=ran.crossed,
        cpu=max(run, 0 if run else user + system) / span_ns,
        cpu_user=user / span_ns,
        cpu_system=system / span_ns,
        memory_bytes=max(ran.before.most_bytes, ran.after.most_bytes),
        processes=ran.after.processes,
        ended=ran.end.by,
        exit_code=ran.end.code,
        left=ran.end.left,
        last_words=words[-LAST_WORDS:],
        action=_action(words),
    )


def _action(words: str) -> Action:
    """Return how far it came with what it was there to do."""
    if OVER in words:
        return "over"
    if BEGINS in words:
        return "begun"
    return "due" if WAITS in words else ""


def values(read: Sequence[ProgramReading]) -> dict[str, float]:
    """Values of the trial: the CPU of all programs, and the share that the first one captured."""
    values = {"program_cpu": sum(reading.cpu for reading in read)} if read else {}
    for reading in read:
        if reading.crossed and "captured" in reading.counters:
            return values | {"captured_share": reading.counters["captured"] / reading.crossed}
    return values


def cpu(read: Sequence[ProgramReading], core: int | None) -> Iterator[CpuReading]:
    """The load of each program, which runs on the CPU of the gateway's threads."""
    for reading in read:
        yield CpuReading(thread=reading.program, cpu=core, busy=reading.cpu)


def notes(read: Sequence[ProgramReading]) -> Iterator[str]:
    """A note on each program that did not end when it was asked to, or that flows went past."""
    for reading in read:
        if reading.ended == "kill":
            yield f"{reading.program} did not end by SIGTERM: SIGKILL ended it"
        if reading.left:
            yield f"{reading.program}: {reading.left} of its processes could not be ended"
        if count := reading.counters.get(OFFLOADED):
            yield (
                f"{reading.program}: a flow table forwarded up to {count} flows at a time, which "
                "pass no rule at the forward hook"
            )
