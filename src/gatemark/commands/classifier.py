# SPDX-License-Identifier: Apache-2.0
"""`gatemark classifier`: train a decision tree on labelled captures, judge one, put it to work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from gatemark.commands.console import choice, output
from gatemark.commands.console.verb import Verb, Verbs

if TYPE_CHECKING:
    from gatemark.classifier.c45 import Model
    from gatemark.classifier.recipe import Recipe
    from gatemark.classifier.track import Track
    from gatemark.classifier.verdict import Verdict

SPLITS: Final = ("capture", "application")
PROTOCOLS: Final = ("udp", "tcp", "all")
SHIPPED: Final = "real-time"
STEPS: Final = ("jumping", "sliding")
QUEUES: Final = ("htb2", "cake")

MANIFEST_HELP = "CSV: file,proto,src,sport,dst,dport,application,class; src in the LAN."
MODEL_HELP = f"A model's file, or {SHIPPED}, which ships."
WHERE_HELP = "lab (of `gatemark lab up`), a station file NAME.toml, or root@192.168.1.1."
SPLIT_HELP = f"Judge what training has not seen: {', '.join(SPLITS)}."

app = typer.Typer(
    cls=Verbs,
    help="Train, judge and apply a tree for real-time flows.",
    no_args_is_help=True,
)

Manifest = Annotated[Path, typer.Argument(metavar="MANIFEST", help=MANIFEST_HELP)]
Where = Annotated[str, typer.Argument(metavar="WHERE", help=WHERE_HELP)]
Lan = Annotated[str, typer.Option(metavar="DEVICE", help="Its LAN's device, if not the station's.")]
Wan = Annotated[str, typer.Option(metavar="DEVICE", help="Its WAN's device, to be shaped.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


@app.command(cls=Verb)
def train(
    manifest: Manifest,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write the model.")],
    attributes: Annotated[
        str, typer.Option(metavar="NAMES", help="Attributes, with blanks between.")
    ] = "",
    window: Annotated[int, typer.Option(min=2, max=32, help="Packets of a window.")] = 10,
    depth: Annotated[int, typer.Option(min=1, max=16, help="Most comparisons.")] = 2,
    leaves: Annotated[int, typer.Option(min=2, max=64, help="Most leaves.")] = 16,
    least: Annotated[float, typer.Option(min=0, max=1e6, help="Fewest flows of a leaf.")] = 4.0,
    protocol: Annotated[
        str, typer.Option(metavar="WORD", help=f"Flows that it is for: {', '.join(PROTOCOLS)}.")
    ] = "udp",
    priority: Annotated[
        str, typer.Option(metavar="CLASSES", help="The manifest's classes that get priority.")
    ] = "",
    json_: Json = False,
) -> None:
    """Train a tree on the flows of a manifest; its text is the form that DIFFUSE published."""
    from dataclasses import replace

    from gatemark.classifier import c45
    from gatemark.classifier import recipe as recipes
    from gatemark.classifier.learn import Bounds
    from gatemark.classifier.train import provenance
    from gatemark.classifier.train import train as trained

    output.place(out)
    choice.check("--protocol", protocol, PROTOCOLS)
    default = recipes.Recipe()
    recipe = recipes.Recipe(
        recipes.words(attributes, "--attributes") if attributes else default.attributes,
        window,
        recipes.words(priority, "--priority") if priority else default.priority,
        Bounds(depth, leaves, least),
        protocol,
    )
    tracks = _tracks(manifest, recipe)
    model = trained(tracks, recipe)
    model = replace(model, header={**model.header, **provenance(tracks, manifest)})
    output.write(out, c45.write(model).encode())
    row = {"model": str(out), "flows": len(tracks), "leaves": model.leaves, "depth": model.depth}
    if json_:
        output.lines([row])
    else:
        output.say(f"{out}: {len(tracks)} flows, {model.leaves} leaves, depth {model.depth}")


@app.command(cls=Verb)
def evaluate(
    manifest: Manifest,
    model: Annotated[str, typer.Option(metavar="MODEL", help=MODEL_HELP)] = SHIPPED,
    split: Annotated[str, typer.Option(metavar="BY", help=SPLIT_HELP)] = "",
    json_: Json = False,
) -> None:
    """Score a model on labelled flows, beside the one-line rule.

    With --split, trees are trained as the model was, each on some captures and judged on others:
    by capture in ten folds, by application without each application in turn.
    """
    from gatemark.classifier import recipe as recipes
    from gatemark.classifier import telling
    from gatemark.classifier.score import scores
    from gatemark.classifier.verdict import judge

    if split:
        choice.check("--split", split, SPLITS)
    path, tree = _model(model)
    recipe = recipes.of(tree, path)
    tracks = _tracks(manifest, recipe)
    if not split:
        _warn_of_seen(tree, tracks)
    verdicts = _crossed(tracks, recipe, split) if split else judge(tree, recipe, tracks)
    result = scores(verdicts)
    if json_:
        output.lines(telling.rows(result))
        return
    for table in telling.tables(result):
        output.columns(table)
        output.say()
    output.prose(*telling.sentences(result))


@app.command(cls=Verb)
def show(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL_HELP)] = SHIPPED,
    json_: Json = False,
) -> None:
    """Print a model: what it was trained on, and its tree."""
    from gatemark.classifier import c45

    path, tree = _model(model)
    facts: dict[str, object] = {"leaves": tree.leaves, "depth": tree.depth, **tree.header}
    if json_:
        row = {"model": str(path), "classes": tree.classes, "attributes": tree.attributes}
        output.lines([{**row, **facts, "tree": list(c45.tree(tree))}])
        return
    digests = "captures "  # a line for some of them
    shown = [(key, str(value)) for key, value in facts.items() if not key.startswith(digests)]
    output.columns(shown)
    output.say()
    for line in c45.tree(tree):
        output.say(line)


@app.command(cls=Verb)
def attach(
    where: Where,
    lan: Lan = "",
    wan: Wan = "",
    model: Annotated[str, typer.Option(metavar="MODEL", help=MODEL_HELP)] = SHIPPED,
    step: Annotated[
        str, typer.Option(metavar="WORD", help=f"How windows follow: {', '.join(STEPS)}.")
    ] = STEPS[0],
    shape: Annotated[
        float | None,
        typer.Option(
            metavar="MBIT",
            min=0.01,
            max=100_000,
            help="Hold what goes up to it, marked packets first.",
        ),
    ] = None,
    queue: Annotated[
        str, typer.Option(metavar="WORD", help=f"What does so: {', '.join(QUEUES)}.")
    ] = QUEUES[0],
    json_: Json = False,
) -> None:
    """Classify a gateway's flows from now on, and mark those of real time.

    It stays until `gatemark classifier detach`, or a restart. Without --shape packets get a mark
    (0x30/0xf0), and nothing else is done.
    """
    from dataclasses import asdict
    from functools import partial

    from gatemark.plan.shaper.shape import at_rate
    from gatemark.run import stop
    from gatemark.run.live import attach as attaching

    choice.check("--step", step, STEPS)
    choice.check("--queue", queue, QUEUES)
    path, _ = _model(model)
    base = f"shape:{queue}:1:wan:first=marked"
    shaper = at_rate(base, shape) if shape else ""
    place = attaching.Place(where, lan, wan)
    work = attaching.attach(place, path, shaper=shaper, slides=step == "sliding")
    attached = stop.run(work, partial(output.say, err=True))
    if json_:
        output.lines([{"attached": where, **asdict(attached)}])
    else:
        for note in attached.notes:
            output.say(note, err=True)
        output.say(f"attached at {where}; `gatemark classifier detach {where}` ends it")


@app.command(cls=Verb)
def detach(where: Where, json_: Json = False) -> None:
    """End what `attach` began; nothing of it is left."""
    from dataclasses import asdict
    from functools import partial

    from gatemark.run import stop
    from gatemark.run.live import attach as attaching

    counts = stop.run(attaching.detach(attaching.Place(where)), partial(output.say, err=True))
    if json_:
        output.lines([asdict(counts)])
    else:
        past = f", {counts.offloaded} flows at most were offloaded" if counts.offloaded else ""
        output.say(
            f"detached from {where}: {counts.seen} packets of flows, {counts.marked} of them "
            f"marked, {counts.decisions} decisions held{past}"
        )


def _model(name: str) -> "tuple[Path, Model]":
    from gatemark.classifier import c45, shipped

    path = shipped.path(name) if name in shipped.names() else Path(name)
    return path, c45.load(path)


def _tracks(manifest: Path, recipe: "Recipe") -> "list[Track]":
    """The flows with their windows; says on stderr which have none."""
    from gatemark.classifier import manifest as manifests
    from gatemark.classifier.features import tracks

    with _progress("captures read") as advance:
        result = tracks(manifests.read(manifest), recipe, advance)
    empty = [track.flow.line for track in result if not track.windows]
    if empty:
        output.say(
            f"{len(empty)} of {len(result)} flows have no {recipe.window} packets in their capture "
            f"({manifest}:{empty[0]} is the first)",
            err=True,
        )
    return result


def _crossed(tracks: "list[Track]", recipe: "Recipe", split: str) -> "list[Verdict]":
    from gatemark.classifier.split import crossed

    with _progress("trees trained") as advance:
        return crossed(tracks, recipe, split, advance)


def _warn_of_seen(tree: "Model", tracks: "list[Track]") -> None:
    from gatemark.classifier.train import seen

    captures = {track.flow.capture for track in tracks}
    if known := seen(tree, captures):
        output.say(
            f"{len(known)} of {len(captures)} captures are those that the model was trained on, "
            "so its scores are flattered: use --split",
            err=True,
        )


@contextmanager
def _progress(what: str) -> "Iterator[Callable[[int, int], None]]":
    """A bar on stderr where that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what)
        yield lambda done, total: bar.update(task, completed=done, total=total)
