# SPDX-License-Identifier: Apache-2.0
"""Make the courses of this folder: `python make.py` writes each file anew, always the same.

They have the form of such lines, and are recordings of none: so nothing of anybody's is in them.

    lte        a rate that wanders by the fading of the radio, delay with it, two handovers
    starlink   another satellite each 15 s: another rate and delay, a short gap between
    docsis     a fast start, then a rate that neighbours take from in waves, little delay
    halves     half of the rate for 20 s of each minute
"""

from collections.abc import Iterator
from math import cos, exp, pi
from pathlib import Path
from random import Random
from typing import Final

# Chance that is the same each time it is made; no secret.
Row = tuple[float, float, float]  # seconds, share of the rate, more delay in ms
HEAD: Final = "seconds,share,delay_ms"


def lte() -> Iterator[Row]:
    """A minute of 200 ms steps: a wandering rate, and two handovers of 300 ms."""
    chance, wander = Random(1), 0.0  # noqa: S311
    for step in range(300):
        wander = 0.97 * wander + chance.gauss(0, 0.2)
        share = min(1.0, 0.55 * exp(wander))
        if step in (123, 231):
            yield step / 5, 0.0, 40.0
            yield step / 5 + 0.1, 0.02, 40.0
            continue
        yield step / 5, max(0.04, share), 5 + 15 * (1 - share) + chance.random() * 5


def starlink() -> Iterator[Row]:
    """A minute of four satellites, each with waves of its own, and 60 ms without one between."""
    chance = Random(2)  # noqa: S311
    for satellite in range(4):
        level, delay_ms = chance.uniform(0.45, 0.95), chance.uniform(0, 20)
        for step in range(30):
            if step == 0 and satellite:
                yield satellite * 15, 0.0, delay_ms
                yield satellite * 15 + 0.06, level, delay_ms
                continue
            yield (
                satellite * 15 + step / 2,
                min(1.0, max(0.1, level + chance.gauss(0, 0.07))),
                delay_ms + chance.random() * 4,
            )


def docsis() -> Iterator[Row]:
    """A minute: 6 s of the whole rate, then between 0.55 and 0.9 of it in waves of 18 s."""
    chance = Random(3)  # noqa: S311
    for step in range(120):
        share = 1.0 if step < 12 else 0.725 + 0.175 * cos(step / 2 / 18 * 2 * pi)
        yield step / 2, share, 1 + chance.random() * 5


def halves() -> Iterator[Row]:
    """Half of the rate from 20 to 40 s of each minute."""
    yield from ((0, 1.0, 0.0), (20, 0.5, 0.0), (40, 1.0, 0.0))


def text(rows: Iterator[Row], period_s: float) -> str:
    """The file: its head, a step a line, and the end of the period."""
    lines = (f"{at:g},{share:.3g},{delay_ms:.3g}" for at, share, delay_ms in rows)
    return "\n".join((HEAD, *lines, f"{period_s:g},,", ""))


if __name__ == "__main__":
    for course in (lte, starlink, docsis, halves):
        Path(__file__).with_name(f"{course.__name__}.csv").write_text(text(course(), 60))
