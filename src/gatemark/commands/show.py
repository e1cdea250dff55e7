# SPDX-License-Identifier: Apache-2.0
"""`gatemark show`: the answer of a run, or each of its values as data."""

from pathlib import Path
from typing import Annotated

import typer

from gatemark.commands import output

RUN_HELP = "A run's directory."


def show(
    run: Annotated[Path, typer.Argument(metavar="RUN", help=RUN_HELP)],
    json_: Annotated[bool, typer.Option("--json", help="One JSON object for each value.")] = False,
) -> None:
    """Show what a run found."""
    import msgspec  # noqa: PLC0415

    from gatemark.report import terminal  # noqa: PLC0415
    from gatemark.stats.judge import judge  # noqa: PLC0415
    from gatemark.stats.values import values  # noqa: PLC0415
    from gatemark.store.directory import RunDirectory  # noqa: PLC0415

    directory = RunDirectory.open(run)
    kept = directory.load()
    judgement = judge(kept, directory.records())
    if json_:
        output.lines(msgspec.to_builtins(value) for value in values(judgement))
    else:
        page = directory.page if directory.page.exists() else None
        terminal.tell(kept, judgement, directory.path, page)
