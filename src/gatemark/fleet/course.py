# SPDX-License-Identifier: Apache-2.0
"""A campaign from its first block to its last: each station has one block at a time.

What ended a block that was not measured to its end decides what comes next:

    its process was killed      it goes on in its folder, on the same station
    it failed                   the block waits again; after three times it is given up; the
                                station's power is cycled, as a gateway that is lost looks so
    a station failed twice      it is quarantined, the others of its model go on
    past its deadline           hung: stopped, its power cycled, tried once more
    its worker is away          what was measured waits there for the next coordinator
    a file of it is wrong       it waits on its station for the next coordinator

No verdict comes of any of this: what is not measured leaves a gate undecided.
"""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from gatemark.error import GatemarkError, UsageError
from gatemark.fleet.executor import AwayError, End, Executor, Task
from gatemark.fleet.kept import DiskError
from gatemark.fleet.ledger import Attempt, Block, Ledger

RUNS: Final = "runs"
DRAIN, CANCEL = "drain", "cancel"  # files in the campaign's folder that ask for it
FOLDER: Final = "{id:05d}-{model}-{repeat}"
LOOK_S: Final = 0.5  # how often a request is looked for
KILL_S: Final = 60.0  # from the request to end to its end by force
MOST_AGAIN: Final = 3  # times that a killed block is gone on with
MOST_FAULTS: Final = 2  # in a row on a station


