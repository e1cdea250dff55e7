# SPDX-License-Identifier: Apache-2.0
"""Is a setup enough for a line? By the model: the share of the gateway's CPU that the line takes.

A line in both directions is two streams of packets on one CPU, so the share is

    share = (packets/s down x time of one down + packets/s up x time of one up) / 1 s

and the line fits where it is below 1. The interval is that of the blocks, widened by the model's
margin for a setup that was not measured.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import isfinite
from typing import Final, Literal

from gatemark.judge.capacity.linear import total
from gatemark.judge.capacity.model import Model
from gatemark.judge.capacity.term import (
    DOWN,
    Case,
    Setup,
    count,
    recounted,
    terms,
)
from gatemark.judge.math.interval import Interval, median_interval
from gatemark.plan.feature import shaped_bps, shaped_ways
from gatemark.unit import FCS_BYTES, PREAMBLE_AND_GAP_BYTES, payload_bytes

Answer = Literal["enough", "not enough", "too close to tell"]
Bound = Literal["none", "cpu", "shaper", "unknown"]
LEAST_GAIN: Final = 0.01  # of packets/s: less is no reason to switch a feature off


@dataclass(frozen=True, slots=True)
class Line:
    """An access line, bits/s on the wire as Ethernet counts them: with preamble and gap."""

    down_bps: float
    up_bps: float

    def packets(self, frame_bytes: float) -> dict[str, float]:
        """Packets/s of each direction, all of one size."""
        bits = 8 * (frame_bytes + PREAMBLE_AND_GAP_BYTES)
        return {"down": self.down_bps / bits, "up": self.up_bps / bits}


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate that a setup carries in one direction alone."""

    pps: Interval  # by the model; `least` and `most` with its margin besides
    least: float
    most: float
    l1_bps: float
    l2_bps: float
    l4_bps: float


@dataclass(frozen=True, slots=True)
class Drop:
    """A feature that could be switched off, or made smaller."""

    setup: Setup  # what is left
    what: str  # in words
    share: float  # of the CPU that the line takes then
    gain: float  # of packets/s
    answer: Answer


@dataclass(frozen=True, slots=True)
class Fit:
    """The answer for one frame size."""

    setup: Setup
    line: Line
    frame_bytes: float
    share: Interval  # of the CPU that the line takes in both directions at once, by the model
    least: float  # with its margin besides
    most: float
    alone: dict[str, float]  # direction -> share that it takes alone
    rates: dict[str, Rate]  # direction -> what the setup carries in it alone
    limit: Bound
    answer: Answer
    drops: tuple[Drop, ...] = ()  # one by one, the largest gain first
    enough_without: tuple[str, ...] = ()  # the fewest of them that make it enough; (): none do
    held_bps: Interval | None = None  # that its shaper was found to hold; None: by no search
    rules: int | None = None  # a filter of so many would be enough; None: no such question


def answer(
    model: Model,
    setup: Setup,
    line: Line,
    frame_bytes: float,
    held_bps: Interval | None = None,
) -> Fit:
    """Return whether a setup, all of whose terms the model has, carries a line.

    `held_bps`: the highest rate that its shaper was found to hold, by a search with full frames.
    The model knows what a shaper costs, and not how late it comes to its packets on a busy CPU.
    """
    share = _share(model, setup, line, frame_bytes)
    text, limit = _answer(model, setup, line, share, frame_bytes)
    if held_bps and text != "not enough" and held_bps.hi < _most_shaped(setup, line, frame_bytes):
        text, limit = "not enough", "shaper"
    drops = tuple(_drops(model, setup, line, frame_bytes))
    needs = text != "enough"
    pps = line.packets(frame_bytes)
    return Fit(
        setup=setup,
        line=line,
        frame_bytes=frame_bytes,
        share=share,
        least=share.lo / model.margin,
        most=share.hi * model.margin,
        alone={w: pps[w] * model.takes(Case(setup, w, frame_bytes)).value / 1e9 for w in pps},
        rates={way: rate(model, Case(setup, way, frame_bytes)) for way in pps},
        limit=limit,
        answer=text,
        drops=drops,
        enough_without=_fewest(model, setup, line, frame_bytes, drops) if needs else (),
        held_bps=held_bps,
        rules=_rules(model, setup, line, frame_bytes) if needs else None,
    )


