# SPDX-License-Identifier: Apache-2.0
"""The tester's own fault: how late a timer of this host comes, how long threads wait for a CPU.

A call that breaks up may be the path's, or this machine's. The programs' own words do not tell: a
browser was seen to call itself not limited while it was (specification of the kind, section 4).
"""

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gatemark.kind.application.carried import carried, rates

PERIOD_S: Final = 0.02
LOOK_EVERY: Final = 25  # periods
NS: Final = 1e9
BRIEF_NS: Final = 3e6  # of a wait, on average: far less than any limit of what is timed
LITTLE: Final = 0.05  # of a CPU


@dataclass(slots=True)
class Thread:
    """A thread's schedstat as it was looked at first, and now: ns used, ns waited, how often."""

    first: tuple[int, int, int]
    now: tuple[int, int, int]

    @property
    def used_ns(self) -> int:
        """Its CPU time."""
        return self.now[0] - self.first[0]

    @property
    def waited_ns(self) -> int:
        """The time that it was ready, and did not run."""
        return self.now[1] - self.first[1]

    def harm_ns(self, span_ns: int) -> int:
        """Return the time that it waited; 0 of one that does little, and waits briefly each time.

        One that wakes 50 times a second has waited 5 % of the time where each is 1 ms late.
        """
        is_brief = self.waited_ns <= BRIEF_NS * (self.now[2] - self.first[2])
        return 0 if is_brief and self.used_ns <= LITTLE * span_ns else self.waited_ns


class Watch(threading.Thread):
    """Runs from `start` to `stop`; what ports carry counts for some seconds alone."""

    def __init__(self, seconds: float) -> None:
        super().__init__(daemon=True)
        self._judged_ns = seconds * NS
        self._rates: dict[str, float] = {}
        self.late_ns: list[int] = []
        self._threads: dict[Path, Thread] = {}
        self._names: dict[Path, str] = {}
        self._over = threading.Event()
        self._began_ns = 0
        self._used_ns = 0
        self._carried = carried()

    def run(self) -> None:
        """Wake each period; look at all threads now and then."""
        self._began_ns = due_ns = time.monotonic_ns()
        self._used_ns = used_ns()
        self._carried = carried()
        self._look(is_first=True)
        while not self._over.is_set():
            due_ns += round(PERIOD_S * NS)
            time.sleep(max(0, due_ns - time.monotonic_ns()) / NS)
            late_ns = time.monotonic_ns() - due_ns
            self.late_ns.append(late_ns)
            if not self._rates and time.monotonic_ns() - self._began_ns >= self._judged_ns:
                self._rates = self._rated()
            if late_ns > PERIOD_S * NS:  # the periods that it slept through are counted once
                due_ns += late_ns
            if len(self.late_ns) % LOOK_EVERY == 0:
                self._look()

    def stop(self) -> dict[str, int | float | str]:
        """End it; returns what it saw.

        late_p99_ns and late_most_ns of the timer; wait_share, of the time, of the thread that
        waited most to its harm, and its name; robbed_ns: the longest wait in which no other thread
        of this host can have run, so others did; cpu_ns of all; pressure: the share of time in
        which some task of this machine waited (avg10 of /proc/pressure/cpu, in %); rx_pps, rx_bps,
        tx_pps, tx_bps of the host's ports.
        """
        self._over.set()
        self.join()
        self._look()
        span_ns = self._span_ns()
        late = sorted(self.late_ns) or [0]
        harm = {path: thread.harm_ns(span_ns) for path, thread in self._threads.items()}
        worst = max(harm, key=harm.__getitem__, default=Path())
        used = used_ns() - self._used_ns
        robbed = [harm[path] - (used - each.used_ns) for path, each in self._threads.items()]
        return {
            "late_p99_ns": late[min(len(late) - 1, len(late) * 99 // 100)],
            "late_most_ns": late[-1],
            "wait_share": harm.get(worst, 0) / span_ns,
            "waiter": self._names.get(worst, ""),
            "robbed_ns": max(0, *robbed, 0),
            "cpu_ns": used,
            "pressure": pressure(),
            **(self._rates or self._rated()),
        }

    def _rated(self) -> dict[str, float]:
        return rates(self._carried, carried(), self._span_ns())

    def _span_ns(self) -> int:
        return max(1, time.monotonic_ns() - self._began_ns)

    def _look(self, *, is_first: bool = False) -> None:
        """Read all threads of this host: they are those of our namespace."""
        for path in Path("/proc").glob("[0-9]*/task/[0-9]*/schedstat"):
            try:
                ran, waited, times = map(int, path.read_text(encoding="ascii").split())
            except (OSError, ValueError):  # it has just gone
                continue
            now = (ran, waited, times)
            if (thread := self._threads.get(path)) is None:
                self._threads[path] = Thread(now if is_first else (0, 0, 0), now)
                self._names[path] = _name(path)
            else:
                thread.now = now


def used_ns() -> int:
    """Return the CPU time of all processes of this host, those included that are gone.

    A browser's do not live long enough to be looked at; who waits for them has their times
    (proc_pid_stat(5)).
    """
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return round(ticks * NS / os.sysconf("SC_CLK_TCK"))


def pressure() -> float:
    """Return the share of the last 10 s in which some task waited for a CPU, in %; 0: unknown."""
    try:
        some = Path("/proc/pressure/cpu").read_text(encoding="ascii")
        return float(some.partition("avg10=")[2].split()[0])
    except (OSError, IndexError, ValueError):  # a kernel without it
        return 0.0


def _name(path: Path) -> str:
    try:
        return (path.parent / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
