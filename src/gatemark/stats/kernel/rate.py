# SPDX-License-Identifier: Apache-2.0
"""A kernel on the gateway's processor: what its rate is of, and what holds it back."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gatemark.stats.judgement import PointResult
from gatemark.stats.point.group import Group
from gatemark.stats.point.limit import Verdict
from gatemark.store.record import Definition

KERNEL: Final = "kernel rate"  # of a definition's `quantity`

# What is told of each command, and the unit that its operations have.
DOES: Final = {
    "lpm": "looks up",
    "filter": "asks filters for",
    "match": "searches",
    "coremark": "runs CoreMark at",
}
UNITS: Final = {
    "lpm": "routes/s",
    "filter": "keys/s",
    "match": "payloads/s",
    "coremark": "iterations/s",
}
# Measures of the platform that are nothing but memory; `bandwidth` may be of a cache.
OF_MEMORY: Final = ("latency", "stream")


def is_kernel(definition: Definition) -> bool:
    """Whether a point is of a kernel, so that no packet crossed the gateway."""
    return definition.quantity == KERNEL


def words(definition: Definition) -> Mapping[str, str]:
    """The command as `command`, and its words."""
    command, *pairs = definition.kernel.split() or [""]
    split = (pair.partition("=") for pair in pairs)
    return {"command": command} | {key: value for key, _, value in split}


def of(points: Iterable[PointResult], command: str) -> Iterator[PointResult]:
    """The points of one command that were measured."""
    for point in points:
        is_its = is_kernel(point.definition) and words(point.definition)["command"] == command
        if is_its and point.values:
            yield point


def ratios(
    points: Iterable[PointResult], command: str, word: str, pair: tuple[str, str]
) -> Iterator[float]:
    """The first value's rate over the second's, at points that are alike but for this word."""
    rates: dict[tuple[object, ...], dict[str, float]] = {}
    for point in of(points, command):
        if "ops_s" not in point.values:
            continue
        others = dict(words(point.definition))
        value = others.pop(word, "")
        alike = (*sorted(others.items()), point.definition.level, point.definition.instances)
        rates.setdefault(alike, {})[value] = point.values["ops_s"].value
    for rate in rates.values():
        if set(pair) <= rate.keys():
            yield rate[pair[0]] / rate[pair[1]]


def fastest(points: Iterable[PointResult], command: str) -> list[PointResult]:
    """The point of a command with the highest rate; none where there is none."""
    rated = [point for point in of(points, command) if "ops_s" in point.values]
    return sorted(rated, key=lambda point: -point.values["ops_s"].value)[:1]


def decide(trials: Group) -> Verdict:
    """It has the processor for itself: nothing else could hold it back.

    What a look-up waits for memory is time of the processor too, and nothing tells the two apart
    from outside; but some kernels do nothing besides.
    """
    if not trials.outside:
        return Verdict("unknown", "no valid trial")
    if words(trials.definition).get("measure") in OF_MEMORY:
        return Verdict("memory", "all that the kernel does is to wait for it")
    return Verdict("cpu", "the kernel alone had it, waiting for memory included")
