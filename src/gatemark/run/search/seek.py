# SPDX-License-Identifier: Apache-2.0
"""Run a search: its steps as trials, each kept as it ends, then what it found for each goal."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from msgspec.structs import replace

from gatemark.plan.model import TrialSpec
from gatemark.run.search.ongoing import Ongoing
from gatemark.run.search.outcome import outcome, stepped
from gatemark.run.search.standing import Standing
from gatemark.store.record import FIRST, Record


@dataclass(frozen=True, slots=True)
class Doing:
    """What a search needs of the run that it is part of."""

    measure: Callable[[TrialSpec], Awaitable[Record]]  # one trial; the record is not kept yet
    frame: Callable[[TrialSpec], Record]  # a record with nothing measured in it
    keep: Callable[[Record], None]
    show: Callable[[Standing], None]


async def seek(goals: Sequence[TrialSpec], kept: Sequence[Record], doing: Doing) -> list[Record]:
    """Run one search, of which `goals` are the outcomes to find; `kept` are its steps so far.

    Returns what was kept besides: steps, then outcomes. Raises GatemarkError.
    """
    first = goals[0]
    assert first.search is not None
    made: list[Record] = []
    with Ongoing(first.search, 2 if first.workload.direction == "both" else 1) as search:
        search.replay(kept)
        while search.ask is not None:
            doing.show(search.standing())
            made.append(await _step(first, search, doing))
            search.take(made[-1])
        for spec in goals:
            made.append(outcome(doing.frame(spec), spec, search))
            doing.keep(made[-1])
    return made


async def _step(first: TrialSpec, search: Ongoing, doing: Doing) -> Record:
    """One trial, after the wait that the terms ask for; how long both took is kept with it.

    Time that it waited for another run on this machine is not counted.
    """
    assert search.ask is not None
    wait_s = search.terms.wait_s if search.records else 0.0
    await asyncio.sleep(wait_s)
    loop = asyncio.get_running_loop()
    asked = loop.time()
    record = await doing.measure(stepped(first, search.ask, len(search.records) + 1))
    values = record.values | {"search_s": wait_s + _took_s(record, loop.time() - asked)}
    record = replace(record, values=values, sequence=first.sequence)
    doing.keep(record)
    return record


def _took_s(record: Record, most_s: float) -> float:
    """Since a trial began. Where the clock was set meanwhile: since it was asked for, by `most_s`.

    The second is CLOCK_MONOTONIC's, and has the time in it that the trial waited for another run.
    """
    took_s = (datetime.now(UTC) - datetime.fromisoformat(record.started)).total_seconds()
    return took_s if 0 <= took_s <= most_s else most_s


def steps_of(spec: TrialSpec, records: Sequence[Record]) -> list[Record]:
    """What is kept of the steps of a search, in the order in which they ran."""
    its = [r for r in records if r.pass_ == "search" and r.trial.startswith(f"{spec.seeks}/")]
    return [r for r in its if not r.trial.endswith(FIRST)]
