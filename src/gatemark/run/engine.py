# SPDX-License-Identifier: Apache-2.0
"""A run from its first trial to its last: one at a time, each kept as it ends, resumable."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

from msgspec.structs import replace

from gatemark.error import GatemarkError, StationError
from gatemark.node.inventory import inventory
from gatemark.plan.model import NEW, OLD, TrialSpec
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.run.course import next_batch
from gatemark.run.estimate import Pace, estimate_s
from gatemark.run.rig import Rig
from gatemark.run.search.follow import following, is_outcome
from gatemark.run.search.seek import Doing, seek, steps_of
from gatemark.run.stop import on_stop
from gatemark.station import lock
from gatemark.station.station import Station
from gatemark.stats.standing import Standing
from gatemark.store import series
from gatemark.store.directory import RunDirectory, telling
from gatemark.store.record import Record
from gatemark.store.run import AB, Run
from gatemark.store.series import Series

ANOTHER = (
    "begun where the station lacked other things, so its values would not go together: "
    "resume it as the user who began it"
)


class Display(Protocol):
    """Who is told how a run goes on (report.live.Live)."""

    def begin(self, total_trials: int, estimate_s: float) -> None:
        """So many trials, about so long."""

    def more(self, trials: int) -> None:
        """So many trials more than was said: values spread too much."""

    def trial(self, spec: TrialSpec, index: int, seconds_left: float | None = None) -> None:
        """A trial starts."""

    def doing(self, text: str) -> None:
        """What is done before the next trial, if that may take long."""

    def seek(self, standing: Standing) -> None:
        """A search stands there now; its next trial starts."""

    def rate(self, value: float, unit: str) -> None:
        """What the sink sees now."""

    def result(self, record: Record) -> None:
        """A trial ended."""

    def warn(self, text: str) -> None:
        """Something to know at once."""

    def end(self) -> None:
        """The run ended."""


class StoppedError(GatemarkError):
    """The user stopped the run."""


def execute(
    directory: RunDirectory,
    station: Station,
    display: Display,
    others: Mapping[str, Station] = MappingProxyType({}),
) -> Run:
    """Run every trial of a run that has no record yet. Raises GatemarkError; records stay.

    `others`: the arms that are measured on a station of their own.
    """
    try:
        with directory.alone():
            directory.mend()
            return asyncio.run(_execute(directory, station, others, display))
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise StoppedError(
            f"stopped; what was measured is kept: `gatemark run --resume {directory.path}` goes on"
        ) from None
    finally:
        display.end()


async def _execute(
    directory: RunDirectory, station: Station, others: Mapping[str, Station], display: Display
) -> Run:
    task = asyncio.current_task()
    assert task is not None
    on_stop(task.cancel)
    run = directory.load()
    if next_batch(run, directory.records()):
        switch = run.ab.switch if run.ab else ""
        async with Rig(station, others, switch, directory.path, display.doing) as rig:
            try:
                run = await _batches(rig, directory, run, display)
            finally:
                await asyncio.shield(rig.give_back())
                run = _noted(directory, run, rig.told, display)
            if not run.ab:
                run = replace(run, after=await _inventory(station))
    run = replace(run, finished=datetime.now(UTC).isoformat(timespec="seconds"))
    directory.save(run)
    return run


async def _stand(
    rig: Rig, directory: RunDirectory, run: Run, spec: TrialSpec, records: Sequence[Record]
) -> Run:
    """Have a trial's bench stand, as when the run began; the first time it is looked over."""
    if not await rig.turn(spec):
        return run
    station = rig.bench.station
    began = run.ab.side(spec.arm.name).station if run.ab else run.station
    if began.missing != station.info.missing:
        raise StationError(f"{directory.path}: {ANOTHER}")
    if run.ab:
        for arm in (spec.arm.name,) if spec.boot else (OLD, NEW):  # one boot is that of both
            run = await _met(run, run.ab, arm, station)
    elif not run.before:
        run = replace(run, station=station.info, before=await _inventory(station))
    if spec.boot and _begun(spec, records):
        text = f"boot {spec.boot} of {spec.arm.name} was cut: its trials are of two boots"
        run = replace(run, notes=(*run.notes, text))
    directory.save(run)
    return run


