# SPDX-License-Identifier: Apache-2.0
"""A run from its first trial to its last: one at a time, each kept as it ends, resumable."""

import asyncio
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from gatemark.error import GatemarkError, StationError, UsageError
from gatemark.node.inventory import inventory
from gatemark.node.shield import whole
from gatemark.plan.model import NEW, OLD, TrialSpec
from gatemark.plan.trace import SOURCES
from gatemark.plan.workloads import by_name
from gatemark.run import so_far, stop
from gatemark.run.bench import Bench
from gatemark.run.course import next_batch
from gatemark.run.display import Display
from gatemark.run.duration import Pace, estimate_s
from gatemark.run.measure import machine, measure
from gatemark.run.preflight import refusal
from gatemark.run.rig import Rig, boot_for_resets
from gatemark.station.mode import Mode
from gatemark.station.station import Station
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from gatemark.store.run import AB, Run, StationInfo, Tune
from gatemark.tell.words.refusal import by_reason

ANOTHER = (
    "begun where the station lacked other things, so its values would not go together: "
    "do so as the user who began it"
)
FRESH = "put that back as it was, or begin a new run"
WAITED_S = 5.0  # for other runs: from there on the run's notes say it


class StoppedRunError(GatemarkError):
    """A signal stopped the run."""


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
            directory.repair()
            return stop.run(_execute(directory, station, others, display), display.warn)
    except StationError as error:
        # Of its kind: a campaign waits for some.
        raise type(error)(f"{error}; {again(directory)}") from None
    except stop.StoppedError:
        raise StoppedRunError(f"stopped; what was measured is kept: {again(directory)}") from None
    finally:
        display.end()


def again(directory: RunDirectory) -> str:
    """The command that goes on with it."""
    verb = "tune" if directory.load().tune else "run"
    return f"`gatemark {verb} --resume {directory.path}` goes on"


async def _execute(
    directory: RunDirectory, station: Station, others: Mapping[str, Station], display: Display
) -> Run:
    run = directory.load()
    records = directory.records()
    if next_batch(run, records):
        require_same_stations(run, station, others)
        if records:
            require_same_traces(run)
        else:
            run = replace(run, traces=traces(run))
            directory.save(run)
        boot_for_resets(run.trials, (station, *others.values()))
        async with Rig(station, others, _switches(run), directory.folder, display.doing) as rig:
            try:
                run = await _batches(rig, directory, run, display)
            finally:
                await whole(rig.give_back())
                run = _noted(directory, run, [*rig.messages, *waited(display)], display)
            if not run.ab and not run.sides:
                run = replace(run, after=await _inventory(station))
    run = replace(run, finished=datetime.now(UTC).isoformat(timespec="seconds"))
    directory.save(run)
    return run


async def _stand(
    rig: Rig, directory: RunDirectory, run: Run, spec: TrialSpec, records: Sequence[Record]
) -> Run:
    """Bring up a trial's bench as it was when the run began; check it the first time."""
    if not await rig.turn(spec):
        return run
    station = rig.bench.station
    if began(run, spec.arm.name).missing != station.info.missing:
        raise StationError(f"{directory.path}: {ANOTHER}")
    if run.ab:
        is_own = spec.boot and not spec.turn.ms
        for arm in (spec.arm.name,) if is_own else (OLD, NEW):  # one boot is that of both
            run = await _met(run, run.ab, arm, station)
    elif spec.arm.name in run.sides:
        run = await _built(run, spec.arm.name, station)
    elif not run.before:
        run = replace(run, station=station.info, before=await _inventory(station))
        run = replace(run, tune=_known(run.tune, station))
    if spec.boot and _begun(spec, records):
        text = f"boot {spec.boot} of {spec.arm.name} was cut: its trials are of two boots"
        run = replace(run, notes=(*run.notes, text))
    directory.save(run)
    return run


def _known(tune: Tune | None, station: Station) -> Tune | None:
    """The search with the names that the lines to type need."""
    if not tune:
        return None
    is_openwrt = station.gateway.mode is Mode.OPENWRT
    return replace(tune, ports=dict(station.gateway.devices), openwrt=is_openwrt)


async def _met(run: Run, test: AB, arm: str, station: Station) -> Run:
    """The run with an arm's inventory, taken at its first boot."""
    side = test.side(arm)
    if side.inventory:
        return run
    side = replace(side, station=station.info, inventory=await _inventory(station))
    if arm == NEW:
        return replace(run, ab=replace(test, new=side))
    return replace(run, ab=replace(test, old=side), station=side.station, before=side.inventory)


async def _built(run: Run, build: str, station: Station) -> Run:
    """The run with a build's inventory, taken at its boot; the first one's is that of the run."""
    side = run.sides[build]
    if side.inventory:
        return run
    side = replace(side, station=station.info, inventory=await _inventory(station))
    sides = run.sides | {build: side}
    if run.before:
        return replace(run, sides=sides)
    return replace(run, sides=sides, station=side.station, before=side.inventory)


