# SPDX-License-Identifier: Apache-2.0
"""Stations in virtual time: the real ledger and scheduler, and an executor that only counts.

What a block takes is drawn from recorded durations; a heap holds when each ends, and the clock
jumps from one end to the next. `fates` says how blocks end that do not end well.
"""

import heapq
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from gatemark.fleet.course import Course
from gatemark.fleet.executor import End, Task
from gatemark.fleet.ledger import Attempt, Block, Ledger

SHORT, USUAL, LONG = 61.0, 74.5, 130.0  # s, of blocks of 20 trials on the built-in lab
HANGS = -1  # a fate: it does not end by itself


class Fleet:
    """An executor: blocks end by the clock. A fate is an exit code, None, or HANGS."""

    def __init__(self, fates: Callable[[Task], int | None] = lambda _: 0, seed: int = 1) -> None:
        self.now = 0.0
        self.fates = fates
        self.begun: list[Task] = []
        self.most = 0  # at once on a station
        self.stopped: list[int] = []
        self._rng = random.Random(seed)
        self._ends: list[tuple[float, int, int | None]] = []
        self._tasks: dict[int, Task] = {}

    def clock(self) -> float:
        return self.now

    def begin(self, task: Task) -> None:
        self.begun.append(task)
        here = [each for each in self._tasks.values() if each.station == task.station]
        self.most = max(self.most, len(here) + 1)
        self._tasks[task.attempt] = task
        fate = self.fates(task)
        if fate != HANGS:
            lasts_s = self._rng.choice((SHORT, USUAL, LONG)) * self._rng.uniform(0.9, 1.1)
            heapq.heappush(self._ends, (self.now + lasts_s, task.attempt, fate))

    def poll(self, timeout_s: float) -> list[End]:
        if not self._ends or self._ends[0][0] > self.now + 60 * timeout_s:
            self.now += 60 * timeout_s
            return []
        self.now, attempt, code = heapq.heappop(self._ends)
        if self._tasks.pop(attempt, None) is None:
            return []
        return [End(attempt, code, "" if code == 0 else "it failed")]

    def fetch(self, attempt: Attempt, runs: Path) -> str:  # noqa: ARG002
        return f"{attempt.id:064x}"

    def stop(self, attempt: Attempt, *, kill: bool = False) -> None:  # noqa: ARG002
        self.stopped.append(attempt.id)
        heapq.heappush(self._ends, (self.now, attempt.id, None))


def blocks(models: Sequence[str], repeats: int, trials: int = 20) -> list[Block]:
    """Of one suite."""
    pairs = [(model, repeat) for repeat in range(1, repeats + 1) for model in models]
    return [
        Block(at, model, "cost/ab", repeat, at, trials, USUAL)
        for at, (model, repeat) in enumerate(pairs, 1)
    ]


def ledger(
    folder: Path,
    fleet: Fleet,
    stations: Sequence[tuple[str, str]],
    repeats: int,
    synchronous: str = "OFF",
) -> Ledger:
    """A new one, with builds of which nothing is known. No power fails here: no fsync."""
    made = Ledger(folder / "campaign.db", fleet.clock, synchronous=synchronous)
    models = list(dict.fromkeys(model for _, model in stations))
    builds = [(model, name, at, "") for model in models for at, name in enumerate(("old", "new"))]
    made.create([], stations, builds, blocks(models, repeats))
    return made


def course(folder: Path, made: Ledger, fleet: Fleet) -> Course:
    """Of these, ready to run."""
    return Course(folder, made, fleet, task, fleet.clock)


def task(attempt: Attempt, block: Block) -> Task:
    """As the coordinator would ask."""
    return Task(
        attempt=attempt.id,
        name=attempt.folder,
        title="",
        base=".",
        place=attempt.station,
        station=attempt.station,
        lock="",
        plan=block.suite,
    )
