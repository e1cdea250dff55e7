# SPDX-License-Identifier: Apache-2.0
"""Round trips a minute beside the letter: of each setup the direction that has fewer of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from gatemark.judge.judgement import PointResult
from gatemark.judge.verdict.verdict import SHAPE
from gatemark.kind.responsiveness.plan import RESPONSIVENESS
from gatemark.kind.responsiveness.point import grade


@dataclass(frozen=True, slots=True)
class Responsive:
    """A setup under load, in its worse direction."""

    point: PointResult
    rpm: float
    grade: str  # poor, fair, good, excellent
    foreign: float | None  # the score of new connections alone
    loaded: float | None  # that of requests beside a load

    @property
    def shaper(self) -> str:
        """The gateway's own queue: `cake`; "": it has none."""
        shapes = [f for f in self.point.definition.features if f.startswith(SHAPE)]
        return shapes[0].split(":")[1] if shapes else ""


def responsive(points: Iterable[PointResult]) -> tuple[Responsive, ...]:
    """One for each arm of each plan that has a score through a gateway, the fewest first."""
    worst: dict[tuple[str, str], Responsive] = {}
    for point in points:
        if point.definition.quantity != RESPONSIVENESS or "rpm" not in point.values:
            continue
        made, key = _of(point), (str(point.plan), str(point.arm))
        if key not in worst or made.rpm < worst[key].rpm:
            worst[key] = made
    return tuple(sorted(worst.values(), key=lambda made: made.rpm))


def _of(point: PointResult) -> Responsive:
    rpm = point.values["rpm"].value
    parts = [point.values.get(name) for name in ("rpm_foreign", "rpm_loaded")]
    foreign, loaded = (part.value if part else None for part in parts)
    return Responsive(point, rpm, grade(rpm), foreign, loaded)
