# SPDX-License-Identifier: Apache-2.0
"""The coordinator: begins a campaign's folder, holds it, and sends its blocks to their stations."""

import asyncio
import hashlib
import os
import secrets
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from gatemark import flock
from gatemark.commands.campaign import answer, carried, foreign
from gatemark.commands.campaign.block import locks
from gatemark.commands.campaign.layout import TOML, Layout, key, on_station
from gatemark.commands.console import output
from gatemark.error import GatemarkError, UsageError
from gatemark.fleet import kept
from gatemark.fleet.course import CANCEL, DRAIN, RUNS, Course
from gatemark.fleet.file import read
from gatemark.fleet.ledger import NAME, Attempt, Block, Ledger
from gatemark.store import file
from gatemark.store.folder import Folder, inside, require_own, sync

if TYPE_CHECKING:
    from gatemark.station.power.plug import Plug

FILE: Final = "campaign.toml"  # in the campaign's folder: the file as it was read
DRAFT: Final = ".campaign.db.draft"
CYCLE_S: Final = 300.0  # the user's command that cycles a station's power
COPIED: Final = "copied from"
ASKED_S: Final = 0.01  # between two attempts to hold what is only asked about


def begin(path: Path, folder: Path) -> None:
    """Make the folder of a new campaign. Raises UsageError; then nothing is left."""
    _refuse_begun(folder)
    made = read(path)
    planned = Layout(made, path, path.resolve().parent)
    answer.refuse_idle(planned)
    hashes = list(planned.hashes())
    blocks = planned.blocks()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        sync(folder.parent)
        require_own(folder.resolve())
        with alone(folder):
            _refuse_begun(folder)  # by another one, while this one was planned
            text = path.read_bytes()
            file.put(folder / FILE, text)
            (folder / DRAFT).unlink(missing_ok=True)
            _fill(planned, folder, hashlib.sha256(text).hexdigest(), hashes, blocks)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}: name another --out") from None


def _refuse_begun(folder: Path) -> None:
    if os.path.lexists(folder / NAME):
        raise UsageError(f"{folder} holds a campaign: `gatemark campaign resume {folder}`")


def _fill(
    planned: Layout,
    folder: Path,
    file_hash: str,
    hashes: Sequence[tuple[str, str, int, str]],
    blocks: Sequence[Block],
) -> None:
    """Make the ledger: it is there whole, or not at all. `file_hash`: of the campaign's."""
    ledger = Ledger(folder / DRAFT, time.time)
    meta = [("id", secrets.token_hex(8)), ("base", str(planned.base)), ("file", file_hash)]
    places = [(name, model.name) for name, (_, model) in planned.places.items()]
    ledger.create(meta, places, hashes, blocks)
    ledger.close()
    (folder / DRAFT).rename(folder / NAME)
    sync(folder)


