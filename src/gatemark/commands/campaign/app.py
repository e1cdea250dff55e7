# SPDX-License-Identifier: Apache-2.0
"""`gatemark campaign`: its verbs."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.console import output
from gatemark.commands.console.verb import Verb, Verbs
from gatemark.commands.diff import REGRESSION
from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.fleet.ledger import Ledger

app = typer.Typer(
    cls=Verbs,
    help="Compare builds over many stations, with verdicts.",
    no_args_is_help=True,
)

FOLDERS = Path("gatemark-campaigns")
TRUST_HELP = "Execute what another's campaign says."
WATCH_S = 1.0

File = Annotated[Path, typer.Argument(metavar="FILE", help="A campaign file, NAME.toml.")]
Dir = Annotated[Path, typer.Argument(metavar="DIR", help="The campaign's folder.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Keys = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="The laboratory's keys.  [of this user]")
]
Junit = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also write JUnit XML: a case a gated row.")
]
Markdown = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also write the answer for a pull request.")
]


@app.command(cls=Verb)
def plan(file: File, json_: Json = False) -> None:
    """Show what a campaign would take; refuse gates that cannot fire."""
    from gatemark.commands.campaign import answer
    from gatemark.commands.campaign.layout import Layout, hours, trials_of
    from gatemark.fleet.file import read

    layout = Layout(read(file), file, file.resolve().parent)
    answer.refuse_idle(layout)
    images = list(layout.hashes())
    blocks, (rows, needed) = layout.blocks(), answer.needed_repeats(layout)
    lasting = hours(blocks, layout.places)
    builds = len(layout.campaign.build)
    facts: dict[str, object] = {
        "blocks": len(blocks),
        "boots": len(blocks) * builds,
        "trials": trials_of(blocks),
        "bench_hours": round(sum(block.estimate_s for block in blocks) / 3600, 2),
        "gated_rows": rows,
        "repeats": layout.campaign.repeats,
        "repeats_needed": needed,
        "images": len(images),
    }
    if json_:
        output.lines([{**facts, "hours": lasting}])
        return
    output.say(layout.campaign.title)
    output.columns([(name.replace("_", " "), str(value)) for name, value in facts.items()])
    output.columns([("MODEL", "HOURS"), *((m, f"{h:.2f}") for m, h in lasting.items())])
    busiest = max(lasting, key=lasting.__getitem__)
    output.say(f"ends after about {lasting[busiest]:.2f} h; the busiest model is {busiest}")


@app.command(cls=Verb)
def run(
    file: File,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help=f"Its folder.  [{FOLDERS}/...]")
    ] = None,
    executor: Annotated[
        str, typer.Option(metavar="NAME", help="Who runs blocks: local, dask://HOST.  [local]")
    ] = "local",
    keys: Keys = None,
    json_: Json = False,
    junit: Junit = None,
    markdown: Markdown = None,
) -> None:
    """Run a campaign to its end, and write its page.

    Exit code 0: all gates pass; 3: one failed; 1: undecided, or not measured to its end; 4:
    nothing valid.
    """
    from gatemark.commands.campaign import carried, coordinate

    carried.check(executor, keys)
    output.place(junit)
    output.place(markdown)
    folder = out or FOLDERS / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{file.stem}"
    coordinate.begin(file, folder)
    carried.keep(folder, executor, keys)
    coordinate.coordinate(folder, trust=True)
    _tell(folder, json_=json_, junit=junit, markdown=markdown)


@app.command(cls=Verb)
def resume(
    folder: Dir,
    take_over: Annotated[
        bool, typer.Option("--take-over", help="Run a copy in the place of what it was copied of.")
    ] = False,
    trust: Annotated[bool, typer.Option("--trust", help=TRUST_HELP)] = False,
    json_: Json = False,
    junit: Junit = None,
    markdown: Markdown = None,
) -> None:
    """Go on with a campaign, whatever ended it.

    Exit codes are those of `run`.
    """
    from gatemark.commands.campaign import coordinate

    output.place(junit)
    output.place(markdown)
    coordinate.coordinate(folder, take_over=take_over, trust=trust)
    _tell(folder, json_=json_, junit=junit, markdown=markdown)


@app.command(cls=Verb)
def status(
    folder: Dir,
    watch: Annotated[bool, typer.Option("--watch", help="Follow it until it ends.")] = False,
    json_: Json = False,
) -> None:
    """Show what is done, what runs where, and what waits."""
    from gatemark.commands.campaign import coordinate
    from gatemark.fleet.ledger import Ledger

    ledger = Ledger.open(folder, time.time)
    shown: object = None
    while True:
        is_going = coordinate.is_going(folder)
        facts = _facts(ledger, is_going=is_going)
        if facts != shown:
            if json_:
                output.lines([facts])
            else:
                _print(ledger, is_going=is_going)
        shown = facts
        if not (watch and is_going):
            return
        time.sleep(WATCH_S)


@app.command(cls=Verb)
def drain(folder: Dir, json_: Json = False) -> None:
    """Begin no new block; those that run end."""
    from gatemark.commands.campaign import coordinate
    from gatemark.fleet.course import DRAIN
    from gatemark.fleet.ledger import Ledger
    from gatemark.store.folder import Folder

    Ledger.open(folder, time.time).close()
    if not coordinate.is_going(folder):
        raise UsageError(f"{folder}: nobody runs this campaign, so no block begins")
    Folder(folder).append(DRAIN, b"")
    _done(f"{folder} begins no new block; `gatemark campaign resume` goes on", json_=json_)


@app.command(cls=Verb)
def cancel(folder: Dir, json_: Json = False) -> None:
    """End a campaign's blocks as Ctrl-C does; what was measured is kept."""
    from gatemark.commands.campaign import coordinate

    coordinate.cancel(folder)
    _done(f"{folder} ends; `gatemark campaign resume` goes on", json_=json_)


