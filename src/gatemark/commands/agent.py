# SPDX-License-Identifier: Apache-2.0
"""`gatemark agent`: build gm-agent for this machine or a device, or say where it is.

A wheel brings an agent for every processor and no sources: there is nothing to build.
"""

import shlex
import subprocess
from pathlib import Path
from typing import Annotated

import typer

from gatemark.commands.console import choice, output
from gatemark.commands.console.verb import Verb, Verbs
from gatemark.error import GatemarkError
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
    """Build gm-agent with zig, for this machine or for others; a wheel has all of them."""
    from gatemark.node.binary import agent_path, own_arch, repository

    wanted = target or [own_arch()]
    targets = TARGETS if "all" in wanted else tuple(wanted)
    for name in targets:
        choice.check("--target", name, (*TARGETS, "all"))
    sources = repository()
    if not sources:
        output.say("gatemark was installed with its agents: nothing is built", err=True)
    for name in targets:
        if sources:
            _make(sources, name)
        path = agent_path(name)
        if json_:
            output.lines([{"target": name, "path": str(path), "bytes": path.stat().st_size}])
        else:
            output.say(f"{name}: {path} ({path.stat().st_size / 1024:.0f} KiB)")


def _make(sources: Path, target: str) -> None:
    from gatemark.node.isolated import INTERPRETER

    zig = f"ZIG={shlex.join((*INTERPRETER, '-m', 'ziglang'))}"
    goal = f"../src/gatemark/agents/{target}/gm-agent"
    command = ["make", "-s", "-C", str(sources / "agent"), goal, zig]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise GatemarkError("no make here; apt-get install make") from None
    if done.returncode:
        fault = (done.stderr or done.stdout).strip()
        if "No module named ziglang" in fault:
            fault = "no zig here; run `make setup` in the repository"
        raise GatemarkError(f"agent for {target}: {fault}")
