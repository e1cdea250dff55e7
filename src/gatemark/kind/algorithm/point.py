# SPDX-License-Identifier: Apache-2.0
"""A kernel on the gateway's processor: what its rate is of, and what holds it back."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gatemark.judge.judgement import PointResult
from gatemark.judge.point.group import Group
from gatemark.judge.point.kind import Judge
from gatemark.judge.point.limit import Verdict
from gatemark.kind.algorithm.plan import KERNEL
from gatemark.store.record import Definition

LEVEL: Final = "O3"  # the study of boards printed no other: it was the fastest everywhere

# Words of its look-ups, if they are named: none waited for another, all were in the table.
STUDIED: Final = {"mode": "independent", "mix": "in-table"}

# What is told of each command, and the unit that its operations have.
DOES: Final = {
    "lpm": "does",
    "filter": "asks filters for",
    "match": "searches",
    "coremark": "runs CoreMark at",
}
UNITS: Final = {
    "lpm": "look-ups/s",
    "filter": "keys/s",
    "match": "payloads/s",
    "coremark": "iterations/s",
}
# Measures of the platform that are nothing but memory; `bandwidth` may be of a cache.
OF_MEMORY: Final = ("latency", "stream")


def is_kernel(definition: Definition) -> bool:
    """Return whether a point is of a kernel, so that no packet crossed the gateway."""
    return definition.quantity == KERNEL


def words(definition: Definition) -> Mapping[str, str]:
    """The command as `command`, and its words."""
    return split(definition.kernel)


def split(kernel: str) -> Mapping[str, str]:
    """The same of a definition's `kernel`."""
    command, *pairs = kernel.split() or [""]
    parts = (pair.partition("=") for pair in pairs)
    return {"command": command} | {key: value for key, _, value in parts}


def of(points: Iterable[PointResult], command: str) -> Iterator[PointResult]:
    """The points of one command that were measured."""
    for point in points:
        is_its = is_kernel(point.definition) and words(point.definition)["command"] == command
        if is_its and point.values:
            yield point


def studied(points: Iterable[PointResult], command: str) -> Iterator[PointResult]:
    """Yield the points that are as those of the study of boards: at -O3, one instance."""
    for point in of(points, command):
        named = words(point.definition)
        is_its = all(named.get(word, level) == level for word, level in STUDIED.items())
        if is_its and (point.definition.level, point.definition.instances) == (LEVEL, 1):
            yield point


def ratios(
    points: Iterable[PointResult], command: str, word: str, pair: tuple[str, str]
) -> Iterator[tuple[Mapping[str, str], float]]:
    """The first value's rate over the second's, with the words that both share, at -O3."""
    rates: dict[tuple[tuple[str, str], ...], dict[str, float]] = {}
    for point in studied(points, command):
        if "ops_s" not in point.values:
            continue
        others = dict(words(point.definition))
        value = others.pop(word, "")
        rates.setdefault(tuple(sorted(others.items())), {})[value] = point.values["ops_s"].value
    for shared, rate in rates.items():
        if set(pair) <= rate.keys():
            yield dict(shared), rate[pair[0]] / rate[pair[1]]


def fastest(points: Iterable[PointResult], command: str) -> list[PointResult]:
    """The point of a command with the highest rate; none where there is none."""
    rated = [point for point in of(points, command) if "ops_s" in point.values]
    return sorted(rated, key=lambda point: -point.values["ops_s"].value)[:1]


def decide(trials: Group) -> Verdict:
    """It has the processor for itself: nothing else could hold it back.

    What a look-up waits for memory is time of the processor too, and from outside nothing tells one
    from the other; but some kernels do nothing besides.
    """
    if not trials.outside:
        return Verdict("unknown", "no valid trial")
    if words(trials.definition).get("measure") in OF_MEMORY:
        return Verdict("memory", "all that the kernel does is to wait for it")
    return Verdict("cpu", "the kernel alone had it, waiting for memory included")


KIND: Final = Judge(
    quantities={KERNEL: ""}, decide=lambda trials, _: decide(trials), is_bounded=False
)
