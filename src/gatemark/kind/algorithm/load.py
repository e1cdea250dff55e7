# SPDX-License-Identifier: Apache-2.0
"""A kernel of gm-algorithms on the gateway's own processor: nothing is sent.

    put there     |--- program and input files, each verified ---|
    ready                                                         |
    runs                                    |- builds -|- warms up -|- repeats -|- digest -|
    reported                                                    a line of JSON for each record

The program times itself (algorithms/src/program/timing.h) and reports what it did as a digest of
all results. What it prints is kept whole.

On a gateway that counts instructions each phase runs once more, a few passes of it between marks
that the emulator sees. What is counted is between them alone: instructions of programs, and misses
of the data caches that they are given.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from gatemark.error import GatemarkError, InvalidTrialError, NodeError, UnavailableError
from gatemark.kind.algorithm import coremark, payload
from gatemark.kind.algorithm.coremark import CoreMark
from gatemark.kind.algorithm.onboard import placed, reported
from gatemark.kind.algorithm.plan import PASSES, lasts_s
from gatemark.node import file
from gatemark.node.agent import Tick
from gatemark.node.binary import kernels_path
from gatemark.node.reader import Printed, reader
from gatemark.node.shell import Node, Process
from gatemark.plan.exact import COUNTS, KERNELS
from gatemark.plan.model import Factor, TrialSpec, Workload
from gatemark.plan.words import COREMARK, FILES, text
from gatemark.station.counting import Counting
from gatemark.station.station import Station
from gatemark.station.wiring import Wire
from gatemark.workload.way import Drained, Load, Way

PROGRAM: Final = "gm-algorithms"
LONGEST_S: Final = 900.0  # an emulated MIPS builds a full table for minutes
LEAST_S: Final = 60.0
SLOWER: Final = 20.0  # times what a plan expects
PAYLOAD: Final = "payload"  # a word: captures, or what is made here
COUNTED_PASSES: Final = 4
# In a record, for each operation, with the phase before: insert_instructions. Of the counter's.
EACH: Final = ("instructions", "accesses", "l1_misses", "l2_misses")
OPERATIONS: Final = "operations"  # ends a phase's number of operations
BY_KERNEL: Final = ("aead",)  # primitives that the kernel computes, which no program's count sees
SKIPPED: Final = "skipped"  # in a record, or before last words: no memory for the structure


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one program. Raises UnavailableError where it is not built for the processor."""
    (wire,) = ways
    if spec.workload.command == COREMARK:
        return [CoreMark(station, wire, spec.workload)]
    return [Kernel(station, wire, spec.workload, counted=COUNTS in spec.probes)]


async def built(station: Station, load: Workload) -> None:
    """Build the program for the gateway's processor, which takes minutes where it is not there.

    Raises GatemarkError.
    """
    node: Node = station.gateway.node
    if load.command == COREMARK:
        await coremark.built(node, load)
    else:
        await asyncio.to_thread(kernels_path, await file.arch(node), load.level)


