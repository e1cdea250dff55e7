# SPDX-License-Identifier: Apache-2.0
"""The arithmetic mean of a point's trials, where a study has it: ours is the median."""

from collections.abc import Iterable, Mapping
from statistics import fmean

from gatemark.judge.point.group import group, readings
from gatemark.store.record import Record, Scalar

At = tuple[str, str, tuple[tuple[str, Scalar], ...]]  # plan, arm, point


def at(plan: str, arm: str, point: Mapping[str, Scalar]) -> At:
    """Which point it is, as a key."""
    return plan, arm, tuple(sorted(point.items()))


def means(records: Iterable[Record]) -> dict[At, dict[str, float]]:
    """Of each point and quantity, over its valid trials in the outside pass."""
    made: dict[At, dict[str, float]] = {}
    for members in group(records):
        names = dict.fromkeys(name for record in members.outside for name in record.values)
        made[at(members.plan, members.arm, members.point)] = {
            name: fmean(values) for name in names if (values := readings(members.outside, name))
        }
    return made
