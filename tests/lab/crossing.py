# SPDX-License-Identifier: Apache-2.0
"""The ways across a bench: path, direction and family."""

from itertools import product
from typing import Any, Final

import pytest

Crossing = tuple[str, str, str]  # path, direction, family

FAMILIES: Final = ("ipv4", "ipv6")
PATHS: Final = ("direct", "switch", "route", "nat")
CROSSINGS: Final[list[Crossing]] = list(product(PATHS, ("up", "down", "both"), FAMILIES))
# What the gateway itself sends or receives.
OWN: Final[list[Crossing]] = list(product(("endpoint",), ("send", "receive", "both"), FAMILIES))


def halved(*crossings: Crossing) -> list[Any]:
    """Each path once in each direction, its families by turns; the rest belongs to the long tests.

    So each path is crossed with each family, and each direction, too.
    """
    return [
        pytest.param(way, marks=() if place % 4 in (0, 3) else pytest.mark.long)
        for place, way in enumerate(crossings)
    ]
