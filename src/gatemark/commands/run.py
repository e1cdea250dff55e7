# SPDX-License-Identifier: Apache-2.0
"""`gatemark run`: measure, keep every trial, tell the answer, write the report."""

import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands import ab
from gatemark.commands.diff import REGRESSION
from gatemark.commands.measure import (
    INVALID,
    RUNS,
    begin,
    examine,
    measure,
    planned,
    reopen,
    require,
)
from gatemark.commands.option import wire
from gatemark.commands.option.asked import Asked, within
from gatemark.commands.option.setting import SET_HELP, VARIANT_HELP
from gatemark.commands.runs import answer
from gatemark.commands.trust import TRUST_HELP
from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.station.station import Station
    from gatemark.store.directory import RunDirectory

DEFAULT_SUITE = "quick"
COREMARK_HELP = "Your own copy of CoreMark, for plans that run it (algorithms/coremark)."
CAPTURE_HELP = "Keep all packets, labelled, for `gatemark classifier train` (applications)."
CAPTURED = "keep.capture=true"
LINE_HELP = "Is it enough for this line, in Mbit/s: 1000/500? Of a plan with [line]: its rates."


def run(
    name: Annotated[
        str | None, typer.Argument(metavar="SUITE|PLAN", help="See `gatemark list`.  [quick]")
    ] = None,
    station: Annotated[
        str | None, typer.Option(metavar="STATION", help="A station's name or file.  [lab]")
    ] = None,
    variant: Annotated[str, typer.Option(metavar="NAME", help=VARIANT_HELP)] = "",
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help=SET_HELP)
    ] = None,
    driver: Annotated[str, typer.Option(metavar="NAME", help=wire.DRIVER_HELP)] = "",
    port: Annotated[list[str] | None, typer.Option(metavar="NAME", help=wire.PORT_HELP)] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help=f"The run's directory.  [{RUNS}/...]")
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Count a packet's instructions (station qemu-...).")
    ] = False,
    line: Annotated[str, typer.Option(metavar="DOWN/UP", help=LINE_HELP)] = "",
    keep_capture: Annotated[bool, typer.Option("--keep-capture", help=CAPTURE_HELP)] = False,
    coremark: Annotated[Path | None, typer.Option(metavar="DIR", help=COREMARK_HELP)] = None,
    resume: Annotated[Path | None, typer.Option(metavar="RUN", help="Go on with this run.")] = None,
    trust: Annotated[bool, typer.Option("--trust", help=TRUST_HELP)] = False,
    seed: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Order the trials by this number.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print each value as JSON.")] = False,
) -> None:
    """Run a suite or a plan on a station; write its report.

    Exit code 3 if it missed an expectation of its plan.
    """
    from gatemark.station.load import load as load_station

    if resume:
        directory = reopen(resume, trust=trust)
        if directory.load().sides:
            raise UsageError(
                f"{resume} is a block of a campaign: `gatemark campaign resume` its folder"
            )
        if directory.load().ab:
            ab.finish(directory, json_=json_)
            return
        if directory.load().tune:
            raise UsageError(f"{resume} is a search: `gatemark tune --resume {resume}` goes on")
        bench = load_station(directory.load().station_file)
        require(directory.load().plans, bench)
    else:
        settings, ports = (*(set_ or ()), *_of_coremark(coremark)), wire.split(port or ())
        settings += (CAPTURED,) if keep_capture else ()
        asked = Asked(name or DEFAULT_SUITE, station, variant, settings, driver, ports, exact, line)
        bench = load_station(asked.station_file)
        directory = _begin(asked, bench, out, seed)
    measure(directory, bench)
    _tell(directory, json_=json_)


def _of_coremark(folder: Path | None) -> tuple[str, ...]:
    """The setting that names the user's own copy, checked. Raises UsageError."""
    if folder is None:
        return ()
    from gatemark.kind.algorithm.coremark import require as require_published
    from gatemark.plan.words import SOURCE

    require_published(folder)
    return (f"workload.words.{SOURCE}={folder.resolve()}",)


def _begin(asked: Asked, bench: "Station", out: Path | None, seed: int | None) -> "RunDirectory":
    from msgspec.structs import replace

    asked, notes = within(asked, bench.able, bench.info.kind)
    suite, plans = asked.chosen()
    examine(plans)
    # Before the directory is made: where nothing can be measured, none is left.
    require(plans, bench)
    now = datetime.now(UTC)
    title = f"{now:%Y%m%d-%H%M%S}-{suite.name.replace('/', '-')}"
    seed = secrets.randbelow(1 << 31) if seed is None else seed
    path = out or RUNS / title
    made = planned(suite, plans, bench, seed, asked.command(seed))
    named = path.resolve().name
    made = replace(made, run=named, station_file=asked.station_file, notes=notes, line=asked.bps)
    return begin(path, made)


def _tell(directory: "RunDirectory", *, json_: bool) -> None:
    from gatemark.store.directory import telling
    from gatemark.tell import page, transcript
    from gatemark.tell.group import kept, source

    digest = kept.digest(directory.path)
    kept_source = source.judged(directory.contents(), directory.path, key=digest)
    with telling(directory.path):
        directory.write_page(page.render([kept_source]))
    made = answer.keep(kept_source, directory.path, transcript.key(directory.path, digest))
    answer.tell(made, json_=json_)
    judged = [record for record in kept_source.records if record.pass_ != "warmup"]
    if judged and not any(record.status == "ok" for record in judged):
        raise typer.Exit(INVALID)
    if made.missed:
        raise typer.Exit(REGRESSION)
