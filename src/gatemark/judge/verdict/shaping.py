# SPDX-License-Identifier: Apache-2.0
"""The highest rates that shapers were found to hold, by what tells one shaper from another."""

from collections.abc import Iterable, Mapping

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.plan.feature import unrated
from gatemark.store.record import Definition

HELD = "held rate"  # a definition's quantity
SHAPE = "shape:"


def held(points: Iterable[PointResult]) -> dict[str, PointResult]:
    """Of the searches among these points: setup without its shaper's rate -> what was found."""
    own = (point for point in points if point.definition.quantity == HELD)
    return {setup(p.definition): p for p in own if p.definition.headline in p.values}


def rates(points: Iterable[PointResult]) -> dict[str, Interval]:
    """The same as rates in bit/s."""
    return {name: point.values["held_bps"] for name, point in held(points).items()}


def setup(definition: Definition) -> str:
    """Path and features in words, whatever rate the shaper has: `nat + shape:cake:wan`."""
    return words(definition.path, definition.features)


def words(path: str, features: Iterable[str]) -> str:
    """The same of a path and features."""
    own = (unrated(f) if f.startswith(SHAPE) else f for f in features)
    return " + ".join((path, *own))


def rate_of(rates: Mapping[str, Interval], path: str, features: Iterable[str]) -> Interval | None:
    """What a setup's shaper holds, by `rates()`, at whatever rate it is asked for.

    A shaper at both ports holds no more than the same one at the WAN port alone.
    """
    own = tuple(features)
    exact = rates.get(words(path, own))
    return exact or rates.get(words(path, (_at_wan(f) if f.startswith(SHAPE) else f for f in own)))


def _at_wan(feature: str) -> str:
    """The word of a shaper, as at the WAN port alone."""
    name, by, *options = unrated(feature).split(":")
    return ":".join((name, by, "", "wan", *options))
