# SPDX-License-Identifier: Apache-2.0
"""The programs that are captured: three lists, read and checked.

A program is two shell scripts or an application of `kind/application`. In its scripts NEAR, FAR and
SECONDS stand for the LAN end, the WAN end and the time; what is drawn has its name in capitals.
"""

import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random
from typing import Any, Final

from gatemark.classifier.manifest import MEDIA, REAL_TIME, ROLES
from gatemark.error import UsageError
from gatemark.kind.application.programs import APPLICATIONS, fix, path

PLACE: Final = Path(__file__).parent
LISTS: Final = tuple(PLACE / f"{name}.toml" for name in ("realtime", "others", "later"))
DNS: Final = 53
CLASSES: Final = (*REAL_TIME, "stream", "web", "bulk", "chat", "p2p", "dns", "iot", "tunnel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program with both ends, and what its flows are."""

    name: str
    kind: str  # the class of its flows
    role: str = ""  # "": media of classes in real time, else other
    needs: Mapping[str, str]  # program or pattern of a file -> package of Debian
    server: str = ""
    client: str = ""
    application: str = ""  # of kind/application, in place of both
    ready: str = "1"  # `udp PORT` or `tcp PORT` that the server opens, or seconds
    setup: Sequence[str] = ()  # `udp PORT` or `tcp` that carry nothing of it themselves
    draw: Mapping[str, Sequence[Any]] = ()  # type: ignore[assignment]
    root: bool = False  # it makes devices
    slots: int = 1  # of those that are played at once: it takes much CPU
    settle_s: float = 2.0
    is_wide: bool = False  # its line is one of the faster

    def values(self, draw: Random) -> dict[str, str]:
        """Return what is drawn for a capture, by the name that its scripts have for it."""
        return {name: str(draw.choice(list(of))) for name, of in dict(self.draw).items()}

    def flow_role(self, proto: str, near_port: int, far_port: int) -> str:
        """Return the role of one of its flows."""
        ports = {f"{proto} {near_port}", f"{proto} {far_port}", proto}
        is_asked = DNS in {near_port, far_port} and self.kind != "dns"
        if is_asked or ports & set(self.setup):
            return "setup"
        return self.role or (MEDIA if self.kind in REAL_TIME else "other")


def programs() -> list[Program]:
    """Return all, those in real time first. Raises UsageError that names file and program."""
    every = [program for file in LISTS for program in _read(file)]
    names = [program.name for program in every]
    if double := {name for name in names if names.count(name) > 1}:
        raise UsageError(f"{LISTS[0].parent}: {', '.join(double)}: twice: name each once")
    return every


def chosen(names: Sequence[str]) -> list[Program]:
    """Return some of them, or all. Raises UsageError for a name that none has."""
    every = programs()
    if unknown := set(names) - {program.name for program in every}:
        known = ", ".join(program.name for program in every)
        raise UsageError(f"{', '.join(sorted(unknown))}: no such program: {known}")
    return [program for program in every if not names or program.name in names]


def missing(program: Program) -> list[str]:
    """Return the packages of a program that this machine lacks."""
    return sorted({package for need, package in program.needs.items() if not path(need)})


def installing(packages: Sequence[str]) -> str:
    """Return the command that installs them."""
    return fix(map(shlex.quote, sorted(set(packages))))


def _read(file: Path) -> Iterator[Program]:
    with file.open("rb") as stream:
        tables = tomllib.load(stream)
    known = {field.name for field in fields(Program)} | {"class"}
    for name, table in tables.items():
        place = f"{file}: [{name}]"
        if unknown := set(table) - known:
            raise UsageError(f"{place}: {', '.join(sorted(unknown))}: no such key")
        application = APPLICATIONS.get(table.get("application", ""))
        if application:
            setup = [f"{proto} {port}" for port in application.setup for proto in ("tcp", "udp")]
            known_ = {"needs": application.needs, "class": application.label, "setup": setup}
            table = known_ | table  # noqa: PLW2901
        elif not {"server", "client", "class", "needs"} <= set(table):
            raise UsageError(f"{place}: give server, client, class and needs, or an application")
        if table["class"] not in CLASSES or table.get("role", "other") not in ROLES:
            raise UsageError(f"{place}: class or role is none of {CLASSES} and {ROLES}")
        yield Program(name=name, kind=table.pop("class"), **table)
