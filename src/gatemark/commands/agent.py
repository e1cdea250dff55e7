# SPDX-License-Identifier: Apache-2.0
"""`gatemark agent`: build gm-agent for this machine or a device."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from gatemark.commands import output
from gatemark.error import GatemarkError, UsageError

TARGETS = ("x86_64", "aarch64", "armv7", "mips", "mipsel")

app = typer.Typer(help="Build the program that runs on a host: gm-agent.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    pass


@app.command()
def build(
    target: Annotated[
        list[str] | None,
        typer.Option(metavar="CPU", help=f"Processor: {', '.join(TARGETS)}, all; repeatable."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the paths as JSON.")] = False,
) -> None:
    """Build gm-agent with zig, for this machine or for others."""
    import platform

    from gatemark.node.binary import agent_path

    wanted = target or [platform.machine()]
    targets = TARGETS if "all" in wanted else tuple(wanted)
    for name in targets:
        if name not in TARGETS:
            raise UsageError(f"--target {name}: known are {', '.join(TARGETS)}, all")
        _make(name)
    for name in targets:
        path = agent_path(name)
        if json_:
            output.lines([{"target": name, "path": str(path), "bytes": path.stat().st_size}])
        else:
            typer.echo(f"{name}: {path} ({path.stat().st_size / 1024:.0f} KiB)")


def _make(target: str) -> None:
    folder = Path(__file__).parents[3] / "agent"
    if not (folder / "Makefile").exists():
        raise GatemarkError("the agent's sources are not here: build it in a checkout of gatemark")
    zig = f"ZIG={sys.executable} -m ziglang"
    goal = f"../src/gatemark/agents/{target}/gm-agent"
    command = ["make", "-s", "-C", str(folder), goal, zig]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise GatemarkError(f"agent for {target}: {(done.stderr or done.stdout).strip()}")
