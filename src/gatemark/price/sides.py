# SPDX-License-Identifier: Apache-2.0
"""OLD and NEW of a verdict: a file of rules, a station, or a kernel's package; and their counts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gatemark.error import UsageError
from gatemark.price import memory
from gatemark.price.course import ready
from gatemark.price.gateway import Counted
from gatemark.price.read import QUEUES, read
from gatemark.price.session import Session, session
from gatemark.price.survey import loaded
from gatemark.price.text import Rules
from gatemark.price.traffic import Kind
from gatemark.station.load import load, stations
from gatemark.station.qemu.guest import model
from gatemark.station.qemu.lab import VirtualLab

KERNEL: Final = "linux-image-"
Counts = dict[Kind, Counted]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A side's counts, and the sizes of its kernel."""

    counts: Counts
    sizes: memory.Sizes


@dataclass(frozen=True, slots=True)
class Side:
    """One of both: a station, and the rules on it."""

    name: str
    lab: VirtualLab
    rules: Rules | None


def side(text: str, station: str, rules: Rules | None) -> Side:
    """OLD or NEW of its words; `rules` are those that two stations have. Raises UsageError."""
    if text.startswith(KERNEL):
        arch = virtual(station).model.arch.name
        table = {"kind": VirtualLab.kind, "arch": arch, "kernel": text}
        return Side(text, VirtualLab(text, model(table, Path(station))), rules)
    if text in stations() or text.endswith(".toml"):
        return Side(text, virtual(text), rules)
    file_rules = read(Path(text))
    if file_rules.form == QUEUES:
        raise UsageError(f"{text}: queues: `gatemark price {text}` prices them")
    return Side(Path(text).name, virtual(station), file_rules)


def virtual(name: str) -> VirtualLab:
    """A virtual gateway by the name of its station or file. Raises UsageError."""
    lab = load(name)
    if not isinstance(lab, VirtualLab):
        raise UsageError(f"{name}: instructions are counted on virtual gateways: qemu-x86")
    return lab


async def both(
    old: Side, new: Side, kinds: tuple[Kind, ...], service: int, tell: Callable[[str], None]
) -> tuple[Outcome, Outcome]:
    """Count both; two files of rules in one boot. Raises GatemarkError."""
    given = _ends(old, new)
    if old.lab.model == new.lab.model:
        tell(f"one boot of {old.lab.name}")
        async with session(old.lab, service, given) as booted:
            return (
                await _counted(booted, old, kinds, given, tell),
                await _counted(booted, new, kinds, given, tell),
            )
    counts = []
    for each in (old, new):
        tell(f"a boot of {each.name}")
        async with session(each.lab, service, given) as booted:
            counts.append(await _counted(booted, each, kinds, given, tell))
    return counts[0], counts[1]


def _ends(old: Side, new: Side) -> Mapping[str, str]:
    """The addresses of both sides, the same for both."""
    ends: dict[str, str] = {}
    for each in (new, old):
        ends |= each.rules.ends() if each.rules else {}
    return ends


async def _counted(
    booted: Session,
    each: Side,
    kinds: tuple[Kind, ...],
    given: Mapping[str, str],
    tell: Callable[[str], None],
) -> Outcome:
    tell(f"counting {each.name}")
    rules = each.rules
    await ready(
        booted, rules.ports() if rules else {}, rules.names if rules else (), given.get("lan", "")
    )
    if rules:
        await loaded(booted, rules)
    else:
        await booted.load("", whole=True)
    counts = await booted.count(kinds)
    return Outcome(counts, await memory.read(booted.lab.gateway.node))
