# SPDX-License-Identifier: Apache-2.0
"""Points whose answer is the delay: at rates below the knee, chosen beforehand or by a search."""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from gatemark.plan.model import Plan
from gatemark.store.record import Definition, Scalar

SHARE: Final = "share"  # a factor of points that a search adds: of the rate that it found
MEDIAN: Final = "delay_p50_ns"


class Placed(Protocol):
    """A record, a group of them or a judged point."""

    @property
    def plan(self) -> str:
        """Its name."""

    @property
    def definition(self) -> Definition:
        """What it is comparable with."""

    @property
    def point(self) -> Mapping[str, Scalar]:
        """The levels of its factors."""


def is_timed(item: Placed, plans: Iterable[Plan]) -> bool:
    """Return whether it is measured for its delay: then its rate tells nothing, and has no knee."""
    asked = any(p.name == item.plan and p.figure == "delay" for p in plans)
    return asked or SHARE in item.point or bool(item.definition.trace)
