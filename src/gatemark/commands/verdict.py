# SPDX-License-Identifier: Apache-2.0
"""`gatemark verdict`: does NEW take more of a packet than OLD? A comment for a pull request."""

from pathlib import Path
from typing import Annotated

import typer

from gatemark.commands.console import choice, output
from gatemark.error import UsageError

SIDE_HELP = "A file of rules, a station's name or file, or a kernel: linux-image-..."
STATION_HELP = "The virtual gateway of rules and kernels.  [qemu-x86]"
RULES_HELP = "Rules that both stations or kernels have.  [none]"
ALLOW_HELP = "Accept so much more.  [1%]"
FAMILIES = ("both", "ipv4", "ipv6")
REGRESSION = 3


def verdict(
    old: Annotated[str, typer.Argument(metavar="OLD", help=SIDE_HELP)],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What it is compared with.")],
    station: Annotated[str, typer.Option(metavar="STATION", help=STATION_HELP)] = "qemu-x86",
    rules: Annotated[Path | None, typer.Option(metavar="FILE", help=RULES_HELP)] = None,
    port: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, max=65535, help="TCP port of the packets.")
    ] = 443,
    family: Annotated[str, typer.Option(metavar="FAMILY", help="both, ipv4 or ipv6.")] = "both",
    allow: Annotated[str, typer.Option(metavar="PERCENT", help=ALLOW_HELP)] = "1%",
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a packet.")] = False,
) -> None:
    """Say in a comment of Markdown what NEW costs a packet.

    Kinds of packet are counted in instructions, on virtual gateways. Exit code 3 if NEW takes more
    than --allow, or packets come to another end.
    """
    from gatemark.fleet.file import share
    from gatemark.price import memory
    from gatemark.price import verdict as words
    from gatemark.price.read import read
    from gatemark.price.sides import both, side
    from gatemark.price.traffic import kinds
    from gatemark.run import stop
    from gatemark.station.recover import recover

    choice.check("--family", family, FAMILIES)
    try:
        accepted = share(allow)
    except ValueError as error:
        raise UsageError(f"--allow {allow}: {error}") from None
    common = read(rules) if rules else None
    first, second = (side(text, station, common) for text in (old, new))
    families = ("ipv4", "ipv6") if family == "both" else (family,)

    def tell(text: str) -> None:
        output.say(text, err=True)

    for each in (first, second):
        each.lab.count()
    first.lab.enter()
    for line in stop.later(recover):
        tell(line)
    same_boot = first.lab.model == second.lab.model
    asked = both(first, second, kinds(families, ("tcp",)), port, tell)
    before, after = stop.run(asked, tell)
    rows = words.paired(before.counts, after.counts)
    is_worse, sentence = words.verdict(rows, accepted, same_boot=same_boot)
    if json_:
        output.lines(words.data(rows))
        output.lines(words.sizes(memory.compared(before.sizes, after.sizes)))
    else:
        how = "in one boot" if same_boot else "a boot each"
        how = f"instructions from card to card, counted on {first.lab.model.arch.name}, {how}"
        sizes = [*memory.compared(before.sizes, after.sizes)] if not same_boot else []
        for text in words.comment((old, new), rows, sentence, how, sizes):
            output.say(text)
    if is_worse:
        raise typer.Exit(REGRESSION)
