# SPDX-License-Identifier: Apache-2.0
"""`gatemark coverage`: what five studies asked, and which plan, run and figure answers it."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.console import output
from gatemark.commands.runs import locate, reading
from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.judge.coverage.coverage import Covered, Held
    from gatemark.plan.model import Plan
    from gatemark.tell.study.coverage import Given

RUNS_HELP = "Runs that may show rows: folders, names, latest.  [none: by the plans alone]"
OUT_HELP = "Write a page (FILE.html) or Markdown (FILE.md) instead."
FORMS = (".html", ".md")
WIDEST = 48  # characters of what was asked, in the terminal; pages and data have all of it


def coverage(
    runs: Annotated[list[Path] | None, typer.Argument(metavar="RUN", help=RUNS_HELP)] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help=OUT_HELP)] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object for each row.")] = False,
) -> None:
    """Show what five studies asked, and what of it is here."""
    from gatemark.judge.coverage.coverage import coverage as judged
    from gatemark.store.reference import tallies
    from gatemark.store.study.requirement import requirements
    from gatemark.tell.study import coverage as words

    if out and out.suffix not in FORMS:
        raise UsageError(f"--out {out}: end its name with {' or '.join(FORMS)}")
    output.place(out)
    paths = [locate.located(run) for run in runs or []]
    held, links = _read(paths, out)
    rows = judged(requirements(), shipped(), held)
    if json_:
        output.lines(words.data(rows, links))
    elif out:
        made = words.page if out.suffix == FORMS[0] else words.markdown
        output.write(out, made(rows, links, tallies()).encode())
        output.say(out)
    else:
        _tell(rows)


def shipped() -> "list[Plan]":
    """Every plan that ships, as it is without a variant."""
    from gatemark.plan.load import load, suites

    return [plan for name in suites() for plan in load(name)[1]]


def _read(paths: Sequence[Path], out: Path | None) -> "tuple[list[Held], dict[str, Given]]":
    """Return what the runs hold, and where their pages show it as seen from the written file.

    A file is passed on with what lies below its folder: it has no links to runs elsewhere.
    """
    import os
    from urllib.parse import quote

    from gatemark.judge.coverage.coverage import holding
    from gatemark.store.directory import RunDirectory
    from gatemark.tell.group import source
    from gatemark.tell.study.coverage import Given, anchors

    runs: list[Held] = []
    links: dict[str, Given] = {}
    for path in paths:
        kept = source.judged(reading.read(path), path)
        label = path.resolve().name
        runs.append(holding(label, kept.run, kept.records, kept.judgement))
        page = os.path.relpath(RunDirectory(path).page, out.parent if out else Path())
        if out and page.startswith(os.pardir):
            links[label] = Given(kept.run, "")
        else:
            links[label] = Given(kept.run, quote(page), anchors(kept))
    return runs, links


def _tell(rows: "Sequence[Covered]") -> None:
    from gatemark.store.reference import tallies
    from gatemark.tell.study import coverage as words

    output.prose(words.sentence(rows), words.beside(tallies()))
    output.say()
    head, *texts = words.table(rows)
    cells = [(*row[:3], shorten(row[3], WIDEST, placeholder="..."), row[4]) for row in texts]
    output.columns([tuple(cell.upper() for cell in head), *cells])
