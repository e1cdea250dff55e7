# SPDX-License-Identifier: Apache-2.0
"""`gatemark station introduce`: an interview about a box, and the station file that comes of it."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from gatemark.commands.bench import check
from gatemark.commands.console import output
from gatemark.error import UnavailableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from gatemark.node.remote.login import Login
    from gatemark.station.ssh.interview import Choice
    from gatemark.station.ssh.ports import Shown
    from gatemark.station.ssh.written import Bench

FILE: Final = Path("bench.toml")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The words of the command line; a conversation changes them."""

    lan: str
    wan: str
    nics: dict[str, str]
    observe: bool
    asks: bool  # a person answers


def introduce(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="Of the box: root@192.168.1.1.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Station file.")] = FILE,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing: take what is proposed.")] = False,
    lan: Annotated[str, typer.Option("--lan", metavar="PORT", help="The box's LAN port.")] = "",
    wan: Annotated[str, typer.Option("--wan", metavar="PORT", help="The box's WAN port.")] = "",
    lan_nic: Annotated[
        str, typer.Option("--lan-nic", metavar="NIC", help="Of this machine, at the LAN port.")
    ] = "",
    wan_nic: Annotated[
        str, typer.Option("--wan-nic", metavar="NIC", help="Of this machine, at the WAN port.")
    ] = "",
    observe: Annotated[
        bool, typer.Option("--observe", help="The box is measured as it is: nothing is set.")
    ] = False,
    key: Annotated[
        Path | None, typer.Option("--key", metavar="FILE", help="SSH key; else your own ones.")
    ] = None,
    known_hosts: Annotated[
        Path | None, typer.Option("--known-hosts", metavar="FILE", help="Else your own ones.")
    ] = None,
    password: Annotated[
        bool, typer.Option("--password", help="The box asks for a password, and so do we.")
    ] = False,
) -> None:
    """Look at a box over SSH, ask what it does not show, write its station file, check it."""
    from gatemark.station import own

    asks = not yes
    if asks and not (sys.stdin and sys.stdin.isatty()):
        raise UsageError("no terminal to ask questions on: add --yes to take what is proposed")
    if own.needed():
        raise UnavailableError("NICs of this machine are looked at and taken by root: use sudo")
    output.place(out)
    if out.suffix != ".toml" or out.exists():
        why = "is there already" if out.exists() else "is no NAME.toml"
        raise UsageError(f"{out}: {why}: name another one, --out my-box.toml")
    login = _login(address, key, known_hosts, password=password)
    nics = {end: nic for end, nic in (("lan", lan_nic), ("wan", wan_nic)) if nic}
    bench = _interviewed(login, Wanted(lan, wan, nics, observe, asks))
    _write(bench, out)
    if not check.checked(str(out), check.as_line):
        raise typer.Exit(1)
    output.say(f"\nNow measure: gatemark run quick --station {out}")


def _login(address: str, key: Path | None, known_hosts: Path | None, *, password: bool) -> "Login":
    from gatemark.node.remote.login import ASK, Address, Login

    try:
        where = Address.parse(address)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return Login(where, key=key, password=ASK if password else "", known_hosts=known_hosts)


def _interviewed(login: "Login", wanted: Wanted) -> "Bench":
    """Look, ask, look again. Raises GatemarkError."""
    from gatemark.station.ssh.control_port import CommandsError
    from gatemark.station.ssh.plugged import free
    from gatemark.station.ssh.written import Bench

    known = replace(login, password=login.secret())  # asked for once
    shown = _run(_shown(known))
    output.say(f"{login.address}: {shown.model}, {shown.firmware}")
    try:
        wanted, choice = _chosen(shown, wanted)
    except CommandsError as error:
        output.say(error.commands)
        raise
    nics, by = _run(free(login.address.host))
    bench = Bench(login, choice, wanted.nics, {}, by, shown.addresses)
    return _cabled(bench, known, nics, asks=wanted.asks)


