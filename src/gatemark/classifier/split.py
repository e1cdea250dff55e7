# SPDX-License-Identifier: Apache-2.0
"""Splits into training and test: whole captures or applications, never windows.

Windows of one flow resemble each other. Where some are trained on and others judged, the score is
too high.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gatemark.classifier.features import Advance
from gatemark.classifier.recipe import Recipe
from gatemark.classifier.track import Track
from gatemark.classifier.train import train
from gatemark.classifier.verdict import Verdict, judge

FOLDS: Final = 10


@dataclass(frozen=True, slots=True)
class Fold:
    """Flows to train on, and flows to judge what was trained; `name` is of the latter."""

    name: str
    train: list[Track]
    judge: list[Track]


def folds(tracks: Sequence[Track], by: str) -> list[Fold]:
    """Every flow is judged in one fold.

    By capture: ten folds of whole captures, with about as many flows of each class. By application:
    a fold for each; what is trained on knows neither the application nor a capture with it.
    """
    return list(_captures(tracks) if by == "capture" else _applications(tracks))


def _captures(tracks: Sequence[Track]) -> Iterator[Fold]:
    fold_of = _dealt(tracks)
    for number in range(FOLDS):
        judge = [track for track in tracks if fold_of[track.flow.capture] == number]
        train = [track for track in tracks if fold_of[track.flow.capture] != number]
        if judge and train:
            yield Fold(f"fold {number + 1} of {FOLDS}", train, judge)


def _dealt(tracks: Sequence[Track]) -> dict[Path, int]:
    """The fold of each capture: the richest in rare classes are dealt first, to the poorest."""
    common = Counter(track.label for track in tracks)
    rare = min(common, key=lambda label: (common[label], label))
    counts = {
        name: (
            sum(t.label == rare for t in tracks if t.flow.capture == name),
            sum(t.flow.capture == name for t in tracks),
        )
        for name in {track.flow.capture for track in tracks}
    }
    sums = [(0, 0)] * FOLDS
    fold_of = {}
    for name in sorted(counts, key=lambda name: (*(-n for n in counts[name]), name)):
        at = sums.index(min(sums))
        fold_of[name] = at
        sums[at] = (sums[at][0] + counts[name][0], sums[at][1] + counts[name][1])
    return fold_of


def _applications(tracks: Sequence[Track]) -> Iterator[Fold]:
    for name in sorted({track.flow.application for track in tracks}):
        judge = [track for track in tracks if track.flow.application == name]
        captures = {track.flow.capture for track in judge}
        train = [track for track in tracks if track.flow.capture not in captures]
        if train:
            yield Fold(name, train, judge)


def groups(tracks: Sequence[Track], parts: int) -> Iterator[Fold]:
    """The applications in so many parts, each part judged by what knows none of it.

    As by application, but with fewer trees: every nth application in the order of their names.
    """
    names = sorted({track.flow.application for track in tracks})
    for part in range(parts):
        held = set(names[part::parts])
        judge = [track for track in tracks if track.flow.application in held]
        captures = {track.flow.capture for track in judge}
        train = [track for track in tracks if track.flow.capture not in captures]
        if judge and train:
            yield Fold(f"part {part + 1} of {parts}", train, judge)


def crossed(tracks: Sequence[Track], recipe: Recipe, by: str, advance: Advance) -> list[Verdict]:
    """Every flow, judged by a tree that was trained without its fold."""
    verdicts: list[Verdict] = []
    every = folds(tracks, by)
    for at, fold in enumerate(every):
        advance(at, len(every))
        verdicts += judge(train(fold.train, recipe), recipe, fold.judge)
    return verdicts
