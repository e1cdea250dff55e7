# SPDX-License-Identifier: Apache-2.0
"""What several points tell together: a level of a factor is worse, long frames do not come.

A limiter counts packets or bytes: two frame sizes tell which.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from gatemark.judge.fact import Fact, fact
from gatemark.judge.finding import Diagnosis, Finding, Shape
from gatemark.judge.shape.diagnose import Diagnosed
from gatemark.judge.shape.factor import differ_in, suspected
from gatemark.judge.shape.sight import Sweep
from gatemark.judge.shape.sizes import by_size

PACKETS: Final = 0.8  # ratio of the limits at a larger and a smaller size, from which on
BYTES: Final = 1.25  # times the inverse ratio of the sizes, up to which


def together(diagnosed: Sequence[Diagnosed]) -> list[Diagnosis]:
    """All diagnoses, with what pairs of them tell."""
    made = [_sized(each, diagnosed) for each in diagnosed]
    return [_counted(each, made) for each in made]


def _sized(each: Diagnosed, every: Sequence[Diagnosed]) -> Diagnosis:
    diagnosis = suspected(each, every)
    sizes = [o for o in every if o is each or differ_in(diagnosis, o.diagnosis, "frame_bytes")]
    sized = by_size([*_losses(o.sweep for o in sizes)]) if len(sizes) > 1 else None
    if sized is None:
        return diagnosis
    # What a size loses is no share that all lose, nor without explanation.
    less: tuple[Shape, ...] = ("constant-share", "unexplained", "nothing")
    kept = tuple(finding for finding in diagnosis.findings if finding.shape not in less)
    return replace(diagnosis, findings=(sized, *kept))


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
            renewed = replace(own, fact=fact("counted", finding=own.fact, counts=counts))
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


def _unit(size: int, rate: float, other_size: int, other: Finding) -> Fact | None:
    """Packets, bytes, or nothing where neither fits."""
    rates = sorted([(size, rate), (other_size, other.values["rate_pps"])])
    (small, fast), (large, slow) = rates
    ratio = slow / fast
    if ratio > PACKETS:
        return fact("counted.packets", rate=slow, bytes=large)
    if ratio < BYTES * small / large:
        return fact("counted.bytes", bps=large * slow * 8)
    return None
