# SPDX-License-Identifier: Apache-2.0
"""`gatemark station report`: one file to ask for help with, without what is nobody else's."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.bench import check
from gatemark.commands.console import output

if TYPE_CHECKING:
    from gatemark.run.survey import Row
    from gatemark.station.station import Station


def report(
    station: Annotated[str, typer.Argument(metavar="STATION", help="A name, or a file NAME.toml.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Else NAME-report.md.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Check a station, and write what it is to one file: secrets and addresses are left out."""
    from gatemark.run import stop
    from gatemark.run.handout.handout import Answers, handout, look
    from gatemark.station.load import load, stations_folder

    file = Path(station) if station.endswith(".toml") else stations_folder() / f"{station}.toml"
    bench = load(station)
    place = out or Path(f"{file.stem}-report.md")
    output.place(place)
    rows: list[Row] = []
    answers: list[Answers] = []

    async def ask(up: "Station") -> None:
        answers.append(await look(up))

    is_sound = check.checked(station, partial(_both, rows), ask)
    if not answers:  # it did not come up
        answers.append(stop.run(look(bench), partial(output.say, err=True)))
    text = handout(file.stem, file.read_text(encoding="utf-8"), rows, answers[0])
    output.write(place, text.encode())
    if json_:
        output.lines([{"report": str(place), "sound": is_sound}])
    else:
        output.say(f"{place}: written, without secrets; read it before you hand it on")


def _both(rows: "list[Row]", row: "Row") -> None:
    """Kept for the file, and shown."""
    rows.append(row)
    output.say(row.line, err=True)
