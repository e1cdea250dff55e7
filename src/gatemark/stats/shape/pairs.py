# SPDX-License-Identifier: Apache-2.0
"""What several points tell together: one direction or family loses, long frames do not come.

A limiter counts packets or bytes: two frame sizes tell which.
"""

from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Final

from msgspec.structs import replace

from gatemark.stats.finding import Diagnosis, Finding, Shape
from gatemark.stats.shape.diagnose import Diagnosed
from gatemark.stats.shape.sight import MOST, Sweep, in_most
from gatemark.stats.shape.sizes import by_size
from gatemark.stats.shape.words import percent, pps

MORE, TIMES = 0.005, 5.0  # lost than on the other side, and so many times as much
PACKETS: Final = 0.8  # ratio of the limits at a larger and a smaller size, from which on
BYTES: Final = 1.25  # times the inverse ratio of the sizes, up to which


def together(diagnosed: Sequence[Diagnosed]) -> list[Diagnosis]:
    """All diagnoses, with what pairs of them tell."""
    made = [_sided(each, diagnosed) for each in diagnosed]
    return [_counted(each, made) for each in made]


def _sided(each: Diagnosed, every: Sequence[Diagnosed]) -> Diagnosis:
    diagnosis = each.diagnosis
    more: list[Finding] = []
    for shape, factor in (("one-direction", "direction"), ("one-family", "family")):
        others = [o for o in every if o is not each and _differ_in(each.sweep, o.sweep, factor)]
        if any(_loses_more(each.sweep, other.sweep) for other in others):
            more.append(_side(shape, each.sweep))  # type: ignore[arg-type]
    sizes = [o for o in every if o is each or _differ_in(each.sweep, o.sweep, "frame_bytes")]
    if len(sizes) > 1 and (size := by_size([*_losses(o.sweep for o in sizes)])):
        more.append(size)
    # What a whole side loses is no share that all lose, nor without explanation.
    named: tuple[Shape, ...] = ("constant-share", "unexplained") if more else ()
    kept = tuple(finding for finding in diagnosis.findings if finding.shape not in named)
    return replace(diagnosis, findings=(*more, *kept))


def _differ_in(sweep: Sweep, other: Sweep, factor: str) -> bool:
    """Whether two sweeps are alike in all but one factor, in which they are not."""
    first, second = _key(sweep), _key(other)
    apart = {name for name in first if first[name] != second.get(name)}
    return apart == {factor}


def _key(sweep: Sweep) -> dict[str, object]:
    kind = sweep.subject.definition
    factors = dict(sweep.subject.point)
    own = {"direction": sweep.direction, "family": kind.family, "frame_bytes": kind.frame_bytes}
    for name in own:
        factors.pop(name, None)
    both = kind.direction == "both"
    return {
        **own,
        "point": tuple(sorted(factors.items())),
        "subject": (sweep.subject.plan, sweep.subject.arm, both),
    }


def _loses_more(sweep: Sweep, other: Sweep) -> bool:
    """At the same rates below a full CPU, in most of the pairs of trials."""
    pairs = []
    for first, second in zip(sweep.quiet, other.quiet, strict=False):
        if abs(first.offered_pps - second.offered_pps) > 0.1 * second.offered_pps:
            continue
        for a, b in zip(first.sights, second.sights, strict=False):
            share, usual = a.lost / a.tried, b.lost / b.tried
            pairs.append(share - usual >= MORE and share >= TIMES * usual)
    return in_most(pairs, MOST)


def _side(shape: Shape, sweep: Sweep) -> Finding:
    share = median(sight.lost / sight.tried for sight in sweep.levels[0].sights)
    kind = sweep.subject.definition
    which = kind.family if shape == "one-family" else sweep.direction
    other = {"one-family": "the other family", "one-direction": "the other direction"}[shape]
    return Finding(
        shape=shape,
        words=f"Loses {percent(share)} of {which}, and {other} is whole.",
        clause=f"loses {percent(share)} of {which} alone",
        values={"share": share},
    )


def _losses(sweeps: Iterable[Sweep]) -> Iterator[tuple[int, list[float]]]:
    """Of each size what was lost in each repeat, at the lowest rate."""
    for sweep in sweeps:
        size, lowest = sweep.subject.definition.frame_bytes, sweep.levels[0]
        if size:
            yield size, [sight.lost / sight.tried for sight in lowest.sights]


def _counted(diagnosis: Diagnosis, every: Sequence[Diagnosis]) -> Diagnosis:
    """Whether a limiter counts packets or bytes, where another size shows it too."""
    own = diagnosis.get("policer", "limiter")
    size = diagnosis.definition.frame_bytes
    if own is None or not size:
        return diagnosis
    for other in every:
        limit = other.get(own.shape)
        if limit is None or not _is_other_size(diagnosis, other):
            continue
        counts = _unit(size, own.values["rate_pps"], other.definition.frame_bytes or 0, limit)
        if counts:
            words = own.words.removesuffix(".") + f", {counts}."
            renewed = replace(own, words=words)
            findings = tuple(
                renewed if finding is own else finding for finding in diagnosis.findings
            )
            return replace(diagnosis, findings=findings)
    return diagnosis


def _is_other_size(sweep: Diagnosis, other: Diagnosis) -> bool:
    drop = "frame_bytes"
    first = {name: level for name, level in sweep.point.items() if name != drop}
    second = {name: level for name, level in other.point.items() if name != drop}
    same = (sweep.plan, sweep.arm, sweep.direction, first) == (
        other.plan,
        other.arm,
        other.direction,
        second,
    )
    return same and other.definition.frame_bytes not in (None, sweep.definition.frame_bytes)


def _unit(size: int, rate: float, other_size: int, other: Finding) -> str:
    """`by packets`, `by bytes`, or nothing where neither fits."""
    rates = sorted([(size, rate), (other_size, other.values["rate_pps"])])
    (small, fast), (large, slow) = rates
    ratio = slow / fast
    if ratio > PACKETS:
        return f"by packets: {pps(slow)} at {large} bytes too"
    if ratio < BYTES * small / large:
        return f"by bytes: {large * slow * 8 / 1e6:.3g} Mbit/s of frames"
    return ""
