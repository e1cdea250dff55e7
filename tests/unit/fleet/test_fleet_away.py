# SPDX-License-Identifier: Apache-2.0
"""What no station is at fault for: who carries its blocks is away, a block cannot be asked for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fleet import Fleet, course, ledger, task

from gatemark.error import GatemarkError, StationError, UsageError
from gatemark.fleet import carrier, link
from gatemark.fleet.course import MOST_FAULTS
from gatemark.fleet.executor import AwayError, Task
from gatemark.fleet.ledger import Attempt, Block
from gatemark.fleet.link import Link

ALONE = [("s0", "m0")]


class Away(Fleet):
    """Blocks are measured, and nobody can fetch them."""

    def fetch(self, attempt: Attempt, runs: Path) -> str:  # noqa: ARG002
        raise AwayError("no scheduler")


def test_a_measured_block_waits_where_nobody_answers(tmp_path: Path) -> None:
    fleet, cycled, lines = Away(), list[str](), list[str]()
    made = ledger(tmp_path, fleet, ALONE, 2)
    work = course(tmp_path, made, fleet)
    work.cycle, work.tell = cycled.append, lines.append
    work.run()
    assert ([each.state for each in made.attempts()], cycled) == (["started"], [])
    assert "no scheduler; it was measured; `gatemark campaign resume` fetches it" in lines[0]
    course(tmp_path, made, Fleet()).run()
    assert [(each.id, each.state) for each in made.attempts()] == [(1, "done"), (2, "done")]


def test_a_block_that_cannot_be_sent_is_begun_by_the_next_one(tmp_path: Path) -> None:
    class Unsent(Fleet):
        def begin(self, task: Task) -> None:
            raise AwayError(f"no scheduler for {task.name}")

    fleet, cycled = Unsent(), list[str]()
    made = ledger(tmp_path, fleet, ALONE, 2)
    work = course(tmp_path, made, fleet)
    work.cycle = cycled.append
    with pytest.raises(AwayError, match="no scheduler"):
        work.run()
    assert ([each.state for each in made.attempts()], cycled) == (["claimed"], [])


def test_one_that_fails_as_it_begins_does_not_end_the_campaign(tmp_path: Path) -> None:
    class Once(Fleet):
        def begin(self, task: Task) -> None:
            if task.attempt == 1:
                raise StationError("no such host")
            super().begin(task)

    fleet = Once()
    made = ledger(tmp_path, fleet, ALONE, 2)
    course(tmp_path, made, fleet).run()
    assert [each.state for each in made.attempts()] == ["failed", "done", "done"]


def test_a_campaign_ends_where_no_station_can_begin(tmp_path: Path) -> None:
    class Never(Fleet):
        def begin(self, task: Task) -> None:
            raise StationError(f"no such host {task.station}")

    fleet = Never()
    made = ledger(tmp_path, fleet, [*ALONE, ("s1", "m0")], 5)
    course(tmp_path, made, fleet).run()
    assert {place.state for place in made.places()} == {"quarantined"}
    assert len(made.attempts()) == 2 * MOST_FAULTS


def test_a_file_that_is_wrong_is_no_fault_of_the_station(tmp_path: Path) -> None:
    def asked(attempt: Attempt, block: Block) -> Task:
        if attempt.station == "s0":
            raise UsageError("rack.toml:3: unknown key 'nick'")
        return task(attempt, block)

    fleet, cycled, lines = Fleet(), list[str](), list[str]()
    made = ledger(tmp_path, fleet, [*ALONE, ("s1", "m0")], 3)
    work = course(tmp_path, made, fleet)
    work.task, work.cycle, work.tell = asked, cycled.append, lines.append
    work.run()
    assert (cycled, {place.state for place in made.places()}) == ([], {"ok"})
    assert [each.state for each in made.attempts()] == ["claimed", "done", "done"]
    assert "unknown key 'nick'; fix that, then `gatemark campaign resume`" in lines[0]
    course(tmp_path, made, Fleet()).run()
    assert {each.state for each in made.attempts()} == {"done"}


class Answer:
    """A future of a call that ended so."""

    def __init__(self, status: str, error: Exception) -> None:
        self.status = status
        self._error = error

    def result(self, timeout: float) -> Any:  # noqa: ARG002
        raise self._error


class KilledWorker(Exception):  # noqa: N818
    """As Dask names it."""


@pytest.mark.parametrize(
    ("send", "raised"),
    [
        (lambda *_: Answer("error", OSError("no run there")), GatemarkError),
        (lambda *_: Answer("error", KilledWorker("a")), AwayError),
        (lambda *_: Answer("pending", TimeoutError()), AwayError),
        (lambda *_: Answer("cancelled", OSError("lost")), AwayError),
    ],
)
def test_what_a_worker_raises_is_no_absence(
    send: Callable[..., Answer],
    raised: type[GatemarkError],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "send", send)
    monkeypatch.setattr(link, "AGAIN_S", 0.0)
    monkeypatch.setattr(Link, "client", lambda _: "running")
    way = Link("tls://127.0.0.1:1", tmp_path, lambda _: None)
    with pytest.raises(GatemarkError, match="a: its worker") as caught:
        way.ask("a", 0.0, carrier.packed)
    assert type(caught.value) is raised


def test_a_scheduler_that_stays_away_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError("connection refused")

    monkeypatch.setattr(link, "_client", refused)
    monkeypatch.setattr(link, "AGAIN_S", 0.0)
    way = Link("tls://127.0.0.1:1", tmp_path, lambda _: None)
    way.patience_s = 0.0
    with pytest.raises(AwayError, match="no scheduler of these keys"):
        way.ask("a", 0.0, carrier.packed)
