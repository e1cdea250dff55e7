# SPDX-License-Identifier: Apache-2.0
"""The levels of a factor: a list, or a range such as `{ from = 5, to = 20, step = 5 }`."""

from math import isfinite
from typing import Any

from gatemark.error import UsageError

RANGE = {"from", "to", "step"}
MOST_LEVELS = 10_000


def spread_out(name: str, given: Any) -> list[Any]:
    """All levels; a single one is a list of one. Raises UsageError for a range that is none."""
    if isinstance(given, list):
        return given
    if not isinstance(given, dict):
        return [given]
    numbers = list(given.values())
    if set(given) != RANGE or not all(type(n) in (int, float) and isfinite(n) for n in numbers):
        raise UsageError(f"`{name}`: write a range as {{ from = 5, to = 20, step = 5 }}")
    first, last, step = given["from"], given["to"], given["step"]
    if step <= 0 or last < first or (last - first) / step >= MOST_LEVELS:
        raise UsageError(
            f"`{name}`: from {first} to {last} in steps of {step} is no range of levels; "
            f"give a step above 0, and at most {MOST_LEVELS} levels"
        )
    return [first + at * step for at in range(int((last - first) / step + 1e-9) + 1)]