@app.command(cls=Verb)
def report(
    folder: Dir, json_: Json = False, junit: Junit = None, markdown: Markdown = None
) -> None:
    """Write the page of a campaign, also in the middle of it.

    Exit codes are those of `run`.
    """
    output.place(junit)
    output.place(markdown)
    _tell(folder, json_=json_, junit=junit, markdown=markdown)


@app.command(cls=Verb)
def check(folder: Dir, json_: Json = False) -> None:
    """Compare the ledger with the folders; exit 1 if something is wrong."""
    from gatemark.commands.campaign import coordinate

    faults = list(coordinate.check(folder))
    if json_:
        output.lines({"fault": fault} for fault in faults)
    else:
        for line in faults or ["sound: ledger and folders agree"]:
            output.say(line)
    if faults:
        raise typer.Exit(1)


@app.command(cls=Verb)
def copy(
    folder: Dir,
    to: Annotated[Path, typer.Argument(metavar="TO", help="A folder that is not there yet.")],
    json_: Json = False,
) -> None:
    """Copy a campaign soundly, also while it runs."""
    from gatemark.commands.campaign import coordinate

    coordinate.copy(folder, to)
    _done(f"{to} is a copy; `gatemark campaign resume --take-over` runs it", json_=json_)


@app.command(cls=Verb)
def readmit(
    folder: Dir,
    station: Annotated[str, typer.Argument(metavar="STATION", help="As `status` has it.")],
    json_: Json = False,
) -> None:
    """Take a quarantined station back; a bad control sends it off again."""
    from gatemark.commands.campaign import coordinate

    coordinate.readmit(folder, station)
    _done(f"{station} is taken back; `gatemark campaign resume {folder}` goes on", json_=json_)


@app.command(cls=Verb)
def bisect(
    file: File,
    from_: Annotated[str, typer.Option("--from", metavar="BUILD", help="A build before the step.")],
    to: Annotated[str, typer.Option(metavar="BUILD", help="A build after it.")],
    model: Annotated[str, typer.Option(metavar="NAME", help="Which one.  [the only one]")] = "",
    suite: Annotated[str, typer.Option(metavar="PLAN", help="Which one.  [the only one]")] = "",
    point: Annotated[
        str, typer.Option(metavar="WORDS", help="Words of its point, as the report has it.")
    ] = "",
    allow: Annotated[str, typer.Option(metavar="PERCENT", help="A smaller step is none.")] = "1%",
    most: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Boots at most, timed.  [200]")
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="What is measured; the same goes on.")
    ] = Path("gatemark-bisect"),
    json_: Json = False,
) -> None:
    """Find the build of a row that brought a step.

    Exit code 3: a build is named; 0: there is no step; 1: undecided.
    """
    from gatemark.commands.campaign import bisect as search
    from gatemark.commands.campaign.layout import Layout
    from gatemark.fleet.file import read, share

    try:
        allowed = share(allow)
    except ValueError as error:
        raise UsageError(f"--allow {allow}: {error}") from None
    out.mkdir(parents=True, exist_ok=True)
    layout = Layout(read(file), file, file.resolve().parent, out.resolve())
    builds = search.between(layout, from_, to)
    of = search.chosen(layout, model, suite)
    if of[0].exact and most is not None:
        raise UsageError(f"--most is of timed boots, and {of[0].name} is counted: leave it out")
    search.hold(search.identity(layout, *of, builds), out)
    boots = search.MOST_BOOTS if most is None else most
    made = search.Bisection(layout, *of, builds, point, allowed, out.resolve(), boots)
    timed = [] if of[0].exact else [made.timed()]
    steps = made.counted() if of[0].exact else [step for step in timed if step]
    rows = [(builds[step.before].name, builds[step.after].name, step.change) for step in steps]
    if json_:
        output.lines(
            {"before": a, "after": b, "change": c, "boots": made.boots} for a, b, c in rows
        )
    for before, after, change in () if json_ else rows:
        output.say(f"{after}: {100 * change:+.2f} % against {before}, after {made.boots} boots")
    if not rows and not json_:
        output.say(f"no step above {allow} between {from_} and {to}, after {made.boots} boots")
    if rows:
        raise typer.Exit(REGRESSION)


