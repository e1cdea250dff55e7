# SPDX-License-Identifier: Apache-2.0
"""Corruption, exchange, duplication and reordering: counted, and not seen without a gateway."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace as replaced
from statistics import median
from typing import Final

from msgspec.structs import replace

from gatemark.judge.fact import Fact, fact
from gatemark.judge.finding import Finding, Shape
from gatemark.judge.shape.sight import Sight, Sweep, in_most

FEWEST, LEAST = 10, 1e-4  # packets, share of them: of a trial, of corruption of all together
TRIALS: Final = 0.5  # of those in which one was to be expected; in so many it was seen
MANY: Final = 3  # packets of a trial are to be expected, so that it is asked
ALL: Final = 0.8  # of the lost: then nothing else is lost
REPEATED: Final = 4  # trials that the highest rates need, to be told without the lower ones
PAIRED: Final = 0.1  # of those that come twice: by so many more or fewer are lost
Kind = tuple[Shape, str]  # its field

CAUSES: Final = ("ip_sum", "udp_sum", "no_sum", "header")


def corruption(sweep: Sweep) -> Iterator[Finding]:
    """Explains what came corrupted: it is counted as lost."""
    findings = list(_find(sweep, (("corruption", "corrupt"),)))
    if not findings:
        return
    counts = [_count(sight, "corrupt") for sight in sweep.sights]
    corrupt, tried = (sum(each) for each in zip(*counts, strict=True))
    lost, is_all = _lost(sweep), is_all_corrupt(sweep)
    for sight, (count, own) in zip(sweep.sights, counts, strict=True):
        # Of a trial with few of them chance says how many: what all of them lose is this fault's.
        sight.explained += max(count / own, corrupt / tried) if is_all else count / own
    if lost:
        of_lost = {"corrupt": min(corrupt, lost), "lost": lost}
        findings = [replace(f, fact=fact("of-lost", finding=f.fact, **of_lost)) for f in findings]
    yield from findings


def is_all_corrupt(sweep: Sweep) -> bool:
    """Return True if nearly all that was lost came corrupted: its silences are no stalls."""
    corrupt = sum(_count(sight, "corrupt")[0] for sight in sweep.sights)
    return 0 < corrupt >= ALL * _lost(sweep)


def _lost(sweep: Sweep) -> int:
    """Return how many were lost beyond the sender's port."""
    return int(sum(max(0, sight.lost - sum(sight.loss.refused)) for sight in sweep.sights))


def exchanged(sweep: Sweep) -> Iterator[Finding]:
    """As many are lost as come twice, trial by trial: another packet comes in a lost one's place.

    Explains what is lost.
    """
    counts = [_count(sight, "duplicated") for sight in sweep.sights]
    twice, tried = (sum(each) for each in zip(*counts, strict=True))
    if twice < FEWEST or len(counts) < REPEATED or twice < LEAST * tried:
        return
    if not in_most([_is_paired(*each) for each in zip(sweep.sights, counts, strict=True)]):
        return
    for sight, (count, own) in zip(sweep.sights, counts, strict=True):
        sight.explained += count / own
    share = twice / tried
    yield Finding(
        shape="exchange",
        fact=fact("exchange", share=share),
        values={"share": share},
    )


def _is_paired(sight: Sight, count: tuple[int, int]) -> bool:
    """Return True if what comes twice is as much as what neither was refused nor came corrupted."""
    twice, tried = count
    corrupt, _ = _count(sight, "corrupt")
    lost = sight.lost - sum(sight.loss.refused) - corrupt
    return tried == sight.tried and abs(lost - twice) <= max(1, PAIRED * twice)


def disorder(sweep: Sweep) -> Iterator[Finding]:
    """Duplication and reordering."""
    kinds: tuple[Kind, ...] = (("duplication", "duplicated"), ("reordering", "reordered"))
    for kind in kinds:
        findings = (list(_find(part, (kind,), at)) for part, at in _from_rates(sweep))
        yield from next(filter(None, findings), [])


def _from_rates(sweep: Sweep) -> Iterator[tuple[Sweep, Fact | None]]:
    """The sweep, then its rates from each one on: two ways cross where packets are near enough."""
    yield sweep, None
    for place, level in enumerate(sweep.levels[1:], start=1):
        part = replaced(sweep, levels=sweep.levels[place:])
        if len(part.sights) >= REPEATED:
            yield part, fact("from-rate", rate=level.offered_pps)


def _find(sweep: Sweep, kinds: Iterable[Kind], at: Fact | None = None) -> Iterator[Finding]:
    """Each that most trials have, and none without a gateway; `at` says at which rates."""
    for shape, field in kinds:
        counts = [_count(sight, field) for sight in sweep.sights]
        usual = [_count(sight, field) for sight in sweep.reference]
        is_much = _is_much if field == "corrupt" else _is_much_of_each
        if is_much(counts) and not is_much(usual):
            yield _finding(shape, sweep.sights, counts, at)


def _finding(
    shape: Shape, sights: Sequence[Sight], counts: Sequence[tuple[int, int]], at: Fact | None
) -> Finding:
    share = sum(count for count, _ in counts) / sum(tried for _, tried in counts)
    more = {"corruption": _cause, "reordering": _distance}.get(shape, _nothing)(sights)
    return Finding(
        shape=shape, fact=fact(shape, share=share, at=at, more=more), values={"share": share}
    )


def _is_much_of_each(counts: Sequence[tuple[int, int]]) -> bool:
    return in_most([count >= FEWEST and count >= LEAST * tried for count, tried in counts])


def _is_much(counts: Sequence[tuple[int, int]]) -> bool:
    """By all trials together; in half of those that expect some, as they may come in clusters."""
    count, tried = (sum(each) for each in zip(*counts, strict=True)) if counts else (0, 0)
    if count < FEWEST or count < LEAST * tried:
        return False
    seen = [own > 0 for own, of in counts if of * count >= MANY * tried]
    return in_most(seen or [own > 0 for own, _ in counts], TRIALS)


def _count(sight: Sight, field: str) -> tuple[int, int]:
    """How many of how many. Both directions of a trial share the sums of its accounting."""
    if field == "corrupt" and sight.loss.corrupt:
        return sum(sight.loss.corrupt.values()), sight.tried
    accounting = sight.record.accounting
    return (int(getattr(accounting, field)), accounting.tried) if accounting else (0, sight.tried)


def _cause(sights: Sequence[Sight]) -> Fact | None:
    sums: dict[str, int] = {}
    for sight in sights:
        for cause, count in sight.loss.corrupt.items():
            sums[cause] = sums.get(cause, 0) + count
    cause = max(sums, key=lambda name: sums[name], default="")
    return fact(f"corruption.{cause}") if cause in CAUSES else None


def _distance(sights: Sequence[Sight]) -> Fact | None:
    """How far: the middle class of RFC 4737's extent, in packets of a flow."""
    late = [
        int(least) for s in sights for least, n in s.loss.late.items() for _ in range(min(n, 99))
    ]
    return fact("reordering.by", packets=median(late)) if late else None


def _nothing(sights: Sequence[Sight]) -> None:
    del sights
