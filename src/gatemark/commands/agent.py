# SPDX-License-Identifier: Apache-2.0
"""`gatemark agent`: build gm-agent for this machine or a device, or say where it is.

A wheel brings an agent for every processor and no sources: there is nothing to build.
"""

from typing import Annotated

import typer

from gatemark.commands.console import choice, output
from gatemark.commands.console.verb import Verb, Verbs
from gatemark.node.elf import TARGETS

app = typer.Typer(
    cls=Verbs, help="Build the program that runs on a host: gm-agent.", no_args_is_help=True
)


@app.callback()
def _group() -> None:
    pass


@app.command(cls=Verb)
def build(
    target: Annotated[
        list[str] | None,
        typer.Option(metavar="CPU", help=f"Processor: {', '.join(TARGETS)}, all; repeatable."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the paths as JSON.")] = False,
) -> None:
    """Build gm-agent, for this machine or for others; a wheel has all of them."""
    from gatemark.node import binary
    from gatemark.node.build import build as make
    from gatemark.node.build import repository

    wanted = target or [binary.own_arch()]
    targets = TARGETS if "all" in wanted else tuple(wanted)
    for name in targets:
        choice.check("--target", name, (*TARGETS, "all"))
    sources = repository()
    if not sources:
        output.say("gatemark was installed with its agents: nothing is built", err=True)
    for name in targets:
        if sources:
            make(binary.agent_file(name), f"agent for {name}")
        path = binary.agent_path(name)
        if json_:
            output.lines([{"target": name, "path": str(path), "bytes": path.stat().st_size}])
        else:
            output.say(f"{name}: {path} ({path.stat().st_size / 1024:.0f} KiB)")
