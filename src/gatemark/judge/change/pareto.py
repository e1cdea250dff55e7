# SPDX-License-Identifier: Apache-2.0
"""Ways to tune a gateway by rate, delay and CPU at once: those that no other beats (Pareto).

One way beats another if it is clearly better in something and clearly worse in nothing; clearly is
that the intervals of the medians lie apart. So what cannot be told apart stays on the front.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from gatemark.judge.judgement import Front, Option, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.sweep import RATES
from gatemark.plan.model import Plan, is_twin

PARETO: Final = "pareto"
DELAY: Final = "delay_p50_ns"
CPU: Final = "cpu_busy"


def fronts(plans: Sequence[Plan], points: Sequence[PointResult]) -> tuple[Front, ...]:
    """A front for each plan that asks for one, and each point besides the rate."""
    asked = [plan.name for plan in plans if plan.figure == PARETO]
    loads: dict[tuple[object, ...], dict[str, list[PointResult]]] = {}
    for point in points:
        if point.plan in asked and point.definition.headline in point.values:
            key = (point.plan, *sorted(_others(point).items()))
            loads.setdefault(key, {}).setdefault(point.arm, []).append(point)
    return tuple(_front(arms) for arms in loads.values())


def _front(arms: Mapping[str, Sequence[PointResult]]) -> Front:
    first = next(iter(arms.values()))
    made = [_option(points) for name, points in arms.items() if not is_twin(name)]
    rate = first[0].definition.headline
    return Front(
        plan=first[0].plan,
        point=_others(first[0]),
        rate=rate,
        paced_pps=_asked(_paced(first)) or None,
        options=tuple(
            replace(option, beaten=tuple(_beaten(option, made, rate))) for option in made
        ),
    )


def _option(points: Sequence[PointResult]) -> Option:
    """The rate at overload; delay and CPU at the lowest rate that was asked for."""
    fast, slow = min(points, key=_load), _paced(points)
    rate = fast.definition.headline
    values = {rate: fast.values[rate]}
    values |= {name: slow.values[name] for name in (DELAY, CPU) if name in slow.values}
    return Option(
        subject=fast.subject,
        values=values,
        at_least=fast.at_least,
        beaten=(),
    )


def _load(point: PointResult) -> float:
    """Overload first, then from the highest rate down."""
    return -_asked(point) if _asked(point) else float("-inf")


def _paced(points: Sequence[PointResult]) -> PointResult:
    return max(points, key=_load)


def _asked(point: PointResult) -> float:
    levels = [point.point[name] for name in RATES if name in point.point]
    return next((float(level) for level in levels if isinstance(level, int | float)), 0.0)


def _others(point: PointResult) -> dict[str, str | int | float | bool]:
    return {name: level for name, level in point.point.items() if name not in RATES}


def _beaten(option: Option, others: Sequence[Option], rate: str) -> Iterator[str]:
    for other in others:
        signs = {
            _better(other, option, name, rate) for name in option.values if name in other.values
        }
        if 1 in signs and -1 not in signs:
            yield other.arm


def _better(a: Option, b: Option, quantity: str, rate: str) -> int:
    """1: a is clearly better than b, -1: b than a, 0: not told."""
    first, second = a.values[quantity], b.values[quantity]
    if quantity != rate:
        return _above(second, first) - _above(first, second)
    # What the tester limited may be any faster, so it is below nothing.
    return (_above(first, second) and not b.at_least) - (_above(second, first) and not a.at_least)


def _above(a: Interval, b: Interval) -> bool:
    return a.lo > b.hi
