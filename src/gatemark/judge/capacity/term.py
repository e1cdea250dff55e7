# SPDX-License-Identifier: Apache-2.0
"""The terms whose sum is a packet's time: of a setup, a direction and a frame size.

`base` is a frame of no bytes on the run's first path, LAN to WAN. Another path, the other
direction and each feature add a term of their own; `filter:N` adds two, a constant and one for
each rule, as it is a ladder of N; and each byte of the frame adds one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gatemark.plan.feature import FEATURES, Feature

BASE: Final = "base"
BYTE: Final = "byte"
BEYOND: Final = "byte beyond "  # and a frame size
DOWN: Final = "down"
REFERENCE: Final = "route"  # the path that base is of, where it was measured
WAYS: Final = {"wan": "up", "lan": "down"}  # of a shaper at one port: the direction that it meets
RULE: Final = " rule"  # behind a filter's name: the cost of each


@dataclass(frozen=True, slots=True)
class Setup:
    """A path and its features, in order."""

    path: str
    features: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The setup as plans and reports have it: `nat + filter:100`."""
        return " + ".join((self.path, *self.features))

    def without(self, feature: str) -> "Setup":
        """The same with one feature switched off."""
        return Setup(self.path, tuple(item for item in self.features if item != feature))


@dataclass(frozen=True, slots=True)
class Case:
    """A setup, a direction and a frame size that one time per packet belongs to."""

    setup: Setup
    direction: str
    frame_bytes: float  # with FCS; of a mix the mean


def reference(setups: Iterable[Setup]) -> str:
    """The path that `base` stands for."""
    paths = [setup.path for setup in setups]
    return REFERENCE if REFERENCE in paths or not paths else paths[0]


def beyond(cases: Iterable[Case]) -> list[str]:
    """Terms of bytes beyond each frame size that lies between others: the line may bend there."""
    sizes = sorted({case.frame_bytes for case in cases})
    return [f"{BEYOND}{size:g}" for size in sizes[1:-1]]


def bend(term: str) -> float | None:
    """The frame size beyond which a term counts bytes; None: it is no such term."""
    return float(term.removeprefix(BEYOND)) if term.startswith(BEYOND) else None


def value(term: str, results: Mapping[str, float]) -> float:
    """Return how often a term is in a case whose columns were found."""
    size = bend(term)
    return results.get(term, 0.0) if size is None else max(0.0, results[BYTE] - size)


def columns(case: Case, base_path: str) -> dict[str, float]:
    """Each term with how often it is in the sum."""
    values = {BASE: 1.0, BYTE: case.frame_bytes}
    if case.setup.path != base_path:
        values[case.setup.path] = 1.0
    if case.direction == "down":
        values[DOWN] = 1.0
    for feature in case.setup.features:
        if passes(feature, case.direction):
            values |= terms(feature)
    return values


def passes(feature: str, direction: str) -> bool:
    """Whether packets of a direction meet it: a shaper at one port alone shapes what leaves there.

    Up leaves by the WAN port, down by the LAN port.
    """
    name, *words = feature.split(":")
    if not properties(name).shapes:
        return True
    return next((WAYS[word] for word in words if word in WAYS), direction) == direction


def terms(feature: str) -> dict[str, float]:
    """The terms of one feature's word."""
    name, *words = feature.split(":")
    its = properties(name)
    if its.shapes:  # neither the rate nor the port is a part of the cost
        others = (word for word in words[2:] if word not in WAYS)
        return {":".join((name, *words[:1], *others)): 1.0}
    if not its.counts or not words:
        return {feature: 1.0}
    usual = [argument.default for argument in its.arguments[1:]]
    by = "".join(f":{word}" for word in words[1:] if word not in usual)
    return {f"{name}{by}{RULE}": float(words[0]), f"{name}{by}": 1.0}


def count(feature: str) -> int:
    """N of a ladder's word, 0 of all others."""
    name, *words = feature.split(":")
    return int(words[0]) if properties(name).counts and words else 0


def properties(name: str) -> Feature:
    """Return the properties of a feature; one that is not known has none."""
    return FEATURES.get(name, Feature(()))


def recounted(feature: str, n: int) -> str:
    """A ladder's word with another N."""
    name, _, *by = feature.split(":")
    return ":".join((name, str(n), *by))


def ordered(cases: Iterable[Case], base_path: str) -> list[str]:
    """All terms of these cases: base and bytes, then as they come.

    A ladder's rules come before its constant: where one N alone was measured, the rules have it.
    """
    return list(dict.fromkeys(_first(cases, base_path)))


def _first(cases: Iterable[Case], base_path: str) -> Iterator[str]:
    yield from (BASE, BYTE)
    for case in cases:
        yield from columns(case, base_path)
