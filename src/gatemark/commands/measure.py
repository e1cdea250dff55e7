# SPDX-License-Identifier: Apache-2.0
"""The steps that verbs share which measure: a run examined, planned, measured, gone on with."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from gatemark.commands.console import output
from gatemark.commands.runs.locate import located
from gatemark.commands.trust import require_run
from gatemark.error import UnavailableError

if TYPE_CHECKING:
    from gatemark.plan.model import Plan, Suite
    from gatemark.station.station import Station
    from gatemark.store.directory import RunDirectory
    from gatemark.store.run import Run

RUNS = Path("gatemark-runs")
INVALID = 4  # exit code: measured, but no trial may be used


def begin(path: Path, run: "Run") -> "RunDirectory":
    """The directory of a new run, which is this user's own. Raises UsageError as `create` does."""
    from gatemark.store import begun
    from gatemark.store.directory import RunDirectory

    directory = RunDirectory.create(path, run)
    begun.of(run).mark()
    return directory


def reopen(path: Path, *, trust: bool) -> "RunDirectory":
    """A run to go on with; what is not whole is reported. Raises UsageError of another's run."""
    from gatemark.store.directory import RunDirectory

    directory = RunDirectory.open(located(path))
    contents = directory.contents()
    for fault in contents.faults:
        output.say(f"{directory.path}: {fault}", err=True)
    require_run(directory.path, contents.run, trust=trust)
    return directory


def examine(plans: Iterable["Plan"]) -> None:
    """Raise UsageError if what is to be replayed cannot be, or does not fit the line before it."""
    from gatemark.plan.expand import loads_at, points
    from gatemark.plan.line.keys import line_at

    loads = [
        (load, line_at(plan, point))
        for plan in plans
        for point in points(plan)
        for load in loads_at(plan, point).values()
    ]
    if replays := [pair for pair in loads if pair[0].kind == "replay"]:
        from gatemark.kind.replay import room
        from gatemark.kind.replay.load import examine

        for load, line in replays:
            examine(load)
            room.require(load, line)


def require(plans: Iterable["Plan"], bench: "Station") -> None:
    """Raise UnavailableError if nothing can be measured here; an ordinary user is let in."""
    from gatemark.kind.tool import otg, program
    from gatemark.plan.device import pairs
    from gatemark.plan.driver import tools
    from gatemark.plan.exact import counts, is_traceable, of_programs
    from gatemark.plan.kind import RULES

    needed = tools(plans)
    program.require(name for name in needed if name != otg.NAME)
    if otg.NAME in needed:
        otg.require()
    for rules in RULES.values():
        rules.require(plans)
    if counted := [plan for plan in plans if counts(plan)]:
        try:
            bench.count(pairs(plans), programs=any(map(of_programs, counted)))
        except UnavailableError:
            if not all(map(is_traceable, counted)):
                raise
    bench.enter()


def planned(
    suite: "Suite", plans: list["Plan"], bench: "Station", seed: int, command: tuple[str, ...]
) -> "Run":
    """A run of these plans that has begun just now; its name is to be given."""
    import platform

    import gatemark
    from gatemark.node import binary
    from gatemark.plan.order import order
    from gatemark.store.run import Run

    versions = {"gatemark": gatemark.__version__, "python": platform.python_version()}
    return Run(
        run="",
        suite=suite.name,
        title=suite.title,
        command=command,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        seed=seed,
        station=bench.info,
        plans=tuple(plans),
        trials=order(plans, seed, by_path=bench.info.by_path),
        versions=versions | {f"agent {arch}": built for arch, built in binary.builds()},
    )


def measure(
    directory: "RunDirectory",
    bench: "Station",
    others: Mapping[str, "Station"] = MappingProxyType({}),
) -> None:
    """Run what has no record yet; `others` are the stations of single arms."""
    from gatemark.edition import edition
    from gatemark.run import stop
    from gatemark.run.engine import execute
    from gatemark.station.recover import recover
    from gatemark.tell.live import Live

    edition()  # of the rules as they are now: files may change while it measures
    run = directory.load()
    repeats = {p.name: p.repeat.times * max(1, p.repeat.boots) for p in run.plans}
    live = Live(repeats)
    for line in (*run.notes, *stop.later(recover)):
        live.warn(line)
    execute(directory, bench, live, others)
