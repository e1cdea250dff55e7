# SPDX-License-Identifier: Apache-2.0
"""Interrupts are added up by queue and CPU, over the trials of each setup."""

from collections import Counter
from typing import Any

from gatemark.judge.point.interrupts import Queue, queues
from gatemark.store.record import Evidence, Record

from ..conftest import Trial


def record(path: str, **rows: dict[str, Any]) -> Record:
    more = Evidence(probes={"interrupts": {"irq": rows}})
    return Trial(path=path, instrumented=True, more=more).record()


def row(name: str, **cpus: int) -> dict[str, Any]:
    return {"name": name, "affinity": "0-1", "cpus": cpus}


def test_trials_of_a_setup_add_up_and_its_busiest_queue_comes_first() -> None:
    first = record("route", a=row("gw0-rx", cpu0=3), b=row("", cpu0=1, cpu1=9))
    again = record("route", a=row("gw0-rx", cpu0=2, cpu1=1))
    assert queues([first, again, record("nat", a=row("gw0-rx", cpu1=1))]) == [
        Queue("nat", "a gw0-rx", "0-1", Counter({"cpu1": 1})),
        Queue("route", "b", "0-1", Counter({"cpu0": 1, "cpu1": 9})),
        Queue("route", "a gw0-rx", "0-1", Counter({"cpu0": 5, "cpu1": 1})),
    ]


def test_a_trial_that_read_none_has_no_queue() -> None:
    assert queues([Trial().record()]) == []
