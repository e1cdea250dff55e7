# SPDX-License-Identifier: Apache-2.0
"""The next trial of a run, with all that is measured together with it; each kept as it ends."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial

from msgspec.structs import replace

from gatemark.error import GatemarkError
from gatemark.kind.algorithm import load as algorithm
from gatemark.plan.model import TrialSpec
from gatemark.run import again, trial, turns
from gatemark.run.bench import Bench
from gatemark.run.display import Display
from gatemark.run.result.digest import agreeing
from gatemark.run.rig import Rig
from gatemark.run.search import shaping
from gatemark.run.search.follow import following, is_outcome
from gatemark.run.search.seek import Doing, seek, steps_of
from gatemark.station import lock
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from gatemark.store.series import Series


async def measure(
    rig: Rig,
    directory: RunDirectory,
    spec: TrialSpec,
    so_far: tuple[Sequence[TrialSpec], Sequence[Record]],
    display: Display,
) -> list[Record]:
    """Run one trial and all that are measured together with it; returns their records."""
    block = turns.round_of(spec, so_far[0])
    benches = await rig.together(block) if len(block) > 1 else []
    if benches:
        return await _at_once(benches, directory, block, display)
    return await _alone(rig.bench, directory, spec, so_far, display)


async def _alone(
    bench: Bench,
    directory: RunDirectory,
    spec: TrialSpec,
    so_far: tuple[Sequence[TrialSpec], Sequence[Record]],
    display: Display,
) -> list[Record]:
    """Run one trial, or the whole search that it belongs to; returns the records."""
    left, records = so_far
    why = bench.lacks(spec.arm)
    if not why and spec.search and is_outcome(spec):
        goals = [other for other in left if other.seeks == spec.seeks and is_outcome(other)]
        doing = _doing(bench, directory, records, display)
        return await seek(goals, steps_of(spec, records), doing)
    if not why and spec.search:
        spec, why = following(spec, records)
    if why:
        return [_skip(bench, directory, spec, why, display)]
    return await _trial(bench, directory, spec, records, display)


def _skip(
    bench: Bench, directory: RunDirectory, spec: TrialSpec, why: str, display: Display
) -> Record:
    """Keep a record of a trial that cannot be measured."""
    record = replace(trial.frame(bench, spec), status="skipped", reason=why)
    return _kept(directory, record, {}, display)


async def _at_once(
    benches: Sequence[Bench], directory: RunDirectory, block: Sequence[TrialSpec], display: Display
) -> list[Record]:
    """Trials of a block, interleaved, each on its own bench; sound ones are kept first."""
    kept: list[Record] = []
    able: list[Bench] = []
    left: list[TrialSpec] = []
    for bench, spec in zip(benches, block, strict=True):
        if why := bench.lacks(spec.arm):
            kept.append(_skip(bench, directory, spec, why, display))
        else:
            able.append(bench)
            left.append(spec)
    specs = turns.placed(left)
    start = turns.Start(specs)
    pairs = list(zip(able, specs, strict=True))
    async with machine(display) as note:
        done = await asyncio.gather(*(trial.run(*pair, _unshown, start) for pair in pairs))
    # What was measured goes first: a station that is gone costs its own trials alone.
    for bench, (measured, columns) in sorted(
        zip(able, done, strict=True), key=lambda pair: pair[1][0].status != "ok"
    ):
        record = _noted(measured, note)
        if record.status != "ok":
            await bench.station.require_alive()
        record = _with_packets(bench, directory, record)
        kept.append(_kept(directory, record, columns, display))
    for bench in able:
        bench.require_free()
    return kept


def _unshown(value: float, unit: str) -> None:
    """Several trials at the same time have no single rate to show."""


def _doing(
    bench: Bench, directory: RunDirectory, records: Sequence[Record], display: Display
) -> Doing:
    """The steps of a search are ordinary trials, but their series are not kept."""

    async def step(spec: TrialSpec) -> Record:
        tried = await again.attempts(partial(_run, bench, spec, display), records)
        if tried.first:
            keep(tried.first)
        _require(bench, tried)
        record, columns = tried.done
        # The series tell what a flow waited; they are not kept.
        return shaping.completed(record, spec, columns) if "mbit" in spec.point else record

    def keep(record: Record) -> None:
        display.result(directory.append(record))

    return Doing(step, partial(trial.frame, bench), keep, display.seek)


@asynccontextmanager
async def machine(display: Display) -> AsyncIterator[str]:
    """Hold the machine for a trial; the display is told for whom it waits, and how long it did."""
    asked_s = time.monotonic()
    async with lock.meanwhile(display.wait) as note:
        display.go_on(time.monotonic() - asked_s)
        yield note


async def _run(bench: Bench, spec: TrialSpec, display: Display) -> tuple[Record, Series]:
    if spec.workload.kind == "algorithm":
        # Nobody has to wait while it is built; what fails there, the trial says.
        with suppress(GatemarkError):
            await algorithm.built(bench.station, spec.workload)
    async with machine(display) as note:
        measured, columns = await trial.run(bench, spec, display.rate)
    record = _noted(measured, note)
    if record.status != "ok":  # what the loss of the station cut is no result: it is run again
        await bench.station.require_alive()
    return record, columns


def _noted(record: Record, note: str) -> Record:
    """A record, with what is to be known about how the machine was held."""
    return replace(record, notes=(*record.notes, note)) if note else record


async def _trial(
    bench: Bench,
    directory: RunDirectory,
    spec: TrialSpec,
    records: Sequence[Record],
    display: Display,
) -> list[Record]:
    """Run one trial and keep it. Raises StationError, when it is kept, if no other can follow."""
    tried = await again.attempts(partial(_run, bench, spec, display), records)
    firsts = [_kept(directory, tried.first, {}, display)] if tried.first else []
    record, columns = tried.done
    record = _with_packets(bench, directory, record)
    kept = _kept(directory, agreeing(record, records), columns, display)
    _require(bench, tried)
    return [*firsts, kept]


def _with_packets(bench: Bench, directory: RunDirectory, record: Record) -> Record:
    """The record with the packets that its trial left on the bench, which are kept first."""
    packets = bench.packets.pop(record.trial, None)
    return directory.keep_packets(record, packets) if packets and packets.files else record


def _require(bench: Bench, tried: again.Attempts) -> None:
    """Raise StationError if no other trial can follow."""
    again.require(tried)
    bench.require_free()


def _kept(directory: RunDirectory, record: Record, columns: Series, display: Display) -> Record:
    """Keep a record with its series."""
    kept = directory.keep(record, columns)
    display.result(kept)
    return kept
