# SPDX-License-Identifier: Apache-2.0
"""`gatemark run`: measure, keep every trial, tell the answer, write the report."""

import secrets
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands import output, wire
from gatemark.commands.asked import Asked, within
from gatemark.commands.setting import SET_HELP, VARIANT_HELP
from gatemark.error import UnavailableError, UsageError

if TYPE_CHECKING:
    from gatemark.plan.model import Plan, Suite
    from gatemark.station.station import Station
    from gatemark.store.directory import RunDirectory
    from gatemark.store.run import Run

DEFAULT_SUITE = "quick"
RUNS = Path("gatemark-runs")
INVALID = 4  # exit code: measured, but no trial may be used


def run(
    name: Annotated[
        str | None, typer.Argument(metavar="[SUITE|PLAN]", help="See `gatemark list`  [quick]")
    ] = None,
    station: Annotated[str | None, typer.Option(help="A station's name or file.  [lab]")] = None,
    variant: Annotated[str, typer.Option(help=VARIANT_HELP)] = "",
    set_: Annotated[list[str] | None, typer.Option("--set", help=SET_HELP)] = None,
    driver: Annotated[str, typer.Option(help=wire.DRIVER_HELP)] = "",
    port: Annotated[list[str] | None, typer.Option(help=wire.PORT_HELP)] = None,
    out: Annotated[
        Path | None, typer.Option(help=f"The run's directory (default: {RUNS}/...).")
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Count a packet's instructions (station qemu-...).")
    ] = False,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with the run in this directory.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Order the trials by this number.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print each value as JSON.")] = False,
) -> None:
    """Run a suite or a plan on a station, and write its report."""
    from gatemark.commands import ab  # it measures by this module
    from gatemark.station.load import load as load_station

    if resume:
        if name or station or variant or exact or set_ or driver or port or out or seed is not None:
            raise UsageError("--resume goes on with a run as it was planned: leave out the rest")
        directory = reopen(resume)
        if directory.load().ab:
            ab.finish(directory, json_=json_)
            return
        bench = load_station(directory.load().station_file)
        require(directory.load().plans, bench)
    else:
        settings, ports = tuple(set_ or ()), wire.split(port or ())
        asked = Asked(name or DEFAULT_SUITE, station, variant, settings, driver, ports, exact)
        bench = load_station(asked.station_file)
        directory = _begin(asked, bench, out, seed)
    measure(directory, bench)
    _tell(directory, json_=json_)


def reopen(path: Path) -> "RunDirectory":
    """A run to go on with; what is not whole is told."""
    from gatemark.store.directory import RunDirectory

    directory = RunDirectory.open(path)
    for fault in directory.contents().faults:
        typer.echo(f"{path}: {fault}", err=True)
    return directory


def _begin(asked: Asked, bench: "Station", out: Path | None, seed: int | None) -> "RunDirectory":
    from msgspec.structs import replace

    from gatemark.store.directory import RunDirectory

    asked, notes = within(asked, bench.able, bench.info.kind)
    suite, plans = asked.chosen()
    examine(plans)
    require(
        plans, bench
    )  # before the directory is made: where nothing can be measured, none is left
    now = datetime.now(UTC)
    title = f"{now:%Y%m%d-%H%M%S}-{suite.name.replace('/', '-')}"
    seed = secrets.randbelow(1 << 31) if seed is None else seed
    path = out or RUNS / title
    made = planned(suite, plans, bench, seed, asked.command(seed))
    made = replace(made, run=title, station_file=asked.station_file, notes=notes)
    return RunDirectory.create(path, made)


def examine(plans: Iterable["Plan"]) -> None:
    """Raise UsageError if a capture that is to be replayed cannot be."""
    from gatemark.plan.expand import points, workload_at

    loads = [workload_at(plan, point) for plan in plans for point in points(plan)]
    if replays := [load for load in loads if load.kind == "replay"]:
        from gatemark.workload.replay import examine

        for load in replays:
            examine(load)


def require(plans: Iterable["Plan"], bench: "Station") -> None:
    """Raise UnavailableError if nothing can be measured here; an ordinary user is let in."""
    from gatemark.plan.device import pairs
    from gatemark.plan.driver import tools
    from gatemark.plan.exact import counts, is_traceable
    from gatemark.workload.driver import program

    program.require(tools(plans))
    if counted := [plan for plan in plans if counts(plan)]:
        try:
            bench.count(pairs(plans))
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
    from gatemark.plan.order import order
    from gatemark.store.run import Run

    return Run(
        run="",
        suite=suite.name,
        title=suite.title,
        command=command,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        seed=seed,
        station=bench.info,
        plans=tuple(plans),
        trials=order(plans, seed),
        versions={"gatemark": gatemark.__version__, "python": platform.python_version()},
    )


def measure(
    directory: "RunDirectory",
    bench: "Station",
    others: Mapping[str, "Station"] = MappingProxyType({}),
) -> None:
    """Run what has no record yet; `others` are the stations of single arms."""
    from gatemark.report.live import Live
    from gatemark.run.engine import execute
    from gatemark.station.recover import recover

    run = directory.load()
    repeats = {p.name: p.repeat.times * max(1, p.repeat.boots) for p in run.plans}
    live = Live(repeats)
    for line in (*run.notes, *recover()):
        live.warn(line)
    execute(directory, bench, live, others)


def _tell(directory: "RunDirectory", *, json_: bool) -> None:
    import msgspec

    from gatemark.report import page, terminal
    from gatemark.report.group import source
    from gatemark.stats.values import values
    from gatemark.store.directory import telling

    found = source.judged(directory.contents(), directory.path)
    with telling(directory.path):
        page.write([found], directory.page)
    if json_:
        output.lines(msgspec.to_builtins(value) for value in values(found.judgement))
    else:
        terminal.tell(found.run, found.judgement, directory.path, directory.page)
    if found.records and not any(record.status == "ok" for record in found.records):
        raise typer.Exit(INVALID)
