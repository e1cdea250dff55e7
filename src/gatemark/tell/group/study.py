# SPDX-License-Identifier: Apache-2.0
"""Which points make one figure where no rate was swept: a curve over sizes, or groups of bars."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gatemark.judge.change.exact import counted
from gatemark.judge.judgement import Executed, Judgement, PointResult
from gatemark.judge.point.timed import is_timed
from gatemark.plan.model import WHOLE, Plan, is_twin
from gatemark.tell.group import sweep
from gatemark.tell.words import headline, traffic

Shape = Literal["curve", "bars", ""]
FEWEST_SIZES = 4  # that make a curve
_DEFINED = ("family", "frame_bytes", "flows", "write_bytes", "streams", "socket_buffer_bytes")
_OF = {
    "tcp": ("write_bytes", "socket_buffer_bytes"),
    "udp": ("payload_bytes", "frame_bytes"),
}


@dataclass(frozen=True, slots=True)
class Study:
    """Points of one plan that are drawn together, direction by direction."""

    plan: str
    shape: Shape
    points: tuple[PointResult, ...]

    @property
    def anchor(self) -> str:
        """Its figure's name: letters, digits and dashes."""
        return sweep.plain(f"{'size' if self.shape == 'curve' else 'bars'}-{self.plan}")


def studies(judgement: Judgement, plans: Iterable[Plan] = ()) -> list[Study]:
    """All of a judgement, plan by plan. `plans` tell how they want to be drawn.

    UDP at a single size is left to the ranked bars: packets/s say more there than bits of payload.
    """
    plans = list(plans)
    asked: Mapping[str, str] = {plan.name: plan.figure for plan in plans}
    parts: dict[tuple[str, str], list[PointResult]] = {}
    for point in _rated(judgement, plans):
        if headline.payload(point) is not None and not is_twin(point.arm):
            parts.setdefault((point.plan, point.definition.l4), []).append(point)
    mixed = [plan for plan, _ in parts]
    kept_points: dict[tuple[str, Shape], list[PointResult]] = {}
    for (plan, _), points in parts.items():
        shape = _shape(asked.get(plan, "auto"), points, mixed=mixed.count(plan) > 1)
        if shape:
            kept_points.setdefault((plan, shape), []).extend(points)
    return [
        Study(plan, shape, tuple(sorted(points, key=_way)))
        for (plan, shape), points in kept_points.items()
    ]


def singles(judgement: Judgement, plans: Iterable[Plan] = ()) -> list[PointResult]:
    """Points outside every sweep and study, fastest first."""
    plans = list(plans)
    studied = {id(point) for study in studies(judgement, plans) for point in study.points}
    alone = (p for p in _rated(judgement, plans) if id(p) not in studied and not is_twin(p.arm))
    left = [p for p in alone if _pps(p)]
    return sorted(left, key=lambda point: -_pps(point))


def size_factor(points: Sequence[PointResult]) -> str:
    """The size that varies most among points of one protocol; empty where none varies."""
    names = _OF.get(points[0].definition.l4, ()) if points else ()
    levels = {name: len({p.point[name] for p in points if name in p.point}) for name in names}
    best = max(levels, key=lambda name: levels[name], default="")
    return best if levels.get(best, 0) > 1 else ""


def size(point: PointResult, factor: str) -> float:
    """The point's size in bytes."""
    level = point.point.get(factor, 0)
    return float(level) if isinstance(level, int | float) else 0.0


def varying(points: Sequence[PointResult | Executed]) -> list[str]:
    """Factors that are not the same at all these points, in the order of the plan."""
    names = dict.fromkeys(name for point in points for name in point.point)
    return [name for name in names if len({point.point.get(name) for point in points}) > 1]


def sent(points: Sequence[PointResult]) -> str:
    """The traffic of these points in words, by protocol, without what varies among them."""
    texts = []
    for l4 in dict.fromkeys(point.definition.l4 for point in points):
        own_points = [point for point in points if point.definition.l4 == l4]
        but = {n for n in _DEFINED if len({getattr(p.definition, n) for p in own_points}) > 1}
        texts.append(traffic.traffic(own_points[0].definition, but))
    return "; ".join(texts)


def label(point: PointResult, names: Iterable[str]) -> str:
    """The levels of these factors in words: `8 KiB writes, 4 streams`; empty without any."""
    return ", ".join(traffic.factor(n, point.point[n]) for n in names if n in point.point)


def arms(points: Iterable[PointResult]) -> list[str]:
    """The arms of these points, each once, in the order of the plan."""
    return list(dict.fromkeys(point.arm for point in points))


def _rated(judgement: Judgement, plans: Collection[Plan]) -> list[PointResult]:
    """Points outside every sweep whose rate is an answer.

    Not those that are timed at a set rate, nor those of a ladder or a front, which tell them.
    """
    whole = {plan.name for plan in plans if plan.figure in WHOLE}
    alone = (point for point in sweep.alone(judgement) if point.plan not in whole)
    rated = (point for point in alone if not counted(point.definition))
    return [point for point in rated if not is_timed(point, plans)]


def _way(point: PointResult) -> int:
    """Up before down, sending before receiving; else the order of the plan stands."""
    return list(traffic.ARROW).index(point.definition.direction)


def _pps(point: PointResult) -> float:
    received = point.values.get("received_pps")
    return received.value if received else 0.0


def _shape(asked: str, points: Sequence[PointResult], *, mixed: bool) -> Shape:
    factor = size_factor(points)
    levels = len({size(point, factor) for point in points}) if factor else 0
    paced = any(point.point.get(name) for point in points for name in sweep.RATES)
    if asked == "bars":
        return "bars"
    if asked == "curve" and levels > 1:
        return "curve"
    if levels >= FEWEST_SIZES and not paced:
        return "curve"
    return "bars" if levels > 1 or mixed or points[0].definition.l4 == "tcp" else ""
