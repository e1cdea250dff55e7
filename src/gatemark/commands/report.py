# SPDX-License-Identifier: Apache-2.0
"""`gatemark report`: the page of a run, of several side by side, or the index of a folder."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.console import choice, output
from gatemark.commands.runs import locate, reading
from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.tell.group.source import Source

RUNS_HELP = "Runs: folders, names, latest or latest~1; or one folder of runs.  [the newest]"
OUT_HELP = "The page's file (default: in RUN; of a folder index.html; of several compared.html)."
SUBSYSTEMS_HELP = "Your own names of the kernel's parts, for paths (docs/kernel-path.md)."
STUDY_HELP = "A study in its own order, with these runs beside it; --out FILE.md: tables alone."
DOCS_HELP = "The address of the site that `make docs` builds: words of the page link to it."
MARKDOWN = ".md"
SEVERAL = Path("compared.html")


def report(
    runs: Annotated[list[Path] | None, typer.Argument(metavar="RUN", help=RUNS_HELP)] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help=OUT_HELP)] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the path as JSON.")] = False,
    study: Annotated[str, typer.Option(metavar="NAME", help=STUDY_HELP)] = "",
    subsystems: Annotated[Path | None, typer.Option(metavar="FILE", help=SUBSYSTEMS_HELP)] = None,
    docs: Annotated[str, typer.Option(metavar="URL", help=DOCS_HELP)] = "",
) -> None:
    """Write the page of runs: one HTML file.

    Of one run its report, of several all of them side by side, of a folder an index of its runs.
    """
    if study:
        from gatemark.store.study.outline import NAMES

        choice.check("--study", study, NAMES)
    paths = locate.newest(runs)
    if study:
        _tell(_study(study, paths, out, subsystems), json_=json_)
        return
    is_folder = len(paths) == 1 and _is_folder(paths[0])
    if is_folder and subsystems:
        raise UsageError(f"{paths[0]} is a folder of runs, not a run: leave out --subsystems")
    path = _index(paths[0], out) if is_folder else _page(paths, out, subsystems, docs)
    _tell(path, json_=json_)


def _tell(path: Path, *, json_: bool) -> None:
    """Print where the page is."""
    if json_:
        output.lines([{"page": str(path)}])
    else:
        output.say(path)


def _study(name: str, runs: Sequence[Path], out: Path | None, subsystems: Path | None) -> Path:
    """The page of a study with these runs."""
    from gatemark.store.directory import telling
    from gatemark.store.study.outline import outline
    from gatemark.tell.study import markdown
    from gatemark.tell.study import report as told

    path = out or Path(f"study-{name}.html")
    output.place(path)
    with telling(path, measuring=False):
        write = markdown.write if path.suffix == MARKDOWN else told.write
        return write(outline(name), _sources(runs, subsystems), path)


def _is_folder(path: Path) -> bool:
    """Return whether it is no run but holds some."""
    from gatemark.store import catalog

    return not (path / "run.json").exists() and bool(catalog.below(path))


def _page(runs: Sequence[Path], out: Path | None, subsystems: Path | None, docs: str) -> Path:
    from gatemark.store.directory import RunDirectory, telling
    from gatemark.tell import page

    sources = _sources(runs, subsystems)
    if len(runs) == 1 and not out:
        directory = RunDirectory(runs[0])
        with telling(directory.page, measuring=False):
            directory.write_page(page.render(sources, docs))
        return directory.page
    with telling(out or SEVERAL, measuring=False):
        return page.write(sources, out or SEVERAL, docs, named=bool(out))


def _sources(runs: Sequence[Path], subsystems: Path | None) -> "list[Source]":
    """The runs, each with its letter where there are several. Raises UsageError."""
    from gatemark.store.naming import read
    from gatemark.tell import several
    from gatemark.tell.group import source

    if len(runs) > len({run.resolve() for run in runs}):
        raise UsageError("a run is named twice: name each once")
    labels = several.labelled(len(runs))
    named = read(subsystems) if subsystems else ()
    return [
        source.judged(reading.read(run), run, label, named)
        for run, label in zip(runs, labels, strict=True)
    ]


def _index(folder: Path, out: Path | None) -> Path:
    from gatemark.store.directory import telling
    from gatemark.tell import index

    path = out or folder / "index.html"
    with telling(path, measuring=False):
        return index.write(folder, path, _watched, named=bool(out))


def _watched(runs: list[Path]) -> "Iterable[Path]":
    """The runs, with a bar on a terminal: each page takes seconds."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(runs, "pages", console=console, transient=True, disable=not console.is_terminal)
