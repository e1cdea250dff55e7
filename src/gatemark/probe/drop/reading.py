# SPDX-License-Identifier: Apache-2.0
"""All counters of drops in one command, and by how much they rose between two readings."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from gatemark.error import NodeError
from gatemark.node.quoted import Script, joined, literal, sh, shell
from gatemark.node.reader import ODD, reader
from gatemark.node.shell import Node
from gatemark.probe.drop import ip, netfilter, port, qdisc
from gatemark.probe.drop.part import Part, View, all_files, by_file, by_name, of_part, view_of
from gatemark.store.drops import NO_LOSS, PORT_IN, PORT_OUT, REFUSED, STAGES, TESTER, Drop

PARTS: Final[tuple[Part, ...]] = (*port.PARTS, *netfilter.PARTS, *ip.PARTS, *qdisc.PARTS)
MARK: Final = "@@"
FAILED: Final = "@!"
EACH: Final = f"echo {{mark}} {{name}}; {{{{ {{part}}; }}}} 2> /dev/null || echo '{FAILED}'"
OF_ALL: Final = "it counts the whole machine"

LONGEST_LINE: Final = 8192  # characters: what is longer would take its expressions for ever

Key = tuple[str, str, str]  # stage, cause, where


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of all counters."""

    at_s: float
    counts: Mapping[Key, Drop]
    unread: Mapping[str, str]  # part -> why not
    mtu: Mapping[str, int] = field(default_factory=dict)  # port -> bytes


def parts(*, is_own: bool) -> tuple[Part, ...]:
    """Return the parts that can be read of a gateway with its own kernel, or of a namespace."""
    return tuple(part for part in PARTS if is_own or not part.shared)


def script(parts: Collection[Part], devices: Collection[str]) -> Script:
    """One script for a shell of any kind. A part that fails says so and stops no other."""
    each = [shell(EACH, mark=MARK, name=part.name, part=part.script) for part in parts]
    return joined((shell("devices={names}", names=" ".join(devices)), *each))


async def read(node: Node, parts: Collection[Part], devices: Collection[str]) -> str:
    """Return the output of these parts' script; of a namespace without a program where one can.

    Raises NodeError.
    """
    parts = (*parts, MTU)
    view = await view_of(node, parts, devices)
    asked = {part.name: _looked(view, part) for part in parts if view}
    texts = {name: text for name, text in asked.items() if text is not None}
    left = [part for part in parts if part.name not in texts]
    printed = await _printed(node, left, devices) if left else ""
    return "\n".join([*map(_section, texts, texts.values()), printed])


async def _printed(node: Node, parts: Collection[Part], devices: Collection[str]) -> str:
    """Return what the parts' script prints; all that are files are read by one program."""
    filed = [part for part in parts if part.files]
    others = [part for part in parts if not part.files]
    text = joined([*([all_files(filed)] if filed else []), script(others, devices)])
    files, mark, printed = (await node.run(*sh(text))).partition(f"{MARK} ")
    read = by_file(files.splitlines())
    lines = {part.name: of_part(part, read) for part in filed}
    texts = {name: FAILED if each is None else "\n".join(each) for name, each in lines.items()}
    return "\n".join([*map(_section, texts, texts.values()), mark + printed])


def _section(name: str, text: str) -> str:
    return f"{MARK} {name}\n{text}"


def _looked(view: View, part: Part) -> str | None:
    try:
        return view.text(part)
    except NodeError:
        return FAILED


def _sizes_near(view: View) -> str:
    there = [port for port in view.devices if port in view.links]
    return "\n".join(f"{port} {view.links[port].mtu}" for port in there)


def _no_drops(lines: list[str], devices: Collection[str]) -> tuple[Drop, ...]:
    del lines, devices
    return ()


MTU: Final = Part(
    "MTU",
    literal(
        "for port in $devices; do "
        "read -r bytes < /sys/class/net/$port/mtu && echo $port $bytes; done"
    ),
    _no_drops,
    "no MTU in sysfs",
    near=_sizes_near,
)


@reader("its counters of drops")
def parse(text: str, at_s: float, *, devices: Collection[str], is_own: bool) -> Reading:
    """The counters in what the script printed."""
    counts: dict[Key, Drop] = {}
    unread: dict[str, str] = {}
    known = {part.name: part for part in parts(is_own=is_own)}
    sections = _sections(text)
    for name, lines in sections.items():
        if name not in known:
            continue
        drops = _counted(known[name], lines, devices)
        if drops is None:
            unread[name] = known[name].lacks
        else:
            counts |= {(drop.stage, drop.cause, drop.where): drop for drop in drops}
    if not is_own:
        unread |= {part.name: OF_ALL for part in PARTS if part.shared}
    return Reading(at_s, counts, unread, by_name(sections.get(MTU.name, [])))


def risen(before: Reading, after: Reading, *, is_own: bool) -> tuple[Drop, ...]:
    """The rise of each counter, by stage. What was set anew meanwhile is left out.

    Those of a namespace's ports are the tester's in part.
    """
    drops = []
    for key, drop in after.counts.items():
        count = drop.packets - before.counts[key].packets if key in before.counts else drop.packets
        if count > 0:
            kept = replace(drop, packets=count)
            drops.append(kept if is_own else _of_veth(kept))
    return tuple(sorted(drops, key=lambda drop: STAGES.index(drop.stage)))


def _of_veth(drop: Drop) -> Drop:
    """Return a veth's drops on its way out as those of the sink's full ring.

    What it dropped on its way in was refused to the sender, who may count it, too.
    """
    if drop.stage == PORT_OUT:
        return replace(drop, stage=TESTER)
    return replace(drop, counted_in=REFUSED) if drop.stage == PORT_IN else drop


def lost(drops: Collection[Drop]) -> int:
    """Packets of all counters, with those that two count."""
    return sum(drop.packets for drop in drops if drop.stage not in NO_LOSS)


def _counted(part: Part, lines: list[str], devices: Collection[str]) -> list[Drop] | None:
    """Return the drops in a part's lines; None where it failed, or printed what nobody expects."""
    if FAILED in lines or any(len(line) > LONGEST_LINE for line in lines):
        return None
    try:
        return list(part.parse(lines, devices))
    except ODD:
        return None


def _sections(text: str) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    for name, line in _named(text):
        lines = sections.setdefault(name, [])
        if line:
            lines.append(line)
    return sections


def _named(text: str) -> Iterator[tuple[str, str]]:
    name = ""
    for line in text.splitlines():
        if line.startswith(f"{MARK} "):
            name = line.removeprefix(f"{MARK} ")
            yield name, ""
        elif name:
            yield name, line