class Course:
    """One campaign on its way."""

    def __init__(
        self,
        folder: Path,
        ledger: Ledger,
        executor: Executor,
        task: Callable[[Attempt, Block], Task],
        clock: Callable[[], float],
    ) -> None:
        self.folder = folder
        self.ledger = ledger
        self.executor = executor
        self.task = task
        self.clock = clock
        self.most = sys.maxsize  # blocks at once
        self.sharing = 1  # stations that wait for each other's trials, on one machine
        self.patience_s = 0.0  # that a block may wait for other runs on its machine
        self.cycle: Callable[[str], None] = lambda _: None  # a station's power
        self.control: Callable[[Attempt, Block], str] = lambda *_: ""  # why it does not count
        self.tell: Callable[[str], None] = lambda _: None
        self._open: dict[int, Attempt] = {}  # by number: what is on a station just now
        self._models: dict[str, str] = {}  # station -> model, of those that are not quarantined
        self._free: dict[str, str] = {}
        self._blocks: dict[int, Block] = {}  # as they were planned
        self._dry: set[str] = set()  # models of which no block waits
        self._again: Counter[int] = Counter()
        self._faults: Counter[str] = Counter()
        self._ending: dict[int, float] = {}  # stopped: when it is ended by force
        self._hung: set[int] = set()
        self._looked = clock()
        self._suspects: set[str] = set()
        self.is_stopped = False  # a signal asks for the end
        self._is_cancelled = False
        self._is_full = False  # the disk

    def run(self) -> None:
        """To the end, or until it drains. Raises GatemarkError; the ledger stays sound.

        It ends where no block is open and none can be claimed.
        """
        self._resume()
        while True:
            is_claimed = not self._draining() and self._claim()
            if not self._open and not is_claimed:  # one that failed as it began leaves others
                return
            for end in self.executor.poll(LOOK_S):
                if attempt := self._open.pop(end.attempt, None):
                    self._ended(attempt, end)
            self._look()

    def _cancel(self) -> None:
        """End what runs, as Ctrl-C does; the next coordinator goes on with it."""
        self._is_cancelled = True
        for attempt in self._open.values():
            self._stop(attempt)

    def _resume(self) -> None:
        """Take up what an earlier coordinator left, whatever ended that."""
        places = [place for place in self.ledger.places() if place.state != "quarantined"]
        self._models = {place.name: place.model for place in places}
        self._blocks = {block.id: block for block in self.ledger.blocks()}
        self._suspects = {place.name for place in places if place.state == "suspect"}
        self._free = dict(self._models)
        for attempt in self.ledger.attempts("state = 'stored'"):
            self._count(attempt, attempt.hash or "")
        for attempt in self.ledger.attempts("state IN ('claimed', 'started')"):
            self._free.pop(attempt.station, None)
            self._begin_again(attempt)

    def _begin_again(self, attempt: Attempt) -> None:
        """Go on with it; its time begins anew."""
        block = self._blocks[attempt.block]
        self._begin(self.ledger.renewed(attempt, self._deadline(block)))

    def _draining(self) -> bool:
        if not self._is_cancelled and (self.is_stopped or (self.folder / CANCEL).exists()):
            self._cancel()
        return self._is_cancelled or self._is_full or (self.folder / DRAIN).exists()

    def _claim(self) -> bool:
        """A block for each station that has none; whether there was any."""
        is_claimed = False
        for place, model in list(self._free.items()):
            if len(self._open) >= self.most:
                break
            if model in self._dry:
                continue
            try:
                attempt = self.ledger.claim(place, model, FOLDER, self._deadline)
                if attempt is None:
                    self._dry.add(model)
                    continue
                del self._free[place]
                is_claimed = True
                self._begin(attempt)
            except DiskError as error:
                self._full(error)
                break
        return is_claimed

    def _deadline(self, block: Block) -> float:
        lasts_s = block.estimate_s * self.sharing
        return self.clock() + max(3 * lasts_s, lasts_s + 120.0) + self.patience_s

    def _begin(self, attempt: Attempt) -> None:
        """Have it done; one that is begun already goes on."""
        try:
            task = self.task(attempt, self._blocks[attempt.block])
        except UsageError as error:
            # It stays as it is, and so does its station: neither is at fault.
            self.tell(f"{attempt.folder}: {error}; fix that, then `gatemark campaign resume`")
            return
        try:
            self.executor.begin(task)
        except (DiskError, AwayError):
            raise
        except GatemarkError as error:
            self._failed(attempt, str(error))
            return
        self._open[attempt.id] = attempt
        self.ledger.started(attempt.id)

    def _ended(self, attempt: Attempt, end: End) -> None:
        """Decide what follows; without room it stays as it is, on its station."""
        self._ending.pop(attempt.id, None)
        try:
            self._follow(attempt, end)
        except DiskError as error:
            self._full(error)

    def _follow(self, attempt: Attempt, end: End) -> None:
        if end.code == 0:
            self._kept(attempt)
        elif attempt.id in self._hung:
            self._was_hung(attempt)
        elif self._is_cancelled:
            return  # as it is: the next coordinator goes on with it
        elif end.code is None and self._again[attempt.id] < MOST_AGAIN:
            self._again[attempt.id] += 1
            self.tell(f"{attempt.folder}: its process was killed; going on with it")
            self._begin_again(attempt)
        else:
            self._failed(attempt, end.why or f"its process was killed {MOST_AGAIN} times")

    def _kept(self, attempt: Attempt) -> None:
        """Store and count it."""
        try:
            self._count(attempt, self.executor.fetch(attempt, self.folder / RUNS))
        except DiskError:
            raise
        except AwayError as error:  # it stays started, on its station
            why = "it was measured; `gatemark campaign resume` fetches it"
            self.tell(f"{attempt.folder}: {error}; {why}")
        except GatemarkError as error:
            self._failed(attempt, str(error))
        else:
            self._faults[attempt.station] = 0
            self.tell(f"{attempt.folder} on {attempt.station}: measured")
            self._release(attempt)

    def _count(self, attempt: Attempt, hash_: str) -> None:
        """Count it, unless its station's control says that it may not count."""
        block = self._blocks[attempt.block]
        place = attempt.station
        if why := self.control(attempt, block):
            self.ledger.stored(attempt.id, hash_)
            self._drop(attempt, "void", why)
            if place in self._suspects:
                self._quarantine(place, why)
            else:  # it is measured again at once, by the next block
                self._suspects.add(place)
                self.ledger.mark(place, "suspect", why)
            return
        self.ledger.done(attempt.id, hash_)
        if place in self._suspects:
            self._suspects.discard(place)
            self.ledger.mark(place, "ok", "")

    def _failed(self, attempt: Attempt, why: str) -> None:
        self.tell(f"{attempt.folder}: {why}")
        self._drop(attempt, "failed", why)
        self._fault(attempt, why)

    def _was_hung(self, attempt: Attempt) -> None:
        why = "hung: past its deadline"
        self._drop(attempt, "void", why)
        self._fault(attempt, why)

    def _fault(self, attempt: Attempt, why: str) -> None:
        """Its power is cycled; after two in a row the station gets no more blocks."""
        self._faults[attempt.station] += 1
        if self._faults[attempt.station] >= MOST_FAULTS:
            self._quarantine(attempt.station, why)
        else:
            self.cycle(attempt.station)
            self._release(attempt)

    def _quarantine(self, place: str, why: str) -> None:
        self.tell(f"station {place} is quarantined: {why}")
        self.ledger.mark(place, "quarantined", why)
        self._free.pop(place, None)
        self._models.pop(place, None)

    def _drop(self, attempt: Attempt, state: Literal["void", "failed"], why: str) -> None:
        self.ledger.drop(attempt.id, state, why)
        self._dry.clear()

    def _release(self, attempt: Attempt) -> None:
        if model := self._models.get(attempt.station):
            self._free[attempt.station] = model

    def _look(self) -> None:
        """Stop what is past its deadline, and end by force what did not stop."""
        now = self.clock()
        if now < self._looked + LOOK_S:
            return
        self._looked = now
        for attempt in self._open.values():
            if now > self._ending.get(attempt.id, now):
                self.executor.stop(attempt, kill=True)
            elif now > attempt.deadline and attempt.id not in self._hung:
                self._hung.add(attempt.id)
                self.tell(f"{attempt.folder}: past its deadline; stopping it")
                self._stop(attempt)

    def _stop(self, attempt: Attempt) -> None:
        self._ending[attempt.id] = self.clock() + KILL_S
        self.executor.stop(attempt)

    def _full(self, error: DiskError) -> None:
        self._is_full = True
        self.tell(f"{error}; no new block is begun: make room, then `gatemark campaign resume`")