def opened(folder: Path) -> tuple[Layout, Ledger]:
    """An existing campaign. Raises UsageError where there is none."""
    ledger = Ledger.open(folder, time.time)
    text = Folder(folder).read(FILE) if os.path.lexists(folder / FILE) else b""
    if hashlib.sha256(text).hexdigest() != ledger.meta("file"):
        raise UsageError(f"{folder / FILE}: not as it was when the campaign began: get it back")
    base = Path(ledger.meta("base"))
    layout = Layout(read(folder / FILE), folder / FILE, base, folder.resolve())
    foreign.require_agreeing(layout, ledger)
    return layout, ledger


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the campaign: it has one coordinator. Raises UsageError.

    Who only asks whether somebody holds it has it for a moment, and is waited for.
    """
    with flock.opened(folder) as handle:
        while not flock.take(handle):
            if flock.is_held(handle):
                who = flock.owner(handle) or "another process"
                raise UsageError(f"{folder}: {who} runs this campaign: `gatemark campaign status`")
            time.sleep(ASKED_S)
        yield


def is_going(folder: Path) -> bool:
    """Return whether a coordinator has the campaign just now."""
    with flock.opened(folder) as handle:
        return flock.is_held(handle)


def coordinate(folder: Path, *, take_over: bool = False, trust: bool = False) -> None:
    """Run what is left of a campaign. Raises GatemarkError; what was measured stays.

    What another's campaign executes is asked for, unless that is trusted.
    """
    from gatemark.station import lock

    layout, ledger = opened(folder)
    foreign.require(folder, layout, ledger, agreed=trust)
    with alone(folder), ExitStack() as held:
        if ledger.meta(COPIED):
            _take_over(ledger, take_over=take_over)
        _unchanged(layout, ledger)
        for name, (path, _) in layout.places.items():
            held.enter_context(_own(name, path, layout, folder))
        for request in (DRAIN, CANCEL):
            (folder / request).unlink(missing_ok=True)
        tell = _teller(ledger)
        executor = carried.executor_of(ledger, folder)
        # A deadline is of this process alone, and the time of day may be set meanwhile.
        course = Course(folder, ledger, executor, layout.task, time.monotonic)
        if all(layout.is_virtual(path) for path, _ in layout.places.values()):
            course.most = max(1, len(os.sched_getaffinity(0)))  # a third only makes all slower
        course.sharing = len(layout.places)
        course.patience_s = lock.RUN_S
        course.tell = tell
        course.control = lambda attempt, of: control(layout, ledger, folder, (attempt, of))
        course.cycle = lambda name: cycle(layout, folder, name)
        _run(course)
        if course.is_stopped:
            raise GatemarkError(f"stopped: `gatemark campaign resume {folder}` goes on")


def _run(course: Course) -> None:
    """Signals end it in order: blocks are stopped, gateways given back."""
    from gatemark.run.stop import SIGNALS

    def stop(*_: object) -> None:
        course.is_stopped = True

    heeded = [n for n in SIGNALS if signal.getsignal(n) != signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in heeded}
    try:
        course.run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def control(layout: Layout, ledger: Ledger, folder: Path, of: tuple[Attempt, Block]) -> str:
    """Keep a block's control; why the block may not count, or nothing."""
    from gatemark.judge.change.health import verdict

    attempt, its = of
    path, _ = layout.places[attempt.station]
    if layout.is_virtual(path):  # made anew for each block: there is nothing to be quarantined
        return ""
    why = ""
    for quantity, value in _controls(layout, folder, its.suite, attempt):
        name = f"{its.suite} {quantity}"
        good = [v for v, word in ledger.controls(attempt.station, name) if word == "good"]
        word = verdict(good, value)
        ledger.control(attempt, name, value, word)
        if word != "good":
            why = why or f"its control ({quantity}) shows a {word}"
    return why


def _controls(
    layout: Layout, folder: Path, suite: str, attempt: Attempt
) -> Iterator[tuple[str, float]]:
    """The tester alone, and the reference: the median of the block's values, above 0."""
    from gatemark.judge.change.arms import DIRECT
    from gatemark.store.directory import RunDirectory
    from gatemark.tell.group import kept

    directory = RunDirectory.open(inside(folder, RUNS, attempt.folder))
    rows = kept.judgement(directory.contents(), directory.path).rows
    direct = [row.interval.value for row in rows if row.definition.path == DIRECT]
    first = layout.campaign.build[0].name
    reference = [row.interval.value for row in rows if row.arm == first]
    for name, values in (("direct", direct), ("reference", reference)):
        if name in layout.campaign.health.control and values and min(values) > 0:
            yield name, median(values)


def cycle(layout: Layout, folder: Path, name: str) -> None:
    """Cycle a station's power: by the user's command, or by the plug of its file, if it has any."""
    from gatemark.run.switch import switch
    from gatemark.store.folder import Folder

    path, model = layout.places[name]
    try:
        if model.power:
            work = switch(on_station(model.power, path), name, Folder(folder), layout.base)
            asyncio.run(asyncio.wait_for(work, CYCLE_S))
        elif plug := _plug(path):
            plug.cycle()
    except (GatemarkError, TimeoutError) as error:
        output.say(f"{name}: its power could not be cycled: {error}", err=True)


def _plug(path: str) -> "Plug | None":
    """The plug that a station file names. Raises UsageError."""
    from gatemark.plan.toml import read_toml
    from gatemark.station.power.plug import Plug
    from gatemark.station.power.power import meter

    if not path.endswith(TOML):
        return None
    table = read_toml(Path(path)).get("power")
    named = meter(table, Path(path)) if table else None
    return named if isinstance(named, Plug) else None


def copy(folder: Path, to: Path) -> None:
    """A sound copy of a campaign, also of one that runs. Raises UsageError."""
    layout, ledger = opened(folder)
    is_own = foreign.begun(layout, ledger).is_own()
    try:
        to.mkdir(parents=True)
    except OSError as error:
        raise UsageError(f"{to}: {error.strerror}: name a folder that is not there") from None
    ledger.copy(to / NAME)  # first: what it counts is in `runs/` already
    with closing(Ledger(to / NAME, time.time)) as target:
        target.put("id", secrets.token_hex(8))
        target.put(COPIED, str(folder.resolve()))
        file.put(to / FILE, Folder(folder).read(FILE))
        # What was begun since has a number that the copy will give another attempt.
        for attempt in target.attempts():
            run = inside(folder, RUNS, attempt.folder)
            if run.is_dir():
                _copy_run(run, to / RUNS / attempt.folder)
        if is_own:
            foreign.begun(layout, target).mark()


