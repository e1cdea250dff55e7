# SPDX-License-Identifier: Apache-2.0
"""A comparison of two interleaved sides: their ratio, its spread, and one line of output."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Comparison:
    """`ratio` above 1: ours is better. `spread`: half the range of the ratios over their median."""

    what: str
    ours: float
    peer: str  # a program, or "target" if the other side is a goal
    theirs: float
    ratio: float
    unit: str
    n: int
    spread: float


def compare(
    what: str, ours: Sequence[float], peer: str, theirs: Sequence[float], unit: str
) -> Comparison:
    """More is better. The ratio is taken round by round, because both sides of a round drift."""
    return _compare(what, ours, peer, theirs, unit, _ratios(ours, theirs, least=1e-9))


def compare_less(
    what: str,
    ours: Sequence[float],
    peer: str,
    theirs: Sequence[float],
    unit: str,
    least: float = 1e-9,
) -> Comparison:
    """Less is better: an error, a loss, a count. `least` is the resolution of the measure."""
    return _compare(what, ours, peer, theirs, unit, _ratios(theirs, ours, least))


def _ratios(above: Sequence[float], below: Sequence[float], least: float) -> list[float]:
    # A tool that failed in a round has one value less: compare the rounds that both have.
    return [max(a, least) / max(b, least) for a, b in zip(above, below, strict=False)]


def _compare(
    what: str,
    ours: Sequence[float],
    peer: str,
    theirs: Sequence[float],
    unit: str,
    ratios: Sequence[float],
) -> Comparison:
    ratio = median(ratios)
    spread = (max(ratios) - min(ratios)) / 2 / ratio
    return Comparison(what, median(ours), peer, median(theirs), ratio, unit, len(ratios), spread)


def show(rows: Sequence[Comparison], *, json_: bool) -> None:
    """Print one JSON object per line, or a table."""
    if json_:
        for row in rows:
            print(json.dumps(asdict(row)))
        return
    print(f"{'what':48} {'ours':>12} {'peer':>10} {'theirs':>12} {'ratio':>7} {'±':>5}  n  unit")
    for row in rows:
        print(
            f"{row.what:48} {row.ours:12,.6g} {row.peer:>10} {row.theirs:12,.6g} "
            f"{row.ratio:7.2f} {row.spread:5.0%} {row.n:2}  {row.unit}"
        )


def progress(text: str) -> None:
    """Print what is measured now, on stderr."""
    print(f"\r\x1b[K{text}" if sys.stderr.isatty() else text, end="", file=sys.stderr, flush=True)
    if not sys.stderr.isatty():
        print(file=sys.stderr)
