# SPDX-License-Identifier: Apache-2.0
"""`gatemark tune`: which settings make this gateway faster, as lines to type, or leave it."""

import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.console import choice, output
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
from gatemark.commands.trust import TRUST_HELP
from gatemark.error import UnavailableError, UsageError

if TYPE_CHECKING:
    from gatemark.station.station import Station
    from gatemark.store.directory import RunDirectory

DEFAULT_PLAN = "cost/tune"
VIRTUAL = "qemu"  # the kind of station whose processors share one of this machine
GOALS = ("rate", "delay", "cpu")
PREFER_HELP = "What is to gain: rate, delay or cpu.  [rate]"
AXIS_HELP = "Settings of which one is tried, or none: gro:list,gro:udp; repeatable."
ALLOW_HELP = "By which the other two may get worse.  [5%]"
LEAST_HELP = "A smaller gain is left.  [2%]"
WHOLE_HELP = "Measure every combination twelve times, to check the search."


def tune(
    setup: Annotated[
        str, typer.Argument(metavar="SETUP", help="The gateway as it is: nat+filter:100.")
    ] = "nat",
    station: Annotated[
        str | None, typer.Option(metavar="STATION", help="A station's name or file.  [lab]")
    ] = None,
    prefer: Annotated[str, typer.Option(metavar="WHAT", help=PREFER_HELP)] = "rate",
    axis: Annotated[list[str] | None, typer.Option(metavar="SETTINGS", help=AXIS_HELP)] = None,
    least: Annotated[str, typer.Option(metavar="PERCENT", help=LEAST_HELP)] = "2%",
    allow: Annotated[str, typer.Option(metavar="PERCENT", help=ALLOW_HELP)] = "5%",
    whole: Annotated[bool, typer.Option("--whole", help=WHOLE_HELP)] = False,
    plan: Annotated[
        str, typer.Option(metavar="PLAN", help="Whose traffic is sent.  [cost/tune]")
    ] = "",
    variant: Annotated[str, typer.Option(metavar="NAME", help=VARIANT_HELP)] = "",
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help=SET_HELP)
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help=f"The run's directory.  [{RUNS}/...]")
    ] = None,
    resume: Annotated[Path | None, typer.Option(metavar="RUN", help="Go on with this.")] = None,
    trust: Annotated[bool, typer.Option("--trust", help=TRUST_HELP)] = False,
    seed: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Order the trials by this number.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Search the settings that make a gateway faster.

    Steering, offload, merging, interrupts and queues are tried together. The answer is the lines to
    type on this box, with the gain, or "leave it". Nothing stays set.
    """
    from gatemark.station.load import load as load_station

    if resume:
        directory = reopen(resume, trust=trust)
        if not directory.load().tune:
            raise UsageError(f"{resume} is no search: try `gatemark run --resume {resume}`")
        bench = load_station(directory.load().station_file)
        require(directory.load().plans, bench)
    else:
        choice.check("--prefer", prefer, GOALS)
        bounds = _share("--least", least), _share("--allow", allow)
        asked = Asked(plan or DEFAULT_PLAN, station, variant, tuple(set_ or ()))
        bench = load_station(asked.station_file)
        directory = _begin(asked, bench, setup, axis or [], (prefer, *bounds, whole), out, seed)
    measure(directory, bench)
    _tell(directory, json_=json_)


def _share(option: str, text: str) -> float:
    from gatemark.fleet.file import share

    try:
        return share(text)
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}") from None


def _begin(
    asked: Asked,
    bench: "Station",
    setup: str,
    words: list[str],
    goal: tuple[str, float, float, bool],
    out: Path | None,
    seed: int | None,
) -> "RunDirectory":
    """The directory of a new search. Raises UsageError, UnavailableError."""
    from msgspec.structs import replace

    from gatemark.plan import ab
    from gatemark.plan.order import block_of, numbered
    from gatemark.plan.tuning.grid import AS_IT_IS, axes, axes_for, searched
    from gatemark.store.run import Tune

    asked, notes = within(asked, bench.able, bench.info.kind)
    suite, plans = asked.chosen()
    if len(plans) > 1:
        raise UsageError(f"--plan {asked.name}: name one of its plans")
    base = ab.setup(setup)
    if why := bench.lacks(base):
        raise UnavailableError(f"{bench.name}: {why}")
    cpus = int(bench.info.made_of.get("cpus", "1" if bench.info.virtual else "0"))
    by_shape = bench.info.kind == VIRTUAL and cpus > 1
    if by_shape and goal[0] != GOALS[0]:
        raise UsageError(
            f"--prefer {goal[0]}: the processors of {bench.name} share one of this machine, so it "
            "is judged by instructions alone; leave it out"
        )
    chosen = axes(words) or axes_for(bench.info.kind, cpus)
    made = searched(plans[0], base, chosen, by_shape=by_shape)
    examine([made])
    require([made], bench)
    seed = secrets.randbelow(1 << 31) if seed is None else seed
    prefer, least, allow, whole = goal
    command = _command(asked, setup, words, goal, seed)
    run = planned(suite, [made], bench, seed, command)
    if by_shape:
        names = [arm.name for arm in made.arm]
        run = replace(run, trials=numbered(block_of(made, 1, names, seed)))
    title = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-tune"
    path = out or RUNS / title
    run = replace(
        run,
        run=path.resolve().name,
        title=made.title,
        station_file=asked.station_file,
        notes=notes,
        tune=Tune(
            base=AS_IT_IS,
            prefer=prefer,
            least=least,
            allow=allow,
            whole=whole,
            by_shape=by_shape,
        ),
    )
    return begin(path, run)


def _command(
    asked: Asked, setup: str, words: list[str], goal: tuple[str, float, float, bool], seed: int
) -> tuple[str, ...]:
    """The command that repeats it."""
    prefer, least, allow, whole = goal
    made = ["gatemark", "tune", setup]
    made += ["--station", asked.station] if asked.station else []
    made += ["--prefer", prefer] if prefer != GOALS[0] else []
    made += [part for word in words for part in ("--axis", word)]
    made += ["--least", f"{least:.4%}"] if least != 0.02 else []
    made += ["--allow", f"{allow:.4%}"] if allow != 0.05 else []
    made += ["--whole"] if whole else []
    made += ["--plan", asked.name] if asked.name != DEFAULT_PLAN else []
    made += ["--variant", asked.variant] if asked.variant else []
    made += [part for setting in asked.settings for part in ("--set", setting)]
    return (*made, "--seed", str(seed))


def _tell(directory: "RunDirectory", *, json_: bool) -> None:
    from gatemark.store.directory import telling
    from gatemark.tell import page
    from gatemark.tell.group import source
    from gatemark.tell.verb import diff
    from gatemark.tell.verb import tune as words

    judged = source.judged(directory.contents(), directory.path)
    with telling(directory.path):
        directory.write_page(page.render([judged]))
    outcome = words.known(judged.run, list(judged.records))
    if json_:
        output.lines([words.row(judged.run, outcome)])
    else:
        diff.tell(words.lines(judged.run, outcome, str(judged.folder), str(directory.page)))
    if not outcome.best:
        raise typer.Exit(INVALID)
