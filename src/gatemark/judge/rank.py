# SPDX-License-Identifier: Apache-2.0
"""Devices ranked by one definition; whose intervals overlap are tied.

A virtual gateway, or one that was slowed on purpose, is no device and is left out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import msgspec

from gatemark.error import UsageError
from gatemark.judge.change.sampled import KNEE
from gatemark.quantity import is_higher_better
from gatemark.store.record import Definition, Scalar
from gatemark.store.study.device import APART, DeviceFile, DeviceValue, no_device

Key = tuple[object, ...]
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One device's place."""

    place: int  # 1: no other is surely better
    alike: tuple[str, ...]  # devices whose intervals overlap with its own: they are tied
    device: str  # its name; where several files have that name, with its run
    value: DeviceValue


@dataclass(frozen=True, slots=True)
class Ranking:
    """All devices that have a value of one definition, the best first."""

    quantity: str
    definition: Definition  # of the first; how long it was measured is each value's own
    point: dict[str, Scalar]
    devices: tuple[Ranked, ...]


def rankings(files: Sequence[DeviceFile], quantity: str = "") -> list[Ranking]:
    """A ranking for each definition, those of most devices first.

    By a quantity, or by what each definition is about and by the knee. Raises UsageError for two
    files that nothing tells apart.
    """
    kept: dict[Key, dict[str, DeviceValue]] = {}
    for name, file in _named([file for file in files if not no_device(file)]):
        for value in file.value:
            if value.quantity in ((quantity,) if quantity else (value.defined.headline, KNEE)):
                kept.setdefault(_key(value), {}).setdefault(name, value)
    made = [_ranking(values) for values in kept.values()]
    return sorted(made, key=lambda ranking: -len(ranking.devices))


def _named(files: Sequence[DeviceFile]) -> Iterator[tuple[str, DeviceFile]]:
    """Each file once, with its device's name; where several have that name, with its run's, too."""
    unique = [file for place, file in enumerate(files) if file not in files[:place]]
    names = Counter(file.device.name for file in unique)
    known = set[str]()
    for file in unique:
        own = file.device.name
        name = own if names[own] == 1 else f"{own}, run {file.run.run}"
        if name in known:
            raise UsageError(f"two files are of {name}: set `name` of [device] in one of them")
        known.add(name)
        yield name, file


def left_out(files: Iterable[DeviceFile]) -> Iterator[tuple[str, str]]:
    """The files that are of no device, by name, each with why."""
    for file in files:
        if reason := no_device(file):
            yield file.device.name, reason


def _key(value: DeviceValue) -> Key:
    """What makes two values comparable: the definition, and the rate at which it holds.

    A rate at a share of the throughput stands for that share, not for the most.
    """
    fields = msgspec.structs.asdict(value.defined)
    rates = (value.point.get(factor) for factor in ("rate_bps", "payload_bytes", "share"))
    return value.quantity, *(fields[name] for name in fields if name not in APART), *rates


def _ranking(values: dict[str, DeviceValue]) -> Ranking:
    first = next(iter(values.values()))
    higher = is_higher_better(first.quantity)
    spans = {name: _span(value, higher=higher) for name, value in values.items()}
    places = {
        name: 1 + sum(other[0] > span[1] for other in spans.values())
        for name, span in spans.items()
    }
    order = sorted(values, key=lambda name: (places[name], -_middle(values[name], higher=higher)))
    return Ranking(
        first.quantity,
        first.defined,
        first.point,
        tuple(
            Ranked(places[name], tuple(_alike(name, spans)), name, values[name]) for name in order
        ),
    )


def _alike(name: str, spans: Mapping[str, Span]) -> Iterator[str]:
    low, high = spans[name]
    for other, (least, most) in spans.items():
        if other != name and least <= high and low <= most:
            yield other


def _middle(value: DeviceValue, *, higher: bool) -> float:
    return value.value if higher else -value.value


def _span(value: DeviceValue, *, higher: bool) -> Span:
    """Its interval, so turned that more is better; a lower bound may be any more."""
    low, high = (value.lo, value.hi) if higher else (-value.hi, -value.lo)
    return low, inf if value.at_least else high
