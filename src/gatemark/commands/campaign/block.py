# SPDX-License-Identifier: Apache-2.0
"""One block, in a process of its own: all builds of a model with one suite, on one station.

It holds the lock of its folder, so a second one that is asked for the same waits for it; and below
every scheduler it holds the station.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer
from msgspec.structs import replace

from gatemark.commands.campaign import console
from gatemark.commands.console import output
from gatemark.commands.measure import begin, examine, measure, planned, require
from gatemark.commands.option.asked import Asked, within
from gatemark.commands.trust import check
from gatemark.error import BusyError, GatemarkError
from gatemark.fleet.executor import Arm, Task

AGAIN_S = 10.0  # between two looks whether a station is free

if TYPE_CHECKING:
    from gatemark.plan.model import Plan, Suite
    from gatemark.station.station import Station
    from gatemark.store.run import Run


def do(place: Path) -> None:
    """Do the block of a folder, or wait for who does; then `end.json` says how it ended."""
    from gatemark.run.engine import StoppedRunError
    from gatemark.run.stop import StoppedError
    from gatemark.store import file

    task = msgspec.json.decode((place / "task.json").read_bytes(), type=Task)
    place = place.resolve()
    with held(place / "lock"):
        if (place / "end.json").exists():
            return
        code, why = 0, ""
        os.chdir(task.base)
        try:
            with _station(task), console.kept(task.console, place / console.LOG):
                _measure_once_free(place / "run", task)
        except (StoppedRunError, StoppedError):
            raise
        except GatemarkError as error:
            code, why = error.exit_code, str(error) + console.last(place / console.LOG)
        console.move(place / console.LOG, place / "run")
        file.put(place / "end.json", msgspec.json.encode({"code": code, "why": why}))
        if code:
            raise typer.Exit(code)


@contextmanager
def _station(task: Task) -> Iterator[None]:
    """Hold the station, below every scheduler; a virtual one is each block's own."""
    if not task.lock:
        yield
        return
    with held(locks() / f"station-{task.lock}.lock"):
        yield


def locks() -> Path:
    """Where stations are locked: for root where labs are, else in the user's own state.

    Raises UnavailableError where the user has no place for it.
    """
    from gatemark.station import lock
    from gatemark.store import xdg

    place = lock.folder() if os.geteuid() == 0 else xdg.state() / "locks"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a lock that says by whom; waited for as long as it takes."""
    from gatemark.store.folder import Folder

    with Folder(path.parent).appending(path.name) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n".encode())
        yield


def chosen(task: Task, bench: "Station") -> "tuple[Suite, Plan, tuple[str, ...]]":
    """The suite, the plan with the builds as its arms, and what is to be known of it.

    Raises UsageError.
    """
    from gatemark.error import UsageError
    from gatemark.plan.ab import among, own, setup
    from gatemark.plan.exact import EXACT

    asked = Asked(task.plan, task.station, task.variant, task.settings, exact=task.exact)
    asked, notes = within(asked, bench.able, bench.info.kind)
    suite, plans = asked.chosen()
    if len(plans) > 1:
        names = ", ".join(plan.name for plan in plans)
        raise UsageError(f"suite {task.plan}: name one of its plans: {names}")
    plan = plans[0]
    if task.exact:
        plan = replace(plan, figure=EXACT if len(task.arms) > 1 else "auto")
    arms = [
        replace(setup(arm.setup) if arm.setup else own(plan), name=arm.name, against="")
        for arm in task.arms
    ]
    return suite, among(plan, arms, 1), notes


def _measure_once_free(path: Path, task: Task) -> None:
    """Wait for whoever else measures the station: that is no fault of the station's.

    Raises BusyError where that takes longer than a run may hold a machine.
    """
    from gatemark.station import lock

    until = time.monotonic() + lock.RUN_S
    while True:
        try:
            _measure(path, task)
        except BusyError as busy:
            if time.monotonic() >= until:
                raise
            output.say(f"{busy}; tried again in {AGAIN_S:g} s", err=True)
            time.sleep(AGAIN_S)
        else:
            return


def _measure(path: Path, task: Task) -> None:
    from gatemark.station.load import load
    from gatemark.store.directory import RunDirectory, telling
    from gatemark.store.folder import inside
    from gatemark.tell import page
    from gatemark.tell.group import source

    bench = load(task.station)
    others = {arm.name: load(arm.station) for arm in task.arms if arm.station}
    for each in (bench, *others.values()):
        each.boot_each()  # blocks are compared, and boots differ
    made = _planned(task, bench, others)
    if os.path.lexists(inside(path.parent, path.name) / "run.json"):
        directory = RunDirectory.open(path)
        _require_asked(path, directory.load(), made)
        for each in (bench, *others.values()):
            require(directory.load().plans, each)
    else:
        directory = begin(path, made)
    measure(directory, bench, others)
    judged = source.judged(directory.contents(), directory.path)
    with telling(directory.path):
        directory.write_page(page.render([judged]))


def _require_asked(path: Path, run: "Run", asked: "Run") -> None:
    """Raise UsageError where a begun run would execute what its task does not: it is another's."""
    from gatemark.error import UsageError
    from gatemark.store import begun

    if begun.of(run).executed != begun.of(asked).executed:
        raise UsageError(f"{path}: not begun by this campaign, and executes other things")
    check(path, run)


def _planned(task: Task, bench: "Station", others: "dict[str, Station]") -> "Run":
    """The run that a task asks for. Raises GatemarkError where it cannot be measured."""
    from gatemark.error import UnavailableError
    from gatemark.store.run import Side

    suite, plan, notes = chosen(task, bench)
    named = {arm.name: arm for arm in plan.arm}
    for arm in task.arms:
        if why := others.get(arm.name, bench).lacks(named[arm.name]):
            raise UnavailableError(f"{arm.name}: {why}")
    examine([plan])
    for each in (bench, *others.values()):
        require([plan], each)
    sides = {
        arm.name: Side(
            name=_words(arm),
            station_file=arm.station or task.station,
            station=others.get(arm.name, bench).info,
            switch=arm.switch,
        )
        for arm in task.arms
    }
    made = planned(suite, [plan], bench, task.seed, ("gatemark", "campaign", "block", task.name))
    return replace(
        made, run=task.name, title=task.title, station_file=task.station, sides=sides, notes=notes
    )


def _words(arm: Arm) -> str:
    return f"{arm.name} ({arm.setup})" if arm.setup else arm.name
