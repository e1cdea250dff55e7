# SPDX-License-Identifier: Apache-2.0
"""`gatemark ab`: is NEW slower than OLD? Two setups, gateways or builds in turn, boot by boot."""

import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.console import output
from gatemark.commands.diff import JUNIT_HELP, REGRESSION, rows
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
from gatemark.commands.option.asked import Asked, within
from gatemark.commands.option.setting import SET_HELP, VARIANT_HELP
from gatemark.commands.option.sides import DEFAULT_PLAN, Sides
from gatemark.commands.trust import TRUST_HELP
from gatemark.error import UnavailableError, UsageError

if TYPE_CHECKING:
    from gatemark.store.directory import RunDirectory
    from gatemark.tell.group.source import Source

OLD_HELP = "A setup, as nat+filter:100, or a station's name or file."
NEW_HELP = "What it is compared with: of the same kind, or the same again."
STATION_HELP = "Where two setups are measured.  [lab]"
SETUP_HELP = "What two stations are set to.  [the plan's first]"
PLAN_HELP = "Whose points are compared.  [cost/ab: 64 bytes, overload]"
SWITCH_HELP = "Command that puts the gateway into state {arm}, old or new, before each boot."
BOOTS_HELP = "Boots of each; six give a 95 % interval.  [6; --exact: 1]"
EXACT_HELP = "Count a packet's instructions (station qemu-...)."
ALLOW_HELP = "Accept a change up to this.  [1%]"


def ab(
    side: Annotated[str | None, typer.Argument(metavar="OLD", help=OLD_HELP)] = None,
    against: Annotated[str | None, typer.Argument(metavar="NEW", help=NEW_HELP)] = None,
    station: Annotated[str | None, typer.Option(metavar="STATION", help=STATION_HELP)] = None,
    setup: Annotated[str, typer.Option(metavar="SETUP", help=SETUP_HELP)] = "",
    switch: Annotated[str, typer.Option(metavar="COMMAND", help=SWITCH_HELP)] = "",
    boots: Annotated[int | None, typer.Option(metavar="NUMBER", help=BOOTS_HELP)] = None,
    allow: Annotated[str, typer.Option(metavar="PERCENT", help=ALLOW_HELP)] = "1%",
    plan: Annotated[str, typer.Option(metavar="PLAN", help=PLAN_HELP)] = "",
    variant: Annotated[str, typer.Option(metavar="NAME", help=VARIANT_HELP)] = "",
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help=SET_HELP)
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help=f"The run's directory.  [{RUNS}/...]")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Go on with this test.")
    ] = None,
    trust: Annotated[bool, typer.Option("--trust", help=TRUST_HELP)] = False,
    seed: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Order the boots by this number.")
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help=EXACT_HELP)] = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help=JUNIT_HELP)] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object for each point.")] = False,
) -> None:
    """Measure OLD and NEW interleaved: is NEW slower?

    OLD and NEW are two setups of one station, two stations, or with --switch two states of one
    gateway. A boot alone moves a result, so each is booted several times and boots are compared.
    With --exact instructions are counted instead, by function, on a virtual gateway. Exit code 3 if
    NEW is worse by more than --allow.
    """
    output.place(junit)
    if resume:
        directory = reopen(resume, trust=trust)
        if not directory.load().ab:
            raise UsageError(
                f"{resume} is no test of `gatemark ab`: try `gatemark run --resume {resume}`"
            )
    elif side is None or against is None:
        raise UsageError("name what is compared: gatemark ab OLD NEW, as gatemark ab nat route")
    else:
        sides = Sides(side, against, station, setup, switch, boots, allow, exact)
        asked = Asked(plan or DEFAULT_PLAN, station, variant, tuple(set_ or ()), exact=exact)
        directory = _begin(sides, asked, out, seed)
    finish(directory, json_=json_, junit=junit)


def finish(directory: "RunDirectory", *, json_: bool, junit: Path | None = None) -> None:
    """Measure what is missing of a test, tell what it found, and end with its exit code."""
    from gatemark.plan.model import NEW
    from gatemark.station.load import load as load_station

    run = directory.load()
    test = run.ab
    assert test is not None
    bench = load_station(test.old.station_file)
    others = {}
    if test.new.station_file != test.old.station_file:
        others[NEW] = load_station(test.new.station_file)
    for this_bench in (bench, *others.values()):
        require(run.plans, this_bench)
    measure(directory, bench, others)
    _tell(directory, json_=json_, junit=junit)


def _begin(sides: Sides, asked: Asked, out: Path | None, seed: int | None) -> "RunDirectory":
    """The directory of a new test. Raises UsageError, or UnavailableError where an arm lacks."""
    from msgspec import structs

    from gatemark.station.load import load as load_station

    benches = [load_station(file) for file in sides.files]
    notes = list(sides.notes)
    for bench in benches:
        asked, texts = within(asked, bench.able, bench.info.kind)
        notes += texts
    plan = sides.plan(asked, benches[0])
    for bench, arm in zip(benches, plan.arm[-2:], strict=True):
        if why := bench.lacks(arm):
            raise UnavailableError(f"{bench.name}: {why}")
    examine([plan])
    for bench in benches:
        require([plan], bench)
    seed = secrets.randbelow(1 << 31) if seed is None else seed
    title = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-ab"
    suite = asked.chosen()[0]
    made = planned(suite, [plan], benches[0], seed, sides.command(asked, seed))
    made = sides.put(made, title, [bench.info for bench in benches])
    made = structs.replace(made, notes=tuple(dict.fromkeys(notes)))
    return begin(out or RUNS / title, made)


def _tell(directory: "RunDirectory", *, json_: bool, junit: Path | None = None) -> None:
    from gatemark.judge.ab import ab as judge
    from gatemark.plan.exact import counts
    from gatemark.store.directory import telling
    from gatemark.tell import page
    from gatemark.tell.export import change
    from gatemark.tell.group import source
    from gatemark.tell.verb import ab as told
    from gatemark.tell.verb import diff

    made = source.judged(directory.contents(), directory.path)
    with telling(directory.path):
        directory.write_page(page.render([made]))
    test = made.run.ab
    assert test is not None
    if any(map(counts, made.run.plans)):
        _tell_exactly(made, directory.page, json_=json_, junit=junit)
        return
    kept_diff = judge(made.run, test, (*made.rows, *made.delays), made.judgement.diagnoses)
    if junit:
        output.write(junit, change.of_diff(kept_diff, f"ab {made.run.title}", made.run))
    if json_:
        output.lines(rows(kept_diff))
    else:
        diff.tell(told.lines(made, test, kept_diff, directory.page))
    if not kept_diff.rows:
        raise typer.Exit(INVALID)
    if kept_diff.slower:
        raise typer.Exit(REGRESSION)


def _tell_exactly(made: "Source", page: Path, *, json_: bool, junit: Path | None) -> None:
    from gatemark.judge.change.exact_ab import findings, regressed
    from gatemark.tell.export import change
    from gatemark.tell.verb import diff
    from gatemark.tell.verb import exact_ab as told

    test = made.run.ab
    assert test is not None
    rows = findings(test, made.judgement)
    if junit:
        output.write(junit, change.of_exact(rows, f"ab {made.run.title}", made.run))
    if json_:
        output.lines(told.rows(test, rows))
    else:
        diff.tell(told.lines(made, test, rows, page))
    if not rows:
        raise typer.Exit(INVALID)
    if regressed(rows):
        raise typer.Exit(REGRESSION)
