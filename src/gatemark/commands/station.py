# SPDX-License-Identifier: Apache-2.0
"""`gatemark station`: the benches there are, and whether one is as its file says."""

from typing import Annotated

import typer

from gatemark.commands.bench import check as checking
from gatemark.commands.bench import introduce, report
from gatemark.commands.console import output
from gatemark.commands.console.verb import Verb, Verbs

app = typer.Typer(
    cls=Verbs, help="Look a station over before measuring on it.", no_args_is_help=True
)

# Of each processor the shipped station that boots its image of OpenWrt.
STATIONS = {"x86_64": "openwrt-x86", "mipsel": "openwrt-mips", "aarch64": "openwrt-aarch64"}

Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


@app.command("list", cls=Verb)
def list_(json_: Json = False) -> None:
    """List the stations that ship, to be named by --station; and what each is."""
    from dataclasses import asdict, astuple

    from gatemark.commands.bench.shipped import shipped

    every = list(shipped())
    if json_:
        output.lines(map(asdict, every))
    else:
        output.columns([("STATION", "KIND", "WHAT", "TYPE FIRST"), *map(astuple, every)])


@app.command(cls=Verb)
def check(
    station: Annotated[
        str, typer.Argument(metavar="STATION", help="A name, or a file NAME.toml.")
    ] = "",
    json_: Json = False,
) -> None:
    """Check cabling, addresses, control path, clocks and agents; exit 1 if something is wrong."""
    if not station:
        from gatemark.error import UsageError
        from gatemark.station.load import stations

        raise UsageError(f"STATION is missing: a file NAME.toml, or {', '.join(stations())}")
    if not checking.checked(station, checking.as_json if json_ else checking.as_line):
        raise typer.Exit(1)


@app.command(cls=Verb)
def image(
    userland: Annotated[str, typer.Argument(metavar="NAME", help="What to build: openwrt.")],
    sources: Annotated[
        str, typer.Option("--sources", metavar="DIR", help="Folder with its sources, as archives.")
    ],
    arch: Annotated[
        str,
        typer.Option("--arch", metavar="NAME", help="Processor: x86_64, mipsel or aarch64."),
    ] = "x86_64",
    sha256: Annotated[
        list[str] | None,
        typer.Option("--sha256", metavar="HEX", help="Take an archive of this sum, too."),
    ] = None,
    json_: Json = False,
) -> None:
    """Build what the virtual gateways of a name boot, out of its sources; kept where it is made."""
    from functools import partial
    from pathlib import Path

    from gatemark.error import UsageError
    from gatemark.station.image.arch import ARCHES
    from gatemark.station.image.openwrt.image import NAME, make

    if userland != NAME:
        raise UsageError(f"no image '{userland}' is built from sources; known: {NAME}")
    if arch not in ARCHES:
        raise UsageError(f"--arch {arch}: no such processor; known: {', '.join(ARCHES)}")
    place = make(ARCHES[arch], Path(sources), partial(output.say, err=True), sha256 or ())
    if json_:
        output.lines([{"image": userland, "arch": arch, "place": str(place)}])
    else:
        output.say(f"{userland}: {place}; --station {STATIONS[arch]} boots it")


@app.command(cls=Verb)
def release(
    station: Annotated[str, typer.Argument(metavar="FILE", help="A station file, NAME.toml.")],
    force: Annotated[
        bool, typer.Option("--force", help="Also from a run that is alive: it ends.")
    ] = False,
    json_: Json = False,
) -> None:
    """Undo what a run that is gone set on a station's hosts, and let others have them."""
    from functools import partial

    from gatemark.run import stop
    from gatemark.station.load import load
    from gatemark.station.ssh.release import release as released

    lines = stop.run(released(load(station), force=force), partial(output.say, err=True))
    if json_:
        output.lines({"done": line} for line in lines)
    else:
        for line in lines:
            output.say(line)


app.command(cls=Verb)(introduce.introduce)
app.command(cls=Verb)(report.report)