def _copy_run(run: Path, to: Path) -> None:
    """A link in it stays a link. Raises GatemarkError."""
    try:
        shutil.copytree(run, to, symlinks=True)
    except OSError as error:  # shutil's own, too, of a pipe or a device
        raise GatemarkError(f"{run}: cannot be copied: {error}") from None


def check(folder: Path) -> Iterator[str]:
    """Yield the faults of the database, of folders' hashes, of missing or double trials."""
    from gatemark.store.directory import RunDirectory

    _, ledger = opened(folder)
    yield from ledger.faults()
    for attempt in ledger.attempts("state IN ('stored', 'done')"):
        path = folder / RUNS / attempt.folder
        try:
            inside(folder, RUNS, attempt.folder)
            if kept.hash_of(path) != attempt.hash:
                yield f"{path}: not what was measured: its hash is another"
            directory = RunDirectory.open(path)
            made = directory.contents()
        except GatemarkError as error:
            yield str(error)
            continue
        yield from (f"{path}: {fault}" for fault in made.faults)
        names = [record.trial for record in made.records]
        planned = {spec.trial for spec in made.run.trials}
        if len(names) > len(set(names)):
            yield f"{path}: a trial is kept twice"
        if missing := planned - set(names):
            yield f"{path}: {len(missing)} trials are missing"


def cancel(folder: Path) -> bool:
    """Ask its coordinator to end, or end what an earlier one left; whether one was there."""
    ledger = Ledger.open(folder, time.time)
    if is_going(folder):
        Folder(folder).append(CANCEL, b"")
        return True
    if carried.is_elsewhere(ledger):
        foreign.require_carrier(folder, *opened(folder))
    executor = carried.executor_of(ledger, folder)
    for attempt in ledger.attempts("state IN ('claimed', 'started')"):
        executor.stop(attempt)
    return False


def readmit(folder: Path, name: str) -> None:
    """Have a quarantined station get blocks again; a bad control ends that at once.

    Raises UsageError.
    """
    from gatemark.plan.toml import nearest

    ledger = Ledger.open(folder, time.time)
    with alone(folder):
        states = {place.name: place.state for place in ledger.places()}
        if name not in states:
            raise UsageError(f"{folder}: no station {name!r}{nearest(name, list(states))}")
        if states[name] != "quarantined":
            raise UsageError(
                f"{folder}: station {name} is {states[name]}: only a quarantined one is taken back"
            )
        ledger.mark(name, "suspect", "taken back; its next control decides")


def _take_over(ledger: Ledger, *, take_over: bool) -> None:
    if not take_over:
        raise UsageError(
            f"a copy of {ledger.meta(COPIED)}: --take-over runs it, if the other one will not"
        )
    for attempt in ledger.attempts("state IN ('claimed', 'started')"):
        ledger.drop(attempt.id, "void", "its folder stayed with the campaign that was copied")
    ledger.put(COPIED, "")


def _unchanged(layout: Layout, ledger: Ledger) -> None:
    """Raise UsageError where an image is another than at the beginning."""
    before = {(model, build): hash_ for model, build, hash_ in ledger.builds()}
    for model, build, _, hash_ in layout.hashes():
        if before[model, build] != hash_:
            raise UsageError(
                f"the image of {build} for {model} changed since the campaign began: "
                "begin another campaign"
            )


@contextmanager
def _own(name: str, path: str, layout: Layout, folder: Path) -> Iterator[None]:
    """Hold a device for this campaign. Raises UsageError where another has it."""
    if layout.is_virtual(path):
        yield
        return
    with (locks() / f"campaign-{key(path)}.lock").open("a+") as held:
        if not flock.take(held):
            held.seek(0)
            raise UsageError(
                f"station {name} is in the campaign {held.read().strip()}: wait for it"
            )
        held.truncate(0)
        held.write(f"{folder.resolve()}\n")
        held.flush()
        yield


def _teller(ledger: Ledger) -> Callable[[str], None]:
    """Lines on stderr, with how far it is."""

    def tell(text: str) -> None:
        counts = ledger.counts()
        done = sum(count for (_, state), count in counts.items() if state == "done")
        output.say(f"[{done}/{sum(counts.values())}] {text}", err=True)

    return tell