def rate(model: Model, case: Case, family: str = "ipv4") -> Rate:
    """Packets/s and bits/s of a case."""
    ns, size = model.takes(case), case.frame_bytes
    pps = 1e9 / ns.value
    return Rate(
        pps=Interval(pps, 1e9 / ns.hi, 1e9 / ns.lo, ns.n, ns.level),
        least=1e9 / (ns.hi * model.margin),
        most=1e9 / (ns.lo / model.margin) if isfinite(model.margin) else float("inf"),
        l1_bps=pps * 8 * (size + PREAMBLE_AND_GAP_BYTES),
        l2_bps=pps * 8 * size,
        l4_bps=pps * 8 * payload_bytes(size, family),
    )


def unmeasured(model: Model, setup: Setup) -> list[str]:
    """Parts of a setup that the run did not measure, or not apart from others."""
    known = {name for cost in model.costs for name in cost.column}
    paths = {case.setup.path for case in model.measured.fitted()}
    missing = [] if setup.path in paths else [setup.path]
    for feature in setup.features:
        names = set(terms(feature))
        ladder = names & set(model.unresolved) if count(feature) else set()
        if not names - ladder <= known:
            missing.append(feature)
    return missing


def tells_down(model: Model) -> bool:
    """Return whether the run measured both directions; else down is taken to cost what up does."""
    return any(DOWN in cost.column for cost in model.costs)


def _share(model: Model, setup: Setup, line: Line, size: float) -> Interval:
    pps = line.packets(size)
    rows = {way: model.row(Case(setup, way, size)) for way in pps}
    return median_interval(
        [sum(pps[way] * max(1.0, total(b, rows[way])) for way in pps) / 1e9 for b in model.blocks]
    )


def _answer(
    model: Model, setup: Setup, line: Line, share: Interval, size: float
) -> tuple[Answer, Bound]:
    ways = zip((line.up_bps, line.down_bps), shaped_bps(setup.features) or (0, 0), strict=True)
    frames = _frames(size)
    if any(shaped and shaped < line_bps * frames for line_bps, shaped in ways):
        return "not enough", "shaper"
    if share.hi * model.margin <= 1:
        return "enough", "none"
    if share.lo / model.margin > 1:
        return "not enough", "cpu"
    return "too close to tell", "cpu" if share.value > 1 else "unknown"


def _frames(size: float) -> float:
    """Return the rate that a shaper counts of a line's: it sees frames without check sequence."""
    return (size - FCS_BYTES) / (size + PREAMBLE_AND_GAP_BYTES)


def _most_shaped(setup: Setup, line: Line, size: float) -> float:
    """The highest rate of the line, of frames, that passes the setup's shaper."""
    rates = {"up": line.up_bps, "down": line.down_bps}
    return max((rates[way] * _frames(size) for way in shaped_ways(setup.features)), default=0.0)


def _drops(model: Model, setup: Setup, line: Line, size: float) -> Iterator[Drop]:
    now = _share(model, setup, line, size).value
    made = []
    for feature in setup.features:
        left = setup.without(feature)
        share = _share(model, left, line, size)
        text, _ = _answer(model, left, line, share, size)
        made.append(Drop(left, feature, share.value, now / share.value - 1, text))
    yield from sorted((d for d in made if d.gain > LEAST_GAIN), key=lambda d: -d.gain)


def _fewest(
    model: Model, setup: Setup, line: Line, size: float, drops: Sequence[Drop]
) -> tuple[str, ...]:
    """The largest gains first, until the rest is enough."""
    names = [drop.what for drop in drops]
    for gone in accumulate([name] for name in names):
        left = setup
        for name in gone:
            left = left.without(name)
        if _answer(model, left, line, _share(model, left, line, size), size)[0] == "enough":
            return tuple(gone)
    return ()


def _rules(model: Model, setup: Setup, line: Line, size: float) -> int | None:
    """Return how many rules of its filter are surely enough; None without a filter, 0: not one."""
    ladder = next((feature for feature in setup.features if count(feature)), None)
    if ladder is None:
        return None

    def most(n: int) -> float:
        features = tuple(recounted(f, n) if f == ladder else f for f in setup.features)
        return _share(model, Setup(setup.path, features), line, size).hi * model.margin

    if most(1) > 1:
        return 0
    low, high = 1, max(2, count(ladder))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if most(middle) <= 1 else (low, middle)
    return low
