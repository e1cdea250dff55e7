# SPDX-License-Identifier: Apache-2.0
"""Blocks carried by Dask: a worker a station, of the station's name. The ledger schedules.

Dask has one task of a station at a time. Nothing depends on what its scheduler remembers: where a
task is lost, with its worker or with the scheduler, the same attempt is begun again, and finds its
block's process, which went on.
"""

import queue
import shutil
import tarfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from gatemark.error import GatemarkError
from gatemark.fleet import carrier, kept, link
from gatemark.fleet.executor import End, Task
from gatemark.fleet.ledger import Attempt
from gatemark.fleet.link import ASK_S, Link
from gatemark.fleet.local import BEGUN
from gatemark.store.folder import inside

LOOK_S: Final = 5.0  # how often it is looked which workers are there
FAILED: Final = 1


class Dask:
    """An executor; `carry` is what a worker does."""

    def __init__(
        self, folder: Path, address: str, keys: Path, campaign: str, carry: Any = carrier.carry
    ) -> None:
        self.folder = folder
        self.campaign = campaign
        self.link = Link(address, keys, self._again)
        self.absent_s = 60.0  # that a worker may be away
        self._carry = carry
        self._tasks: dict[int, Task] = {}  # those under way, by attempt
        self._futures: dict[int, Any] = {}
        self._done: queue.Queue[tuple[int, Any]] = queue.Queue()
        self._away: Counter[int] = Counter()  # attempts whose worker is not there: so many looks
        self._looked = 0.0

    def begin(self, task: Task) -> None:
        """Send it; its worker may come later."""
        client = self.link.client()
        self._tasks[task.attempt] = task
        if client:
            self._submit(client, task)

    def poll(self, timeout_s: float) -> list[End]:
        """Return the ends of attempts; what was lost on its way is sent again."""
        self.link.client()
        ends = self._absent()
        with suppress(queue.Empty):
            while True:
                attempt, future = self._done.get(timeout=0.001 if ends else timeout_s)
                is_old = attempt not in self._tasks or future is not self._futures.get(attempt)
                if not is_old and (end := self._end(attempt, future)):
                    ends.append(end)
        return ends

    def fetch(self, attempt: Attempt, runs: Path) -> str:
        """Piece by piece, as a worker may have a disk of its own."""
        here = runs / attempt.folder
        hash_ = kept.hash_of(here) if here.exists() else self._brought(attempt, here)
        # Where its worker is away just now it stays there, and takes room, no more.
        self.link.tell(attempt.station, carrier.forget, self.campaign, attempt.folder)
        return hash_

    def _brought(self, attempt: Attempt, here: Path) -> str:
        """Have it `here`; its hash. Raises GatemarkError, AwayError as `Link.ask` does."""
        expected = self._asked(attempt, carrier.packed)
        place = inside(self.folder, BEGUN, attempt.folder)
        inside(place, "run")
        try:
            place.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(place / "run", ignore_errors=True)  # of one that was broken off
            (place / "run.tar").unlink(missing_ok=True)
            with (place / "run.tar").open("xb") as tar:
                while content := self._asked(attempt, carrier.piece, tar.tell()):
                    tar.write(content)
            kept.unpack(place / "run.tar", place)
            (place / "run.tar").unlink()
        except OSError as error:
            raise kept.DiskError(f"{place}: {error.strerror}") from None
        except tarfile.TarError as error:
            raise GatemarkError(f"{place}: {error}") from None
        if kept.hash_of(place / "run") != expected:
            raise GatemarkError(f"{place}: not what its station measured")
        return kept.move(place / "run", here)

    def stop(self, attempt: Attempt, *, kill: bool = False) -> None:
        """A signal to the block; where its worker does not answer, it is given up."""
        words = (carrier.stop, self.campaign, attempt.folder, kill)
        if not self.link.tell(attempt.station, *words) and attempt.id in self._tasks:
            self._futures.pop(attempt.id, None)
            self._done.put((attempt.id, None))

    def _again(self, client: Any) -> None:
        """The scheduler is another: it knows of nothing."""
        self._futures.clear()
        for task in self._tasks.values():
            self._submit(client, task)

    def _submit(self, client: Any, task: Task) -> None:
        attempt = task.attempt
        words = (self.campaign, msgspec.json.encode(task))
        name = f"{self.campaign}-{attempt}"
        future = link.send(client, task.place, name, self._carry, *words)
        self._futures[attempt] = future
        future.add_done_callback(lambda done: self._done.put((attempt, done)))

    def _end(self, attempt: int, future: Any) -> End | None:
        """Return the end of an attempt; None: it was lost, and goes on."""
        task = self._tasks.pop(attempt)
        self._futures.pop(attempt, None)
        if future is None:
            return End(attempt, None, f"the worker of {task.place} does not answer")
        with suppress(Exception):  # whatever Dask raises: the result is lost
            if future.status == "finished":
                return msgspec.json.decode(future.result(timeout=ASK_S), type=End)
            if future.status == "error":
                error = future.exception(timeout=ASK_S)
                if link.is_raised(future, error):
                    return End(attempt, FAILED, str(error))
        self.begin(task)
        return None

    def _absent(self) -> list[End]:
        """The attempts whose worker was away for too long."""
        if time.monotonic() < self._looked + LOOK_S:
            return []
        self._looked = time.monotonic()
        ends: list[End] = []
        if (there := self.link.workers()) is None:
            return ends
        for attempt, task in list(self._tasks.items()):
            self._away[attempt] = 0 if task.place in there else self._away[attempt] + 1
            if self._away[attempt] * LOOK_S > self.absent_s:
                del self._tasks[attempt], self._away[attempt]
                self._futures.pop(attempt, None)
                why = f"no worker of the name {task.place} is at {self.link.address}"
                ends.append(End(attempt, FAILED, why))
        return ends

    def _asked(self, attempt: Attempt, function: Callable[..., Any], *words: object) -> Any:
        """Return the answer of a station's worker. Raises GatemarkError, AwayError."""
        return self.link.ask(
            attempt.station, self.absent_s, function, self.campaign, attempt.folder, *words
        )
