# SPDX-License-Identifier: Apache-2.0
"""A processor by its CoreMark, its measured clock and its memory: ours, and published ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gatemark.judge.judgement import PointResult
from gatemark.kind.algorithm import point as rate

OURS: Final = "this gateway"
REFERENCE: Final = "PC"  # the published processor that the ratios are of: its name begins so
# Experiment and parameter of a published row -> the field that it fills.
FIELDS: Final = {
    ("host.coremark", "score"): "coremark",
    ("host.coremark", "cpu_clock"): "mhz",
    ("host.stream", "copy"): "copy_mb_s",
}


@dataclass(frozen=True, slots=True)
class Platform:
    """One processor; 0: not known."""

    device: str
    coremark: float = 0.0  # iterations a second
    mhz: float = 0.0
    copy_mb_s: float = 0.0  # STREAM's copy, read and written together

    @property
    def is_known(self) -> bool:
        """Return whether anything is."""
        return bool(self.coremark or self.mhz or self.copy_mb_s)

    @property
    def is_reference(self) -> bool:
        """Return whether it is the published PC."""
        return self.device.startswith(REFERENCE)


def of_points(points: Sequence[PointResult]) -> Platform:
    """The processor that was measured: at -O3, the best of its points."""
    scores = [p.values["ops_s"].value for p in rate.fastest(points, "coremark")]
    return Platform(
        OURS,
        coremark=max(scores, default=0.0),
        mhz=_best(points, "clock_hz") / 1e6,
        copy_mb_s=_best(points, "copy_bytes_per_s") / 1e6,
    )


def _filled(before: Platform, field: str, value: float) -> Platform:
    match field:
        case "coremark":
            return replace(before, coremark=value)
        case "mhz":
            return replace(before, mhz=value)
    return replace(before, copy_mb_s=value)


def _best(points: Iterable[PointResult], quantity: str) -> float:
    return max((p.values[quantity].value for p in points if quantity in p.values), default=0.0)


def published(rows: Iterable[Mapping[str, str]]) -> list[Platform]:
    """The processors of published rows, in their order; derived values and ratios are left out."""
    known: dict[str, Platform] = {}
    for row in rows:
        field = FIELDS.get((row["experiment"], row["parameter"]))
        if field and row["note"].startswith("printed"):
            before = known.get(row["device"], Platform(row["device"]))
            known[row["device"]] = _filled(before, field, float(row["value"]))
    return list(known.values())
