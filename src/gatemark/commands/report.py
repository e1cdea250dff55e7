# SPDX-License-Identifier: Apache-2.0
"""`gatemark report`: the page of a run."""

from pathlib import Path
from typing import Annotated

import typer

from gatemark.commands import output
from gatemark.commands.show import RUN_HELP


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help=RUN_HELP)],
    out: Annotated[Path | None, typer.Option(help="The page's file (default: in RUN).")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the path as JSON.")] = False,
) -> None:
    """Write a run's report as one self-contained HTML file and print its path."""
    from gatemark.report import page  # noqa: PLC0415
    from gatemark.stats.judge import judge  # noqa: PLC0415
    from gatemark.stats.reference import beside  # noqa: PLC0415
    from gatemark.store.directory import RunDirectory, telling  # noqa: PLC0415
    from gatemark.store.reference import published  # noqa: PLC0415

    directory = RunDirectory.open(run)
    kept, records = directory.load(), directory.records()
    judgement = judge(kept, records)
    others = beside(judgement, published())
    with telling(directory.path):
        path = page.write(kept, records, judgement, out or directory.page, others)
    if json_:
        output.lines([{"page": str(path)}])
    else:
        typer.echo(path)
