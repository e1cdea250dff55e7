# SPDX-License-Identifier: Apache-2.0
"""A fact without words: a code, and the values that its words need. `tell/fact` has the words."""

from collections.abc import Iterable
from typing import Union

import msgspec

Part = Union["Fact", str, int, float, None]


class Fact(msgspec.Struct, frozen=True):
    """A code of `tell/fact`, with its values by name; a value may be a fact itself."""

    code: str
    values: dict[str, Part] = {}


Text = Fact | str  # a kind of workload has its own words, which are text


def fact(code: str, /, **values: Part) -> Fact:
    """Return the fact of that code."""
    return Fact(code, values)


def several(parts: Iterable[Part], code: str = "several") -> Fact:
    """Return parts as one fact, in their order; the code says what stands between them."""
    return Fact(code, {str(place): part for place, part in enumerate(parts)})
