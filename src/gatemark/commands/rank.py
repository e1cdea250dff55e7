# SPDX-License-Identifier: Apache-2.0
"""`gatemark rank`: devices by one definition, with intervals and ties."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.console import choice, output
from gatemark.commands.runs import locate, tied
from gatemark.error import UnavailableError

if TYPE_CHECKING:
    from gatemark.store.study.device import DeviceFile

FILES_HELP = "Files of devices (.toml), or runs, beside those that ship."
QUANTITY_HELP = "This alone, as `gatemark show --json` names it."
SUFFIX = ".toml"
FEWEST = 2  # devices that have a rank


def rank(
    runs: Annotated[list[Path] | None, typer.Argument(metavar="FILE|RUN", help=FILES_HELP)] = None,
    quantity: Annotated[str, typer.Option(metavar="NAME", help=QUANTITY_HELP)] = "",
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a device.")] = False,
) -> None:
    """Rank devices, each definition by itself. A virtual gateway is no device.

    Two devices have different ranks where their intervals do not overlap.
    """
    from gatemark.judge.rank import left_out, rankings
    from gatemark.store.study import device
    from gatemark.tell.study import rank as words
    from gatemark.tell.verb import diff
    from gatemark.tell.words import fold

    kept = [*device.shipped(), *_read(runs or [])]
    if quantity:
        choice.check("--quantity", quantity, _quantities(kept))
    if absent := list(left_out(kept)):
        output.say(f"left out: {words.left_out(absent)}: compare it with `gatemark cmp`", err=True)
    made = [ranking for ranking in rankings(kept, quantity) if len(ranking.devices) >= FEWEST]
    if not made:
        raise UnavailableError(
            "no two devices have a value of one definition: add the files of some, which "
            "`gatemark export --reference RUN --out FILE.toml` writes"
        )
    if json_:
        output.lines(words.data(made))
        return
    for ranking in made:
        diff.tell(fold.styled(words.table(ranking), fold.room()))


def _quantities(files: "Sequence[DeviceFile]") -> list[str]:
    """Return the quantities for a rank: all, and those of a probe that a file has."""
    from gatemark.judge.change.sampled import KNEE
    from gatemark.quantity import UNITS

    return [*{*UNITS, KNEE, *(value.quantity for file in files for value in file.value)}]


def _read(paths: Sequence[Path]) -> "Iterator[DeviceFile]":
    """Files of devices, and runs as such files."""
    from gatemark.store.study import device

    for path in paths:
        if path.suffix == SUFFIX:
            file = device.read(path)
            if why := tied.untied(path, file):
                output.say(f"{path}: {why}", err=True)
            yield file
        else:
            yield tied.made(locate.located(path))
