# SPDX-License-Identifier: Apache-2.0
"""A campaign in virtual time: each block counts once, whatever becomes of stations and blocks."""

from collections import Counter
from pathlib import Path

import pytest
from fleet import HANGS, Fleet, course, ledger

from gatemark.fleet.executor import End, Task
from gatemark.fleet.kept import DiskError
from gatemark.fleet.ledger import Ledger, LedgerError

STATIONS = [(f"s{at}", f"m{at % 3}") for at in range(9)]


def through(folder: Path, fleet: Fleet, repeats: int = 6) -> Ledger:
    made = ledger(folder, fleet, STATIONS, repeats)
    course(folder, made, fleet).run()
    return made


def once(made: Ledger, blocks: int) -> bool:
    counted = Counter(attempt.block for attempt in made.attempts("state = 'done'"))
    return counted == dict.fromkeys(range(1, blocks + 1), 1)


def test_each_block_is_done_once_and_a_station_has_one_at_a_time(tmp_path: Path) -> None:
    fleet = Fleet()
    assert once(through(tmp_path, fleet), 18)
    assert (fleet.most, len(fleet.begun)) == (1, 18)


def test_no_more_blocks_run_at_once_than_are_allowed(tmp_path: Path) -> None:
    class Counting(Fleet):
        at_once = 0

        def poll(self, timeout_s: float) -> list[End]:
            self.at_once = max(self.at_once, len(self._tasks))
            return super().poll(timeout_s)

    fleet = Counting()
    made = ledger(tmp_path, fleet, STATIONS, 6)
    work = course(tmp_path, made, fleet)
    work.most = 2
    work.run()
    assert once(made, 18)
    assert fleet.at_once == 2


def test_a_killed_block_goes_on_in_its_folder(tmp_path: Path) -> None:
    killed: Counter[str] = Counter()

    def fate(task: Task) -> int | None:
        killed[task.name] += 1
        return None if killed[task.name] == 1 else 0

    made = through(tmp_path, Fleet(fate))
    assert once(made, 18)
    assert set(killed.values()) == {2}
    assert len(made.attempts()) == 18


def test_a_station_that_fails_twice_is_quarantined_and_the_others_go_on(tmp_path: Path) -> None:
    made = through(tmp_path, Fleet(lambda task: 1 if task.station == "s4" else 0))
    assert once(made, 18)
    assert [place.name for place in made.places() if place.state == "quarantined"] == ["s4"]
    assert [attempt.station for attempt in made.attempts("state = 'failed'")] == ["s4", "s4"]


def test_a_model_without_a_good_station_is_left_and_the_others_end(tmp_path: Path) -> None:
    made = through(tmp_path, Fleet(lambda task: 1 if task.name.split("-")[1] == "m1" else 0))
    counts = made.counts()
    assert (counts["m0", "done"], counts["m2", "done"]) == (6, 6)
    assert ("m1", "done") not in counts


def test_a_hung_block_is_stopped_and_tried_once_more(tmp_path: Path) -> None:
    hung: list[int] = []

    def fate(task: Task) -> int | None:
        if task.name.endswith("-m2-3") and not hung:
            hung.append(task.attempt)
            return HANGS
        return 0

    fleet, cycled = Fleet(fate), list[str]()
    made = ledger(tmp_path, fleet, STATIONS, 6)
    work = course(tmp_path, made, fleet)
    work.cycle = cycled.append
    work.run()
    assert once(made, 18)
    assert fleet.stopped == hung
    assert cycled == [attempt.station for attempt in made.attempts("id = ?", hung)]
    assert [attempt.state for attempt in made.attempts("id = ?", hung)] == ["void"]


def test_drained_it_begins_no_new_block_and_goes_on_later(tmp_path: Path) -> None:
    (tmp_path / "drain").touch()
    fleet = Fleet()
    made = through(tmp_path, fleet)
    assert fleet.begun == []
    (tmp_path / "drain").unlink()
    course(tmp_path, made, fleet).run()
    assert once(made, 18)


@pytest.mark.parametrize(("refused", "code"), [("started", 0), ("drop", 1), ("renewed", None)])
def test_without_room_in_the_ledger_running_blocks_end_and_later_all_goes_on(
    refused: str, code: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise LedgerError("database or disk is full")

    fleet, lines = Fleet(lambda task: code if task.attempt == 1 else 0), list[str]()
    made = ledger(tmp_path, fleet, STATIONS, 6)
    monkeypatch.setattr(made, refused, full)
    work = course(tmp_path, made, fleet)
    work.tell = lines.append
    work.run()
    assert any("full; no new block is begun: make room" in line for line in lines)
    assert not fleet._tasks
    monkeypatch.undo()
    course(tmp_path, made, Fleet()).run()
    assert once(made, 18)
    assert not made.attempts("state = 'failed'")


def test_a_disk_without_room_for_a_block_is_no_fault_of_its_station(tmp_path: Path) -> None:
    class Full(Fleet):
        def begin(self, task: Task) -> None:
            raise DiskError(f"begun/{task.name}: No space left on device")

    fleet, cycled = Full(), list[str]()
    made = ledger(tmp_path, fleet, STATIONS, 6)
    work = course(tmp_path, made, fleet)
    work.cycle = cycled.append
    work.run()
    assert cycled == []
    course(tmp_path, made, Fleet()).run()
    assert once(made, 18)
    assert not made.attempts("state = 'failed'")


def test_a_coordinator_that_dies_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    """Every begin, poll and fetch of a whole campaign once kills the coordinator."""

    class Mortal(Fleet):
        left = 0

        def poll(self, timeout_s: float) -> list[object]:  # type: ignore[override]
            self.dies()
            return super().poll(timeout_s)  # type: ignore[return-value]

        def fetch(self, *words: object) -> str:
            self.dies()
            return super().fetch(*words)  # type: ignore[arg-type]

        def dies(self) -> None:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt

    for moment in range(1, 40):
        folder = tmp_path / str(moment)
        folder.mkdir()
        fleet = Mortal()
        fleet.left = moment
        made = ledger(folder, fleet, STATIONS, 6)
        with pytest.raises(KeyboardInterrupt):
            course(folder, made, fleet).run()
        made.close()
        again = Ledger(folder / "campaign.db", fleet.clock, synchronous="OFF")
        later = Fleet()
        course(folder, again, later).run()
        assert once(again, 18), moment
        assert later.most == 1


def test_a_control_that_is_off_twice_quarantines_and_its_blocks_do_not_count(
    tmp_path: Path,
) -> None:
    fleet = Fleet()
    made = ledger(tmp_path, fleet, STATIONS, 6)
    work = course(tmp_path, made, fleet)
    work.control = lambda attempt, _: "a step" if attempt.station == "s0" else ""
    work.run()
    assert once(made, 18)
    assert {attempt.station for attempt in made.attempts("state = 'done'")} == {
        f"s{at}" for at in range(1, 9)
    }
    assert [place.why for place in made.places() if place.state == "quarantined"] == ["a step"]


@pytest.mark.long
def test_100_000_trials_on_1_000_stations(tmp_path: Path) -> None:
    fleet = Fleet()
    stations = [(f"station-{at:04d}", f"model-{at % 20:02d}") for at in range(1000)]
    made = ledger(tmp_path, fleet, stations, 250)
    course(tmp_path, made, fleet).run()
    assert once(made, 5000)
    assert sum(block.trials for block in made.blocks("state = 'done'")) == 100_000
    assert fleet.most == 1
    assert (tmp_path / "campaign.db").stat().st_size < 5000 * 1024
    assert made.faults() == []
