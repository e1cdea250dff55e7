# SPDX-License-Identifier: Apache-2.0
"""A part of what is read: a piece of a shell script, and what its output says was dropped."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from gatemark.error import NodeError
from gatemark.node.inside.door import Door, Link
from gatemark.node.quoted import Script, shell
from gatemark.node.remote.look import Look
from gatemark.node.shell import Node, door
from gatemark.store.drops import Drop

LISTS: Final = ("links", "qdiscs", "rules")  # that parts ask a door for
LOOKED: Final = ("/proc/net/ip_tables_names",)  # a file that they read there

# From the lines and the gateway's test ports; `packets` are since the counter began.
Parse = Callable[[list[str], Collection[str]], Iterable[Drop]]


class View:
    """A gateway at one reading, without a program: what several parts ask of it is asked once."""

    def __init__(self, door: Door | Look, devices: Collection[str]) -> None:
        self.door = door
        self.devices = devices  # the names of the test ports

    @cached_property
    def links(self) -> Mapping[str, Link]:
        """Its ports. Raises NodeError."""
        return self.door.links()

    def text(self, part: "Part") -> str | None:
        """Return what a part's script would print; None: ask it. Raises NodeError."""
        if isinstance(self.door, Look) and part.files:
            lines = of_part(
                part, {path: t.splitlines() for path, t in self.door.files.items() if t}
            )
            if lines is None:
                raise NodeError(part.lacks)
            return "\n".join(lines)
        return part.near(self) if part.near else None


async def view_of(node: Node, parts: Collection["Part"], devices: Collection[str]) -> View | None:
    """Look at a namespace of this machine, or over SSH by our agent; None: ask the scripts."""
    near = door(node) or await Look.at(node, (*file_names(parts), *LOOKED), LISTS)
    return View(near, devices) if near else None


# What the script prints; None: ask the script. Raises NodeError.
Near = Callable[[View], str | None]


@dataclass(frozen=True, slots=True)
class Part:
    """One command, or files of /proc."""

    name: str  # how a record calls it where it could not be read
    script: Script  # $devices: the names of the test ports; fails where it cannot be read
    parse: Parse
    lacks: str  # why it cannot be read then: "no nft"
    shared: bool = False  # of the whole machine: a namespace's own share is not known
    near: Near | None = None  # the same without a program
    files: tuple[str, ...] = ()  # what it reads, where that is no more than files
    with_file: str = ""  # without this file nothing is counted
    spare: str = ""  # a file that some kernels lack


def of_files(
    name: str, files: tuple[str, ...], parse: Parse, lacks: str, with_file: str = ""
) -> Part:
    """A part that is files of /proc/net as they are. Without `with_file` nothing is counted."""
    script = shell("cat {files}", files=files)
    if with_file:
        script = shell("[ ! -e {file} ] || {script}", file=with_file, script=script)
    near = read_near(files, with_file)
    return Part(name, script, parse, lacks, near=near, files=files, with_file=with_file)


def of_machine(name: str, file: str, parse: Parse, lacks: str) -> Part:
    """A part that is one file, of the whole machine."""
    return Part(name, shell("cat {file}", file=file), parse, lacks, shared=True, files=(file,))


def all_files(parts: Iterable[Part]) -> Script:
    """One program for the files of all parts: it takes a slow gateway longer to begin one."""
    return shell("grep -sH '' {files} || true", files=file_names(parts))


def file_names(parts: Iterable[Part]) -> list[str]:
    """The files of all parts, each once."""
    files = (file for p in parts for file in (p.with_file, *p.files, p.spare) if file)
    return [*dict.fromkeys(files)]


def of_part(part: Part, printed: Mapping[str, list[str]]) -> list[str] | None:
    """The lines of a part's files in what was printed of all; None where it cannot be read."""
    if part.with_file and part.with_file not in printed:
        return []
    if any(file not in printed for file in part.files):
        return None
    return [line for file in (*part.files, part.spare) for line in printed.get(file, ())]


def by_file(lines: Iterable[str]) -> dict[str, list[str]]:
    """The lines of each file, as `grep -H` prints them."""
    files: dict[str, list[str]] = {}
    for line in lines:
        file, _, text = line.partition(":")
        files.setdefault(file, []).append(text)
    return files


def read_near(files: tuple[str, ...], with_file: str = "") -> Near:
    """These files of /proc/net one after the other."""

    def near(view: View) -> str:
        is_counted = not with_file or Path(with_file).exists()
        return "".join(map(view.door.read, files)) if is_counted else ""

    return near


def by_name(lines: Iterable[str]) -> dict[str, int]:
    """Lines of a name and a number, as /proc/net/snmp6 has them."""
    words = (line.split() for line in lines)
    return {pair[0]: int(pair[1]) for pair in words if len(pair) == 2}


def summed(lines: list[str], names: Collection[str]) -> dict[str, int]:
    """Columns of a file of /proc/net/stat over all CPUs: a head, then a row in hex for each."""
    if not lines:
        return {}
    head, *rows = [line.split() for line in lines]
    at = {name: head.index(name) for name in names if name in head}
    return {name: sum(int(row[place], 16) for row in rows) for name, place in at.items()}
