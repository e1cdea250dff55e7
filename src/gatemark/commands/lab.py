# SPDX-License-Identifier: Apache-2.0
"""`gatemark lab`: keep a lab open to play with."""

import os
from typing import Annotated

import typer

from gatemark.commands.console import choice, output
from gatemark.commands.console.verb import Verb, Verbs
from gatemark.error import UnavailableError, UsageError

HOSTS = {"lan": "lan", "gateway": "gw", "wan": "wan", "lan2": "lan2"}
PATHS = ("switch", "route", "nat")

app = typer.Typer(cls=Verbs, help="Keep a lab open to play with.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command(cls=Verb)
def up(
    path: Annotated[
        str, typer.Option(metavar="PATH", help="switch, route or nat.  [route]")
    ] = "route",
    slow_to_pps: Annotated[
        int, typer.Option(metavar="RATE", help="Slow the gateway to about so many packets/s.")
    ] = 0,
    json_: Json = False,
) -> None:
    """Build a lab and keep it until `gatemark lab down`."""
    from functools import partial

    from gatemark.plan.expand import slowdown_fault
    from gatemark.run import keep, stop
    from gatemark.station import doctor, own
    from gatemark.station.recover import recover

    choice.check("--path", path, PATHS)
    if reason := slowdown_fault(slow_to_pps):
        raise UsageError(f"--slow-to-pps {slow_to_pps}: {reason}")
    if own.needed():
        raise UnavailableError(
            "lab up: not root, and a lab in an ordinary user's own namespaces would end with this "
            "command; run with sudo, or measure with `gatemark run`"
        )
    doctor.require()
    tell = partial(output.say, err=True)
    for line in stop.later(recover):
        tell(line)
    kept = keep.up(path, slow_to_pps, tell)
    stop.ignore()  # the lab is up: to tell "stopped" would be false from here on
    if json_:
        output.lines([{"lab": kept.lab, "holder": kept.holder}])
    else:
        output.say(f"lab {kept.lab} is up: `gatemark lab shell lan`, `gatemark lab down`")


@app.command(cls=Verb)
def status(json_: Json = False) -> None:
    """List the labs that are open, runs' own among them."""
    from dataclasses import asdict

    from gatemark.run import keep

    labs = keep.labs()
    if json_:
        output.lines(asdict(kept) for kept in labs)
    elif labs:
        rows = [("LAB", "HELD BY PID", "HOSTS")]
        rows += [(kept.lab, str(kept.holder), ", ".join(kept.namespaces)) for kept in labs]
        output.columns(rows)
    else:
        output.say("no lab is open")


@app.command(
    cls=Verb, context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
def shell(
    host: Annotated[str, typer.Argument(metavar="HOST", help="lan, gateway, wan or lan2.")],
    command: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="Run this instead of a shell.")
    ] = None,
) -> None:
    """Open a shell on a host of the open lab, or run one command there."""
    from gatemark.run import keep

    choice.check("HOST", host, HOSTS)
    space = f"gm-{keep.opened().lab}-{HOSTS[host]}"
    words = [word for at, word in enumerate(command or []) if (at, word) != (0, "--")]
    argv = words or [os.environ.get("SHELL", "/bin/sh")]
    os.execvp("ip", ["ip", "netns", "exec", space, *argv])  # noqa: S606


@app.command(cls=Verb)
def down(json_: Json = False) -> None:
    """Take the open lab down."""
    from gatemark.run import keep

    lab = keep.down()
    if json_:
        output.lines([{"lab": lab}])
    else:
        output.say(f"lab {lab} is gone")
