# SPDX-License-Identifier: Apache-2.0
"""Some sizes: in a mix, some lengths lose and others do not; beyond a limit nothing comes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from gatemark.judge.fact import Fact, fact, several
from gatemark.judge.finding import Finding
from gatemark.judge.math.unlike import unlike
from gatemark.judge.shape.sight import Sweep, in_most

FEWEST: Final = 200  # packets of a size
ALL: Final = 0.99  # lost: nothing comes
SOME: Final = 0.5  # lost at most: it comes
EXPECTED: Final = 10.0  # losses that the lowest rate should have
FADES: Final = 1 / 3  # of them at most: it is load, as behind a limiter of bytes
MORE: Final = 0.01  # lost than at both neighbours: not monotone

Counts = dict[int, tuple[int, float]]


def find(sweep: Sweep) -> Iterator[Finding]:
    """In mixes, at rates below a full CPU. Explains what these sizes lost."""
    counts: Counts = {}
    for level in sweep.quiet:
        for sight in level.sights:
            for size, (tried, lost) in sight.loss.by_size.items():
                before = counts.get(int(size), (0, 0.0))
                counts[int(size)] = before[0] + tried, before[1] + lost
    counts = {size: count for size, count in counts.items() if count[0] >= FEWEST}
    named = unlike(counts)
    if not named or len(named) == len(counts) or _is_of_load(sweep, counts, named):
        return
    for sight in sweep.sights:
        lost = sum(sight.loss.by_size.get(str(size), (0, 0))[1] for size in named)
        sight.explained += lost / sight.tried
    yield finding({size: x / n for size, (n, x) in counts.items()}, named)


def _is_of_load(sweep: Sweep, counts: Counts, named: set[int]) -> bool:
    """Return True if the lowest rate loses far less of these sizes than others do."""
    lowest = sweep.levels[0].sights
    lost = sum(s.loss.by_size.get(str(size), (0, 0))[1] for s in lowest for size in named)
    share = sum(counts[size][1] for size in named) / sum(n for n, _ in counts.values())
    expected = share * sum(sight.tried for sight in lowest)
    return expected >= EXPECTED and lost < FADES * expected


def finding(shares: Mapping[int, float], named: set[int]) -> Finding:
    """What is said of these sizes, by the share that each size loses."""
    most = limit(shares)
    if most is not None:
        longer = min(size for size in shares if size > most)
        return Finding(
            shape="some-sizes",
            fact=fact("sizes.limit", longer=longer, most=most),
            values={"frame_bytes": float(most), "beyond_bytes": float(longer)},
        )
    sizes = _lost(shares, sorted(named))
    return Finding(
        shape="some-sizes",
        fact=fact("sizes", sizes=sizes, many=len(named), of=len(shares)),
    )


def _lost(shares: Mapping[int, float], sizes: Iterable[int]) -> Fact:
    return several(fact("size", size=size, share=shares[size]) for size in sizes)


def limit(shares: Mapping[int, float]) -> int | None:
    """The largest size that comes through, where all larger ones are lost whole."""
    ordered = sorted(shares)
    for place, size in enumerate(ordered[:-1]):
        whole = all(shares[larger] >= ALL for larger in ordered[place + 1 :])
        if whole and all(shares[smaller] <= SOME for smaller in ordered[: place + 1]):
            return size
    return None


def by_size(points: Sequence[tuple[int, Sequence[float]]]) -> Finding | None:
    """Of points that differ in their size alone: frame bytes, the share lost in each repeat."""
    shares = {size: median(losses) for size, losses in points}
    if limit(shares) is not None:
        return finding(shares, set())
    ordered = sorted(points)
    worse = [
        size
        for (_, smaller), (size, losses), (_, larger) in zip(
            ordered, ordered[1:], ordered[2:], strict=False
        )
        if in_most(
            [x >= max(a, b) + MORE for a, x, b in zip(smaller, losses, larger, strict=False)]
        )
    ]
    if not worse:
        return None
    return Finding(
        shape="not-monotone",
        fact=fact("sizes.not-monotone", sizes=_lost(shares, worse), size=worse[0]),
        values={"frame_bytes": float(worse[0])},
    )
