# SPDX-License-Identifier: Apache-2.0
"""Scores of decisions: of flows, classes and applications."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Final

from gatemark.classifier.manifest import APART
from gatemark.classifier.recipe import OTHER, PRIORITY
from gatemark.classifier.verdict import Verdict, one_line

LONG: Final = 100  # packets: a flow of so many can fill a queue
RESAMPLES: Final = 1000
SHARE: Final = 0.95  # of the resamples that an interval holds

Pair = tuple[str, str]  # the class that is right, and the one that was given


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of flows by class and by the class that they were given."""

    counts: Mapping[Pair, int]

    def precision(self, name: str) -> float | None:
        """The share of the flows given the class that is of it; None: given to none."""
        return _share(self.counts, name, 1)

    def recall(self, name: str) -> float | None:
        """The share of the flows of the class that was given it; None: there are none."""
        return _share(self.counts, name, 0)

    def f1(self, name: str) -> float | None:
        """The harmonic mean of precision and recall; None where neither can be."""
        hits = 2 * self.counts.get((name, name), 0)
        all_ = sum(n * pair.count(name) for pair, n in self.counts.items())
        return hits / all_ if all_ else None


def _share(counts: Mapping[Pair, int], name: str, side: int) -> float | None:
    whole = sum(n for pair, n in counts.items() if pair[side] == name)
    return counts.get((name, name), 0) / whole if whole else None


def confusion(pairs: Iterable[Pair]) -> Confusion:
    """Flow by flow: the class that is right, and the one that was given."""
    return Confusion(Counter(pairs))


Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Beside:
    """Scores of the tree and of the one-line baseline on the same flows.

    The intervals hold 95 % of what other applications of the same kind would give: applications
    are drawn again and again from those that there are, each with all of its flows (bootstrap).
    `gain` is the tree's F1 less the baseline's.
    """

    flows: str  # `all` or `udp`
    least_packets: int
    tree: Confusion
    baseline: Confusion
    f1: Interval
    gain: Interval
    applications: int


@dataclass(frozen=True, slots=True)
class Speed:
    """To the first right decision of flows with priority that got one: medians."""

    flows: int
    never: int  # flows that no window got right
    packets: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Uplink:
    """Bytes that leave the LAN in flows of a manifest's class that is to have no priority."""

    name: str
    bytes_: int
    favoured: int

    @property
    def ratio(self) -> float:
        """The share that gets priority."""
        return self.favoured / self.bytes_ if self.bytes_ else 0.0


@dataclass(frozen=True, slots=True)
class Application:
    """The share of an application that is right: of its windows, and of its flows by majority."""

    name: str
    label: str
    flows: int
    windows: int
    right_windows: float
    right_flows: float


@dataclass(frozen=True, slots=True)
class Apart:
    """Flows that are neither right nor wrong to prefer, by their role: set-up, tunnels."""

    role: str
    flows: int
    favoured: int
    by_one_line: int


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of a set of decisions."""

    beside: tuple[Beside, ...]
    apart: tuple[Apart, ...]
    speed: Speed | None
    uplink: tuple[Uplink, ...]
    applications: tuple[Application, ...]

    @property
    def recall_of_applications(self) -> float | None:
        """Mean share of right windows over the applications that are to have priority."""
        shares = [a.right_windows for a in self.applications if a.label == PRIORITY]
        return mean(shares) if shares else None


def scores(verdicts: Sequence[Verdict]) -> Scores:
    """The scores of flows that were judged."""
    apart = tuple(_apart(verdicts))
    verdicts = [verdict for verdict in verdicts if verdict.track.counts]
    beside = tuple(
        _beside(verdicts, flows, least) for least in (LONG, 0) for flows in ("all", "udp")
    )
    uplink = tuple(_uplink(verdicts))
    return Scores(beside, apart, _speed(verdicts), uplink, _applications(verdicts))


def _apart(verdicts: Sequence[Verdict]) -> Iterable[Apart]:
    for role in APART:
        group = [verdict for verdict in verdicts if verdict.track.flow.role == role]
        if group:
            favoured = sum(verdict.majority == PRIORITY for verdict in group)
            by_one_line = sum(one_line(verdict.track.flow) == PRIORITY for verdict in group)
            yield Apart(role, len(group), favoured, by_one_line)


def _beside(verdicts: Sequence[Verdict], flows: str, least: int) -> Beside:
    chosen = [
        verdict
        for verdict in verdicts
        if verdict.track.packets >= least and flows in ("all", verdict.track.flow.proto)
    ]
    draws = resampled(chosen, RESAMPLES)
    return Beside(
        flows,
        least,
        confusion((verdict.label, verdict.majority) for verdict in chosen),
        confusion((verdict.label, one_line(verdict.track.flow)) for verdict in chosen),
        _middle([f1 for f1, _ in draws]),
        _middle([f1 - line for f1, line in draws]),
        len({verdict.track.flow.application for verdict in chosen}),
    )


def resampled(verdicts: Iterable[Verdict], draws: int) -> list[tuple[float, float]]:
    """F1 of the tree and of the baseline, of each drawing of applications."""
    sums: dict[str, list[int]] = {}
    for verdict in verdicts:
        row = sums.setdefault(verdict.track.flow.application, [0] * 4)
        for at, given in ((0, verdict.majority), (2, one_line(verdict.track.flow))):
            row[at] += verdict.label == given == PRIORITY
            row[at + 1] += (verdict.label == PRIORITY) + (given == PRIORITY)
    groups = [sums[name] for name in sorted(sums)]
    draw = random.Random(len(groups))  # noqa: S311  the same flows give the same interval
    return [_drawn(draw.choices(groups, k=len(groups))) for _ in range(draws * bool(groups))]


def _drawn(rows: Sequence[Sequence[int]]) -> tuple[float, float]:
    """F1 of the tree and of the baseline."""
    hits, all_, line_hits, line_all = map(sum, zip(*rows, strict=True))
    return 2 * hits / all_ if all_ else 0.0, 2 * line_hits / line_all if line_all else 0.0


def _middle(values: list[float]) -> Interval:
    if not values:
        return 0.0, 0.0
    values.sort()
    beyond = round(len(values) * (1 - SHARE) / 2)
    return values[beyond], values[-1 - beyond]


def _speed(verdicts: Iterable[Verdict]) -> Speed | None:
    firsts = [verdict.first_right for verdict in verdicts if verdict.label == PRIORITY]
    right = [first for first in firsts if first]
    if not right:
        return None
    packets, seconds = (median(values) for values in zip(*right, strict=True))
    return Speed(len(right), len(firsts) - len(right), packets, seconds)


def _uplink(verdicts: Sequence[Verdict]) -> Iterable[Uplink]:
    """Scores by class of the manifest, and all together first."""
    others = [verdict for verdict in verdicts if verdict.label == OTHER]
    sums: dict[str, Counter[str]] = {}
    for verdict in others:
        for name in ("all", verdict.track.flow.label):
            sent, favoured = verdict.uplink
            sums.setdefault(name, Counter()).update(sent=sent, favoured=favoured)
    return [Uplink(name, by["sent"], by["favoured"]) for name, by in sums.items()]


def _applications(verdicts: Sequence[Verdict]) -> tuple[Application, ...]:
    groups: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.label, verdict.track.flow.application), []).append(verdict)
    rows = []
    for (label, name), group in sorted(groups.items()):
        windows = [given == label for verdict in group for given in verdict.decided]
        right = mean(verdict.majority == label for verdict in group)
        share = mean(windows) if windows else right
        rows.append(Application(name, label, len(group), len(windows), share, right))
    return tuple(rows)
