# SPDX-License-Identifier: Apache-2.0
"""The threads of the gateway that were ready to run and got no CPU, and who had it.

The scheduler books a wait when it ends (`run_delay`, the second number of /proc/PID/schedstat), so
a thread that waits now is found by its state: R, with run time and switches unchanged. Who had the
CPU is whose CPU time (utime and stime of proc_pid_stat(5), in ticks) rose most.
"""

import asyncio
import itertools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from gatemark.node import leftover
from gatemark.probe.window import Report
from gatemark.station import blocking
from gatemark.station.napi import FIFO_PRIORITY, NapiThread
from gatemark.station.thread import Thread
from gatemark.store.record import Starved

AT_ONCE_MS = 20.0  # a wait so long fills a queue of 256 packets at 13 k packets/s
SHARE = 0.02  # of the trial
LOOKS, LOOK_S = 2, 0.05  # while a thread is ready: how often, and how far apart
TICK_MS = 10  # USER_HZ is 100
ROW_BYTES = 1024  # of proc_pid_stat(5): 52 numbers and a name of 15 bytes
KTHREADD = 2  # the parent of the kernel's own threads: they are the gateway's work
POLICIES = {0: "OTHER", 1: "FIFO", 2: "RR", 3: "BATCH", 5: "IDLE", 6: "DEADLINE"}
REAL_TIME = (1, 2, 6)


@dataclass(frozen=True, slots=True)
class Task:
    """A thread of a program of this machine."""

    pid: int
    name: str
    began: int
    ticks: int
    cpu: int
    policy: int
    priority: int  # real-time

    @property
    def words(self) -> str:
        """The thread in words: `hog (pid 812, FIFO 60)`."""
        rank = f" {self.priority}" if self.policy in REAL_TIME else ""
        return f"{self.name} (pid {self.pid}, {POLICIES.get(self.policy, '?')}{rank})"

    @property
    def outranks(self) -> bool:
        """Return whether the gateway's threads cannot get its CPU while it has it."""
        return self.policy in REAL_TIME and (self.policy == 6 or self.priority >= FIFO_PRIORITY)


@dataclass(frozen=True, slots=True)
class Hogs:
    """Threads that used the gateway's CPU in a trial, most first, in ms; those that wait."""

    used: Sequence[tuple[Task, int]] = ()
    own: frozenset[int] = frozenset()  # pids of the arm's programs
    waiting: Mapping[str, float] = field(default_factory=dict)  # thread -> ms, at least


class Starving:
    """Watches the CPU of the gateway's threads; nothing where they have none of their own."""

    def __init__(
        self, threads: Mapping[str, Thread], supervisors: Callable[[], Sequence[int]]
    ) -> None:
        self._threads = [
            thread
            for thread in threads.values()
            if isinstance(thread, NapiThread) and thread.cpu is not None
        ]
        self._supervisors = supervisors
        self._before: Mapping[tuple[int, int], Task] = {}

    async def start(self) -> None:
        """Read who is there."""
        if self._threads:
            self._before = await blocking.run(tasks)

    async def stop(self) -> Hogs:
        """The threads that used the CPU since."""
        if not self._threads:
            return Hogs()
        waiting = {thread.name: await _waits_ms(thread.pid) for thread in self._threads}
        after = await blocking.run(tasks)
        used = [(task, _rose_ms(task, self._before)) for task in after.values()]
        cpus = {thread.cpu for thread in self._threads}
        used = [row for row in used if row[1] and row[0].cpu in cpus]
        used.sort(key=lambda row: -row[1])
        own = frozenset(pid for boss in self._supervisors() for pid in leftover.processes(boss))
        return Hogs(used, own if used else frozenset(), {n: ms for n, ms in waiting.items() if ms})

    async def abort(self) -> None:
        """Nothing of it goes on."""


def judge(hogs: Hogs, report: Report, threads: Iterable[Thread]) -> Starved | None:
    """The thread that waited most, if that was too long."""
    rows = [
        row
        for thread in threads
        if isinstance(thread, NapiThread) and thread.cpu is not None
        for row in [_waited(thread, hogs, report)]
        if row.longest_ms >= AT_ONCE_MS or row.share >= SHARE
    ]
    if not rows:
        return None
    # What outranks the thread is named before what only ran beside it.
    ranked = sorted(hogs.used, key=lambda row: not row[0].outranks)
    worst = max(rows, key=lambda row: row.longest_ms)
    if not ranked:
        return worst
    task, used_ms = ranked[0]
    own = task.pid in hogs.own
    return Starved(
        thread=worst.thread,
        longest_ms=worst.longest_ms,
        share=worst.share,
        who=task.words,
        used_ms=used_ms,
        own=own,
        foreign=task.outranks and not own,
    )


def _waited(thread: Thread, hogs: Hogs, report: Report) -> Starved:
    times = report["t_ns"]
    waited_ns = report["threads"][str(thread.pid)]["wait_ns"]
    steps = [after - before for before, after in itertools.pairwise(waited_ns)]
    span_ns = max(1, times[-1] - times[0]) if times else 1
    now_ms = hogs.waiting.get(thread.name, 0.0)
    return Starved(
        thread=thread.name,
        longest_ms=max([ns / 1e6 for ns in steps] + [now_ms]),
        share=sum(steps) / span_ns,
    )


def tasks() -> dict[tuple[int, int], Task]:
    """All threads of programs of this machine, by pid and time of start."""
    seen: dict[tuple[int, int], Task] = {}
    for process in Path("/proc").iterdir():
        rows = [_task(f"{process}/stat")] if process.name.isdigit() else [None]
        if rows[0] and rows[0][1] > 1:
            with suppress(OSError):  # it has ended since
                rows = [_task(f"{thread}/stat") for thread in (process / "task").iterdir()]
        seen.update({(row[0].pid, row[0].began): row[0] for row in rows if row})
    return seen


def _task(path: str) -> tuple[Task, int] | None:
    """A row of proc_pid_stat(5), with how many threads its process has.

    There are hundreds, twice a trial: they are read without buffers or texts.
    """
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        start, _, rest = os.read(file, ROW_BYTES).rpartition(b") ")
    except OSError:
        return None
    finally:
        os.close(file)
    fields = rest.split(b" ", 40)  # from the third on, the state
    if int(fields[1]) in (0, KTHREADD):
        return None
    pid, _, name = start.partition(b" (")
    ticks, rank = int(fields[11]) + int(fields[12]), (int(fields[38]), int(fields[37]))
    text = name.decode(errors="replace")
    return Task(int(pid), text, int(fields[19]), ticks, int(fields[36]), *rank), int(fields[17])


def _rose_ms(task: Task, before: Mapping[tuple[int, int], Task]) -> int:
    was = before.get((task.pid, task.began))
    return (task.ticks - (was.ticks if was else 0)) * TICK_MS


async def _waits_ms(pid: int) -> float:
    """Return the time that a thread has waited for its CPU just now, ms."""
    books = _books(pid)
    for _ in range(LOOKS):
        if not waits(pid) or _books(pid) != books:
            return 0.0
        await asyncio.sleep(LOOK_S)
    return LOOKS * LOOK_S * 1e3 if waits(pid) and _books(pid) == books else 0.0


def waits(pid: int) -> bool:
    """Return whether a thread is ready to run, or runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("R")
    except OSError:
        return False


def _books(pid: int) -> tuple[str, str]:
    """Run time and switches; the wait between them is not booked before it ends."""
    try:
        run_ns, _, slices = Path(f"/proc/{pid}/schedstat").read_text().split()
    except (OSError, ValueError):
        return "", ""
    return run_ns, slices