@app.command("keys", cls=Verb)
def make_keys(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="A new one.  [of this user]")
    ] = None,
    json_: Json = False,
) -> None:
    """Make the keys by which the machines of a laboratory know each other.

    Copy the folder to each of them. Who has it runs code on every station.
    """
    from gatemark.commands.campaign import carried
    from gatemark.fleet import keys

    place = carried.keys_folder(folder)
    keys.make(place)
    _done(f"{place} has the keys: copy it to each machine of the laboratory", json_=json_)


@app.command(cls=Verb)
def scheduler(
    keys: Keys = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Listen there.  [all]")] = "",
    port: Annotated[int, typer.Option(metavar="NUMBER", help="Listen on it.")] = 8786,
) -> None:
    """Be the scheduler of distributed campaigns, until Ctrl-C."""
    from gatemark.commands.campaign import carried

    carried.scheduler(keys, host, port)


@app.command(cls=Verb)
def worker(
    address: Annotated[str, typer.Argument(metavar="DASK://HOST", help="Its scheduler.")],
    station: Annotated[
        str, typer.Option(metavar="NAME", help="The station, as the campaign file has it.")
    ],
    keys: Keys = None,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Blocks under way are there.")
    ] = Path("gatemark-worker"),
) -> None:
    """Be the worker of one station, until its scheduler ends."""
    from gatemark.commands.campaign import carried

    carried.worker(address, station, keys, folder)


@app.command(cls=Verb, hidden=True)
def block(folder: Dir) -> None:
    """Do one block: what the coordinator starts."""
    from gatemark.commands.campaign import block as block_

    block_.do(folder)


def _tell(folder: Path, *, json_: bool, junit: Path | None, markdown: Path | None) -> None:
    """Write the page, print the gates, end with the verdict's exit code."""
    from gatemark.commands.campaign import answer, coordinate
    from gatemark.store import file
    from gatemark.tell import matrix
    from gatemark.tell.export import gates

    layout, ledger = coordinate.opened(folder)
    made = answer.campaigned(layout, ledger, folder)
    file.put(answer.page(folder), matrix.render(made).encode())
    if junit:
        output.write(junit, gates.junit(made))
    if markdown:
        output.write(markdown, gates.markdown(made))
    if json_:
        output.lines(answer.lines(made))
    else:
        for table in matrix.tables(made)[:2]:
            for line in table.lines():
                output.say(line)
            output.say()
        for line in (*made.causes, *(f"not measured: {line}" for line in made.missing)):
            output.say(line)
        output.say(f"page: {answer.page(folder)}")
        output.say(made.sentence)
    if code := answer.exit_code(made):
        raise typer.Exit(code)


def _done(text: str, *, json_: bool) -> None:
    if json_:
        output.lines([{"done": text}])
    else:
        output.say(text)


def _facts(ledger: "Ledger", *, is_going: bool) -> dict[str, object]:
    models: dict[str, dict[str, int]] = {}
    for (model, state), count in ledger.counts().items():
        models.setdefault(model, {})[state] = count
    running = ledger.attempts("state IN ('claimed', 'started')")
    return {
        "going": is_going,
        "models": models,
        "running": [{"station": a.station, "block": a.folder} for a in running],
        "stations": {p.name: {"state": p.state, "why": p.why} for p in ledger.places()},
    }


def _print(ledger: "Ledger", *, is_going: bool) -> None:
    counts = ledger.counts()
    states = ("done", "running", "waiting", "given up")
    models = sorted({model for model, _ in counts})
    rows = [(m, *(str(counts.get((m, state), 0)) for state in states)) for m in models]
    output.columns([("MODEL", *(state.upper() for state in states)), *rows])
    running = {a.station: a.folder for a in ledger.attempts("state IN ('claimed', 'started')")}
    stations = [(p.name, p.state, running.get(p.name, p.why or "idle")) for p in ledger.places()]
    output.columns([("STATION", "STATE", "BLOCK"), *stations])
    if not is_going:
        waits = sum(count for (_, state), count in counts.items() if state in states[1:3])
        output.say("nobody runs it" + (f": {waits} blocks are left" if waits else ""))
