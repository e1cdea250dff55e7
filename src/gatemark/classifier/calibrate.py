# SPDX-License-Identifier: Apache-2.0
"""Confidence that is the share of right windows among applications that no tree had seen.

Each leaf says how often windows that came its way were right, and so do headers. Each application
weighs the same, and one right and one wrong are added, so that few applications prove little.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gatemark.classifier.c45 import Model, Target
from gatemark.classifier.verdict import BY_HEADER, Verdict

FEWEST: Final = 5  # applications: a way of fewer has the confidence of its class


@dataclass(frozen=True, slots=True)
class Reliability:
    """Windows of applications that had no say in the confidence of their decisions."""

    way: str
    given: str
    percent: int  # the confidence
    applications: int
    right: float  # the mean share of them


Key = tuple[str, str]  # the way, or "" for all of a class; the class given
Shares = Mapping[Key, list[float]]


def calibrated(model: Model, verdicts: Sequence[Verdict]) -> Model:
    """The model with the confidence of each leaf, from verdicts of trees as it by other flows."""
    shares = _shares(verdicts)
    nodes = dict(model.nodes)
    waiting = [(0, "")]
    while waiting:
        number, way = waiting.pop()
        node = nodes[number]
        sides = []
        for target, sign in ((node.least, "<="), (node.above, ">")):
            further = f"{way}{model.attributes[node.attribute]}{sign} "
            if target.is_class:
                percent = _percent(shares, (further, model.classes[target.number]))
                sides.append(Target(target.number, is_class=True, confidence=percent))
            else:
                waiting.append((target.number, further))
                sides.append(target)
        nodes[number] = replace(node, least=sides[0], above=sides[1])
    sure = min(_percent(shares, (BY_HEADER, name)) for name in model.classes)
    extra = {"sure": str(sure)} if "headers" in model.header else {}
    return replace(model, nodes=nodes, header={**model.header, **extra})


def reliability(verdicts: Sequence[Verdict]) -> list[Reliability]:
    """Confidence by half of the applications beside the share of the other half, both ways."""
    names = sorted({verdict.track.flow.application for verdict in verdicts})
    halves = [
        _shares([v for v in verdicts if v.track.flow.application in set(names[at::2])])
        for at in (0, 1)
    ]
    pairs: dict[Key, list[tuple[int, float]]] = {}
    for by, others in (halves, halves[::-1]):
        for key, shares in others.items():
            if key[0]:
                percent = _percent(by, key)
                pairs.setdefault(key, []).extend((percent, share) for share in shares)
    return [
        Reliability(
            way.strip(),
            given,
            round(sum(percent for percent, _ in rows) / len(rows)),
            len(rows),
            sum(share for _, share in rows) / len(rows),
        )
        for (way, given), rows in sorted(pairs.items())
    ]


def _shares(verdicts: Iterable[Verdict]) -> Shares:
    """The share of right windows of each application, by their way and class, and by class."""
    counts: dict[Key, dict[str, list[int]]] = {}
    for verdict in verdicts:
        if not verdict.track.counts:
            continue
        for given, way in zip(verdict.decided, verdict.ways, strict=True):
            for key in {(way, given), ("", given)} if way else ():
                by = counts.setdefault(key, {})
                row = by.setdefault(verdict.track.flow.application, [0, 0])
                row[given == verdict.label] += 1
    return {
        key: [right / (wrong + right) for wrong, right in by.values()] for key, by in counts.items()
    }


def _percent(shares: Shares, key: Key) -> int:
    """A share in percent, with one right and one wrong beside."""
    rows = shares.get(key, [])
    if len(rows) < FEWEST:
        rows = shares.get(("", key[1]), [])
    return round(100 * (sum(rows) + 1) / (len(rows) + 2))