def _chosen(shown: "Shown", wanted: Wanted) -> "tuple[Wanted, Choice]":
    """Return what is proposed, and what a person makes of it."""
    from gatemark.station.mode import Mode
    from gatemark.station.ssh.interview import choose
    from gatemark.station.ssh.written import CHANGED

    choice = choose(shown, wanted.lan, wanted.wan, observe=wanted.observe)
    if not wanted.asks:
        return wanted, choice
    output.say(
        f"ports: {', '.join(shown.ports)}; SSH comes in by {choice.control or '?'}", err=True
    )
    lan = _asked("LAN port", choice.lan)
    wan = _asked("WAN port (- for none)", choice.wan or "-")
    wan = "" if wan == "-" else wan
    observe = choice.mode is Mode.OBSERVE or not typer.confirm(
        f"Gatemark sets {CHANGED[choice.mode]}. May it?", default=True, err=True
    )
    wanted = replace(wanted, lan=lan, wan=wan, observe=observe)
    return wanted, choose(shown, lan, wan, observe=observe)


def _cabled(bench: "Bench", known: "Login", nics: list[str], *, asks: bool) -> "Bench":
    """Which NIC is at which port: seen by frames, named by somebody, or the first that are free."""
    from gatemark.station.ssh.written import drawing

    while True:
        bench = _seen(bench, known, nics)
        ends = ("lan", "wan") if bench.choice.wan else ("lan",)
        lacking = [end for end in ends if end not in bench.nics]
        if not lacking or not asks:
            break
        output.say(f"\nCable it so:\n\n{drawing(bench)}\n", err=True)
        if unused := [name for name in nics if name not in bench.leads]:
            output.say(f"At no test port of the box: {', '.join(unused)}", err=True)
        if not typer.confirm("Cabled? (no: take the first free NICs)", default=True, err=True):
            break
    return replace(bench, nics=_filled(bench, lacking, nics))


def _seen(bench: "Bench", known: "Login", nics: list[str]) -> "Bench":
    """With the NICs whose frames arrive at a test port."""
    choice = bench.choice
    outlets = dict.fromkeys((*choice.sockets["lan"], *choice.sockets["wan"]))
    tags = {outlet.vlan for outlet in outlets if outlet.vlan}
    leads = _run(_plugged(known, nics, [outlet.port for outlet in outlets], sorted(tags)))
    return replace(bench, nics={**seen(choice, leads), **bench.nics}, leads=leads)


def seen(choice: "Choice", leads: Mapping[str, str]) -> dict[str, str]:
    """Return lan, wan -> the NIC that leads there; one NIC is both at a socket that has both."""
    nics: dict[str, str] = {}
    for end in ("lan", "wan"):
        at_end = [name for name, port in leads.items() if port in choice.ports(end)]
        free = at_end if choice.is_trunk else [n for n in at_end if n not in nics.values()]
        nics |= {end: free[-1]} if free else {}
    return nics


def _filled(bench: "Bench", lacking: list[str], nics: list[str]) -> dict[str, str]:
    rest = [name for name in nics if name not in bench.nics.values() and name not in bench.leads]
    if bench.choice.is_trunk and (one_nic := [*bench.nics.values(), *rest][:1]):
        return dict.fromkeys(("lan", "wan"), one_nic[0])
    if len(rest) < len(lacking):
        have = ", ".join(nics) or "none"
        raise UsageError(
            f"this machine has too few NICs that are free and lead to the box: {have}. A test port "
            "needs a NIC of its own, in no bridge and without the default route"
        )
    return {**bench.nics, **dict(zip(lacking, rest, strict=False))}


def _write(bench: "Bench", out: Path) -> None:
    from gatemark.station.ssh.written import CHANGED, drawing, toml

    output.write(out, toml(bench, out).encode())
    output.say(f"\n{drawing(bench)}\n")
    output.say(f"changed: {CHANGED[bench.choice.mode]}")
    for note in bench.choice.notes:
        output.say(f"note: {note}")
    output.say(f"{out}: written; now it is checked\n")


def _asked(question: str, proposed: str) -> str:
    return str(typer.prompt(question, default=proposed, err=True)).strip()


def _run(work: "Coroutine[Any, Any, Result]") -> "Result":
    from functools import partial

    from gatemark.run import stop

    return stop.run(work, partial(output.say, err=True))


async def _shown(login: "Login") -> "Shown":
    from gatemark.node.remote.ssh import Ssh
    from gatemark.station.ssh.ports import look

    box = Ssh("gateway", login)
    await box.connect()
    try:
        return await look(box)
    finally:
        await box.close()


async def _plugged(
    login: "Login", nics: list[str], ports: list[str], tags: list[int]
) -> dict[str, str]:
    from gatemark.node.remote.ssh import Ssh
    from gatemark.station.ssh.plugged import plugged

    box = Ssh("gateway", login)
    await box.connect()
    try:
        return await plugged(box, nics, ports, tags)
    finally:
        await box.close()
