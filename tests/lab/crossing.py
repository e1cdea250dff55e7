# SPDX-License-Identifier: Apache-2.0
"""The ways across a bench: path, direction and family."""

from collections.abc import Container
from itertools import product
from typing import Any, Final

import pytest

Crossing = tuple[str, str, str]  # path, direction, family

FAMILIES: Final = ("ipv4", "ipv6")
PATHS: Final = ("direct", "switch", "route", "nat")
CROSSINGS: Final[list[Crossing]] = list(product(PATHS, ("up", "down", "both"), FAMILIES))
# What the gateway itself sends or receives.
OWN: Final[list[Crossing]] = list(product(("endpoint",), ("send", "receive", "both"), FAMILIES))
# One of each path, with each direction and each family among them.
FEW: Final = (
    ("direct", "both", "ipv4"),
    ("switch", "down", "ipv4"),
    ("route", "down", "ipv6"),
    ("nat", "up", "ipv6"),
    ("endpoint", "receive", "ipv6"),
)


def crossings(*ways: Crossing, few: Container[Crossing] = FEW) -> list[Any]:
    """Each path once in each direction, its families by turns; NAT, whose rules differ, in all.

    So each path is crossed with each family, and each direction, too. All but a few are long.
    """
    return [
        pytest.param(way, marks=() if way in few else pytest.mark.long)
        for place, way in enumerate(ways)
        if place % 4 in (0, 3) or way[0] == "nat"
    ]
