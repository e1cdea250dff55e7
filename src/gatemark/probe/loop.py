# SPDX-License-Identifier: Apache-2.0
"""Read files on a gateway again and again where no agent may run: a shell loop, one connection.

A sample costs the gateway two processes, `grep` and `sleep`; the clock is read by the shell
itself. Times are the gateway's own (/proc/uptime, steps of 10 ms), moved to this machine's clock
by the sample that came with the least delay. The loop ends when its pipe does.
"""

import asyncio
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from gatemark.error import NodeError
from gatemark.node.agent import ANSWER_S
from gatemark.node.quoted import literal, sh, shell
from gatemark.node.reader import Printed, reader
from gatemark.node.shell import Node, Process

INTERVAL_S = 1  # whole seconds: OpenWrt's busybox knows no others; why one: docs/decisions.md
MARK = "@@"
WHOLE = "@."  # after a sample: one that the end of the loop cut has none
OWN = literal("/proc/$$/stat")  # what the loop itself costs
OWN_FILE = re.compile(r"/proc/\d+/stat")  # how it comes back; the last sample is of another shell
TICK_NS = 10_000_000  # USER_HZ is 100 (proc_stat(5)) on every processor that we know

# grep names the file in front of each line, so what comes needs no other order.
ONCE = (
    f"read -r up _ < /proc/uptime; echo '{MARK}' $up; "
    f"grep -E {{pattern}} {{files}} 2> /dev/null; echo '{WHOLE}'"
)
LOOP = "while {once}; do sleep {interval} || exit; done"


@dataclass(slots=True)
class Sample:
    """A sample of one time: lines by file."""

    t_ns: int  # this machine's CLOCK_MONOTONIC
    lines: dict[str, list[str]] = field(default_factory=dict)


class Loop:
    """The files of `start` are read from then on until `stop`, and once more at the end."""

    def __init__(self, node: Node, files: Iterable[str], patterns: Iterable[str]) -> None:
        """`files` are paths, or a Script where the shell is to look for them."""
        self.node = node
        pattern = "|".join((*patterns, r"^[0-9]+ \("))
        self._once = shell(ONCE, pattern=pattern, files=(OWN, *files))
        self._process: Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._read: list[tuple[int, str]] = []  # arrival, line

    async def start(self) -> None:
        """Begin, and wait for the first sample to begin. Raises NodeError."""
        loop = shell(LOOP, once=self._once, interval=INTERVAL_S)
        self._process = process = await self.node.start(*sh(loop))
        try:
            first = await asyncio.wait_for(process.line(), ANSWER_S)
        except TimeoutError:
            first = b""
        if not first:
            await self.abort()
            raise NodeError(f"{self.node.name}: the shell loop of the probes does not run there")
        self._keep(first)
        self._reader = asyncio.create_task(self._collect(process))

    async def stop(self) -> list[Sample]:
        """Read once more, end, and return all samples. Raises NodeError if the gateway is lost."""
        text = await self.node.run(*sh(self._once))
        last = [(time.monotonic_ns(), line) for line in text.splitlines()]
        await self.abort()
        return samples([*self._read, *last])

    async def abort(self) -> None:
        """End it, whatever it does."""
        if self._reader:
            self._reader.cancel()
            with suppress(asyncio.CancelledError, NodeError):
                await self._reader
        if self._process:
            self._process.close_stdin()
            self._process.kill()
            await self._process.wait()
        self._process = self._reader = None

    async def _collect(self, process: Process) -> None:
        while line := await process.line():
            self._keep(line)

    def _keep(self, line: bytes) -> None:
        text = Printed.by(self.node.name, line.decode(errors="replace").rstrip("\n"))
        self._read.append((time.monotonic_ns(), text))


@reader("what the shell loop of the probes read")
def samples(read: Sequence[tuple[int, str]]) -> list[Sample]:
    """Whole samples of what arrived, with its times of arrival in ns."""
    marks = [(at, _uptime_ns(line)) for at, line in read if line.startswith(f"{MARK} ")]
    if not marks:
        return []
    ahead_ns = min(at - up for at, up in marks)
    whole: list[Sample] = []
    current = Sample(0)
    for _, line in read:
        if line.startswith(f"{MARK} "):
            current = Sample(_uptime_ns(line) + ahead_ns)
        elif line == WHOLE:
            whole.append(current)
        elif (file := line.partition(":"))[1]:
            current.lines.setdefault(file[0], []).append(file[2])
    return whole


@reader("what the shell loop of the probes read of itself")
def cost_ns(samples: Sequence[Sample]) -> tuple[int, int]:
    """CPU time of the loop and its commands, and the time that it was counted over."""
    own = next(
        (file for sample in samples for file in sample.lines if OWN_FILE.fullmatch(file)), ""
    )
    spent = [
        (sample.t_ns, _spent(sample.lines[own][0])) for sample in samples if own in sample.lines
    ]
    if len(spent) < 2:
        return 0, 0
    return (spent[-1][1] - spent[0][1]) * TICK_NS, spent[-1][0] - spent[0][0]


def _spent(stat: str) -> int:
    """Ticks of a process and of its children that ended: fields 14 to 17 of proc_pid_stat(5)."""
    return sum(int(word) for word in stat.rpartition(") ")[2].split()[11:15])


def _uptime_ns(line: str) -> int:
    return round(float(line.split()[1]) * 1e9)
