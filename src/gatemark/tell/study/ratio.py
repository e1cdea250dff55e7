# SPDX-License-Identifier: Apache-2.0
"""Gateways of ours against the first of them, where a study has a ratio of its devices."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from gatemark.judge.change.cmp import clock_of
from gatemark.judge.change.reference import Beside
from gatemark.judge.coverage.boxes import SAME, of_runs
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.mean import At, at
from gatemark.tell.study.matter import Gateway, Pair
from gatemark.tell.words import number
from gatemark.tell.words.table import NONE


def divided(gateways: Sequence[Gateway], alike: Sequence[Sequence[Pair]]) -> list[str]:
    """Each gateway's value over the first one's, at the same setup and point.

    A bound has no ratio to anything.
    """
    base, *others = [of_runs(_measured_at(pair.beside for pair in own)) for own in alike]
    texts = [NONE]
    for gateway, own in zip(gateways[1:], others, strict=True):
        ratios = (own[at] / base[at] for at in own if base.get(at))
        text = "; ".join(number.quantity(ratio, "times") for ratio in ratios)
        texts.append(text + _of(gateways[0], gateway) if text else NONE)
    return texts


def _of(base: Gateway, other: Gateway) -> str:
    """What a ratio is of, and how the clocks are to each other."""
    first, second = (clock_of(gateway.sources[0].run) for gateway in (base, other))
    if not first or not second:
        return f" {base.name}"
    clock = second / first
    words = "their clocks are alike" if abs(clock - 1) < SAME else f"the clock {clock:.2f} times"
    return f" {base.name}; {words}"


def _measured_at(pairs: Iterable[Beside]) -> Iterator[tuple[At, float]]:
    """The value at each point that the tester did not limit."""
    for pair in pairs:
        if not pair.at_least:
            yield at(pair.plan, pair.arm, pair.point), pair.measured.value


def by_kernels(gateways: Sequence[Gateway], kernels: Sequence[str]) -> list[str]:
    """Operations a second of each gateway over the first one's: the median of all points, and all.

    A slowdown is a number below 1.
    """
    rates = [of_runs(_operations(gateway, kernels)) for gateway in gateways]
    base, *others = rates
    texts = [NONE]
    for gateway, own in zip(gateways[1:], others, strict=True):
        shares = sorted(own[at] / base[at] for at in own if base.get(at))
        texts.append(_share(shares) + _of(gateways[0], gateway) if shares else NONE)
    return texts


def _share(shares: Sequence[float]) -> str:
    """The median, and the least and the most."""
    every = Interval(median(shares), shares[0], shares[-1], len(shares), 0.0)
    points = "point" if len(shares) == 1 else "points"
    return f"{number.quantity_interval(every, 'times')}, {len(shares)} {points}"


def _operations(gateway: Gateway, kernels: Sequence[str]) -> Iterator[tuple[At, float]]:
    """Operations a second at each point of these kernels."""
    for source in gateway.sources:
        for point in source.judgement.points:
            kernel = (point.definition.kernel or "").partition(" ")[0]
            if kernel in kernels and "ops_s" in point.values:
                yield at(point.plan, point.arm, point.point), point.values["ops_s"].value