class Kernel:
    """A command of gm-algorithms in one trial."""

    def __init__(
        self, station: Station, wire: Wire, load: Workload, *, counted: bool = False
    ) -> None:
        self.wire = wire
        self.load = load
        self.node: Node = station.gateway.node
        self.first = placed(station, load.instances)
        is_seen = load.command in KERNELS and load.words.get("primitive") not in BY_KERNEL
        self.counting = station.counting if counted and is_seen else None
        self._command: tuple[str, ...] = ()
        self._process: Process | None = None

    async def ready(self) -> Self:
        """Put program and input there. Raises GatemarkError."""
        program = await file.kernels(self.node, self.load.level)
        words = [f"{key}={await self._word(key, value)}" for key, value in self.load.words.items()]
        instances = f"instances={self.load.instances}"
        self._command = (*self.first, program, self.load.command, *words, instances)
        return self

    def _marked(self, phase: int) -> tuple[str, ...]:
        """The command with few passes and marks around those of a phase, the first being 1."""
        kept = [word for word in self._command if word.partition("=")[0] not in PASSES]
        return (*kept, f"repeats={COUNTED_PASSES}", "pass_ms=0", f"marks={phase}")

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Run it to its end; its records are the sender's report."""
        del drained, tick
        t0_ns = time.monotonic_ns()
        longest_s = min(LONGEST_S, LEAST_S + SLOWER * lasts_s(self.load))
        try:
            async with asyncio.timeout(longest_s):
                records = await self._records(self._command)
                if self.counting:
                    records[0] |= await self._counted(self.counting, records[0])
        except TimeoutError:
            late = f"{PROGRAM} {self.load.command} did not end in {longest_s:g} s"
            raise NodeError(f"{self.node.name}: {late}") from None
        return reported(self.wire, (t0_ns, time.monotonic_ns()), records, PROGRAM)

    async def abort(self) -> None:
        """End it, with its instances."""
        if process := self._process:
            process.close_stdin()
            process.kill()
            await process.wait()

    async def _word(self, key: str, value: Factor) -> str:
        """A word as the gateway reads it: a file is there by another name."""
        made = await asyncio.to_thread(payload.file, text(value)) if key == PAYLOAD else None
        if made or (key in FILES and "/" in str(value)):
            return await file.path(self.node, made or Path(str(value)))
        return text(value)

    async def _counted(self, counting: Counting, first: dict[str, Any]) -> dict[str, float]:
        """Return what an operation of each phase takes, by name."""
        each: dict[str, float] = {}
        for number, phase in enumerate(_phases(first), 1):
            counting.counter().unmark()
            before = counting.counter().region()
            records = await self._records(self._marked(number))
            after = counting.counter().region()
            operations = sum(_operations(record, phase) for record in records)
            if after["open"] or after["instructions"] == before["instructions"]:
                raise InvalidTrialError(f"{PROGRAM} ended without the marks of what is counted")
            each |= {
                f"{phase}{name}": (after[name] - before[name]) / (COUNTED_PASSES * operations)
                for name in EACH[: 3 + (":" in counting.data)]
            }
        return each

    async def _records(self, command: Sequence[str]) -> list[dict[str, Any]]:
        process = self._process = await self.node.start(*command)
        process.close_stdin()
        records = []
        while line := await process.line():
            text_ = line.decode(errors="replace")
            record = _read(Printed.by(self.node.name, text_))
            if SKIPPED in record:
                raise UnavailableError(f"{self.node.name}: {record[SKIPPED]}")
            records.append(record)
        if code := await process.wait():
            raise _failure(self.node, code, await process.errors())
        self._process = None
        if len(records) < self.load.instances:
            raise InvalidTrialError(f"{len(records)} of {self.load.instances} instances reported")
        return records


def _phases(record: dict[str, Any]) -> list[str]:
    """Return the prefixes of the phases' numbers: "insert_"; "" where there is but one phase."""
    return [name.removesuffix(OPERATIONS) for name in record if name.endswith(OPERATIONS)]


@reader("how many operations a pass of gm-algorithms has")
def _operations(record: dict[str, Any], phase: str) -> int:
    """Return the operations of one pass."""
    return int(record[f"{phase}{OPERATIONS}"])


@reader("a record of gm-algorithms")
def _read(line: str) -> dict[str, Any]:
    """A line of JSON: an object of names, numbers and lists of numbers."""
    return msgspec.json.decode(line.encode(), type=dict[str, str | int | float | list[float]])


def _failure(node: Node, code: int, errors: str) -> GatemarkError:
    """Why the program ended without a record, in its own last words; mute where it was killed."""
    mute = f"it ended without a word (exit code {code}): was there enough memory?"
    last = next(iter(errors.strip().splitlines()[::-1]), mute)
    words = last.removeprefix(f"{PROGRAM}: ")
    if words.startswith(f"{SKIPPED}: "):
        return UnavailableError(f"{node.name}: {words.removeprefix(f'{SKIPPED}: ')}")
    return NodeError(f"{node.name}: {PROGRAM}: {words}", errors)
