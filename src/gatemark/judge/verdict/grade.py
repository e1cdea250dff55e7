# SPDX-License-Identifier: Apache-2.0
"""A letter for the delay that load adds: one rule for a flow beside a load, and for a sweep.

The limits are those of the well-known bufferbloat tests, which load TCP and take the mean round
trip under load less that without; a reader sees them beside the letter.
"""

from typing import Final

LIMITS_MS: Final = (("A+", 5), ("A", 30), ("B", 60), ("C", 200), ("D", 400))
WORST: Final = "F"
LETTERS: Final = (*(name for name, _ in LIMITS_MS), WORST)  # from the best on


def letter(added_ns: float) -> str:
    """The grade of an added delay."""
    return next((name for name, limit in LIMITS_MS if added_ns < limit * 1e6), WORST)


def limits() -> str:
    """The limits in words: `A+ < 5 ms, A < 30, B < 60, C < 200, D < 400, else F`."""
    first, *others = (f"{name} < {limit}" for name, limit in LIMITS_MS)
    return ", ".join([f"{first} ms", *others, f"else {WORST}"])