def _switches(run: Run) -> dict[str, str]:
    """Arm -> the command that brings the gateway to it."""
    if run.ab and run.ab.switch:
        return dict.fromkeys((OLD, NEW), run.ab.switch)
    return {build: side.switch for build, side in run.sides.items() if side.switch}


def _begun(spec: TrialSpec, records: Sequence[Record]) -> bool:
    """Return whether trials of the same boot were measured before the run was cut."""
    its = spec.plan, spec.arm.name, spec.boot
    return any((record.plan, record.arm, record.boot) == its for record in records)


async def _inventory(station: Station) -> dict[str, Any]:
    gateway = station.gateway
    taken = await inventory(gateway.node, gateway.devices.values(), gateway.stated)
    return taken | ({"bench": dict(gateway.bench)} if gateway.bench else {})


def _noted(directory: RunDirectory, run: Run, messages: Sequence[str], display: Display) -> Run:
    """Messages about the gateway, kept with the run and shown."""
    for line in dict.fromkeys(messages):
        display.warn(line)
    if not messages:
        return run
    run = directory.load()
    run = replace(run, notes=tuple(dict.fromkeys((*run.notes, *messages))))
    directory.save(run)
    return run


def waited(display: Display) -> Iterator[str]:
    """The time that the run waited for others, if that is worth a line."""
    if display.waited_s >= WAITED_S:
        yield f"waited {display.waited_s:.0f} s in all for other runs on this machine"


async def _batches(rig: Rig, directory: RunDirectory, run: Run, display: Display) -> Run:
    """Run batch after batch; what the spread asks for is planned before it runs."""
    records = directory.records()
    left = _left(run, records)
    first = next_batch(run, records)[0]
    if not first.boot:  # a station that cannot be built is reported before any progress
        run = await _stand(rig, directory, run, first, records)
        await _warn_of_skipped(rig.bench, run, left, display)
    display.begin(len(run.trials), estimate_s(left))
    pace = Pace(asyncio.get_running_loop().time, lambda: display.waited_s)
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
            records += await measure(rig, directory, spec, (left, records), display)
            still = _left(run, records)
            names = {spec.trial for spec in still}
            pace.done(done for done in left if done.trial not in names)
            if so_far.is_answered(run, still):
                display.answer(partial(so_far.lines, run, records))
    return run


async def _warn_of_skipped(
    bench: Bench, run: Run, left: Sequence[TrialSpec], display: Display
) -> None:
    """Say which arms will be skipped before minutes are measured, where trying is quick."""
    if refusal.is_quick(bench) and (arms := refusal.tried(left)):
        async with machine(display):  # setting arms would disturb another run
            reasons = await refusal.on_bench(bench, arms)
        for line in by_reason(refusal.of_trials(left, run.plans, reasons), len(run.plans)):
            display.warn(f"will be skipped: {line}")


def _left(run: Run, records: Sequence[Record]) -> list[TrialSpec]:
    done = {record.trial for record in records}
    return [spec for spec in run.trials if spec.trial not in done]


def began(run: Run, arm: str) -> StationInfo:
    """The station of an arm as the run began on it; the run's where the arm has none of its own."""
    side = run.ab.side(arm) if run.ab else run.sides.get(arm)
    return side.station if side else run.station


def require_same_stations(run: Run, station: Station, others: Mapping[str, Station]) -> None:
    """Raise UsageError if a station is another one now; nothing is touched yet."""
    for arm in dict.fromkeys(spec.arm.name for spec in run.trials):
        if run.sides and arm not in run.sides:
            continue  # the tester alone: the run's station is that of whichever build came first
        bench = others.get(arm, station)
        if change := changed(began(run, arm), bench.info):
            raise UsageError(f"{run.run}: the station {bench.name} {change}: {FRESH}")


def require_same_traces(run: Run) -> None:
    """Raise UsageError if a trace is another one now; a run of before they were kept goes on."""
    if not run.traces:
        return
    for trace, digest in traces(run).items():
        if run.traces.get(trace, digest) != digest:
            raise UsageError(f"{run.run}: {trace} is another file now: {FRESH}")


def changed(was: StationInfo, now: StationInfo) -> str:
    """How a station differs from what it was, or nothing."""
    if was.kind != now.kind:
        return f"was of kind {was.kind} and is of kind {now.kind}"
    if not was.made_of:
        return ""
    for key in {**was.made_of, **now.made_of}:
        before, after = (made.made_of.get(key, "nothing") for made in (was, now))
        if before != after:
            return f"had {before} as {key} and has {after}"
    return ""


def traces(run: Run) -> dict[str, str]:
    """The files that a run replays, each with its SHA-256. Raises UsageError."""
    loads = [load for spec in run.trials for load in by_name(spec).values()]
    files = {load.trace for load in loads if load.kind == "replay"} - {*SOURCES}
    return {trace: _digest(Path(trace)) for trace in sorted(files)}


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}: {FRESH}") from None