async def _met(run: Run, test: AB, arm: str, station: Station) -> Run:
    """With what is found at the first boot of an arm."""
    side = test.side(arm)
    if side.inventory:
        return run
    side = replace(side, station=station.info, inventory=await _inventory(station))
    if arm == NEW:
        return replace(run, ab=replace(test, new=side))
    return replace(run, ab=replace(test, old=side), station=side.station, before=side.inventory)


def _begun(spec: TrialSpec, records: Sequence[Record]) -> bool:
    """Whether trials of the same boot were measured before the run was cut."""
    its = spec.plan, spec.arm.name, spec.boot
    return any((record.plan, record.arm, record.boot) == its for record in records)


async def _inventory(station: Station) -> dict[str, Any]:
    gateway = station.gateway
    return await inventory(gateway.node, gateway.devices.values(), gateway.told)


def _noted(directory: RunDirectory, run: Run, told: Sequence[str], display: Display) -> Run:
    """What there is to say of the gateway, kept with the run and told."""
    for line in dict.fromkeys(told):
        display.warn(line)
    if not told:
        return run
    run = directory.load()
    run = replace(run, notes=tuple(dict.fromkeys((*run.notes, *told))))
    directory.save(run)
    return run


async def _batches(rig: Rig, directory: RunDirectory, run: Run, display: Display) -> Run:
    """Run batch after batch; what the spread asks for is planned before it runs."""
    pace = Pace(asyncio.get_running_loop().time)
    records = directory.records()
    left = _left(run, records)
    first = next_batch(run, records)[0]
    if not first.boot:  # a station that cannot be built is told before any progress
        run = await _stand(rig, directory, run, first, records)
    display.begin(len(run.trials), estimate_s(left))
    while batch := next_batch(run, records):
        if batch[0].trial not in {spec.trial for spec in run.trials}:
            run = replace(run, trials=(*run.trials, *batch))
            directory.save(run)
            display.more(len(batch))
        for spec in batch:
            left = _left(run, records)
            if spec not in left:
                continue  # a search found it together with the one before
            run = await _stand(rig, directory, run, spec, records)
            display.trial(spec, len(run.trials) - len(left), pace.left_s(left))
            records += await _next(rig.bench, directory, spec, (left, records), display)
            still = {one.trial for one in _left(run, records)}
            for done in left:
                if done.trial not in still:
                    pace.done(done)
    return run


def _left(run: Run, records: Sequence[Record]) -> list[TrialSpec]:
    done = {record.trial for record in records}
    return [spec for spec in run.trials if spec.trial not in done]


async def _next(
    bench: Bench,
    directory: RunDirectory,
    spec: TrialSpec,
    so_far: tuple[Sequence[TrialSpec], Sequence[Record]],
    display: Display,
) -> list[Record]:
    """One trial, or the whole search that its record comes of; what was kept of it."""
    left, records = so_far
    why = bench.lacks(spec.arm)
    if not why and spec.search and is_outcome(spec):
        goals = [one for one in left if one.seeks == spec.seeks and is_outcome(one)]
        doing = _doing(bench, directory, display)
        return await seek(goals, steps_of(spec, records), doing)
    if not why and spec.search:
        spec, why = following(spec, records)
    if why:
        record = replace(trial.frame(bench, spec), status="skipped", reason=why)
        directory.append(record)
        display.result(record)
        return [record]
    return [await _trial(bench, directory, spec, display)]


def _doing(bench: Bench, directory: RunDirectory, display: Display) -> Doing:
    """A search's steps are trials as others are, but what they saw over time is not kept."""

    async def measure(spec: TrialSpec) -> Record:
        record, _ = await _measure(bench, spec, display)
        return record

    def keep(record: Record) -> None:
        directory.append(record)
        display.result(record)

    return Doing(measure, partial(trial.frame, bench), keep, display.seek)


async def _measure(bench: Bench, spec: TrialSpec, display: Display) -> tuple[Record, Series]:
    with lock.machine(display.warn):
        record, found = await trial.run(bench, spec, display.rate)
    if record.status != "ok":
        bench.station.require_alive()
    return record, found


async def _trial(
    bench: Bench, directory: RunDirectory, spec: TrialSpec, display: Display
) -> Record:
    """Run one trial and keep it."""
    record, found = await _measure(bench, spec, display)
    if found:
        name = f"{spec.sequence:05d}.parquet"
        with telling(directory.path):
            series.write(directory.series / name, found)
        record = replace(record, series=name)
    directory.append(record)
    display.result(record)
    return record
