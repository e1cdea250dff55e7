# SPDX-License-Identifier: Apache-2.0
"""Which recipe to train by, from the flows that are trained on alone.

Each candidate is judged by applications held out of these flows, so that neither a test's captures
nor its applications have a say. Of those that are as good as the best within one standard error,
over applications, the simplest is taken: the fewest comparisons, then the fewest attributes
(Breiman et al. 1984, section 3.4.3). The best of many candidates is the best by luck, too.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import pstdev
from typing import Final

from gatemark.classifier.learn import Bounds
from gatemark.classifier.recipe import INTERVALS, LENGTHS, LISTED, PRIORITY, SERVICE, Recipe
from gatemark.classifier.score import confusion, resampled
from gatemark.classifier.split import groups
from gatemark.classifier.track import Track
from gatemark.classifier.train import train
from gatemark.classifier.verdict import Verdict, judge

PARTS: Final = 10  # of the applications
DRAWS: Final = 200  # for a standard error
ALL: Final = (*LENGTHS, *INTERVALS, SERVICE, LISTED)
CANDIDATES: Final = tuple(
    Recipe(attributes=(*intervals, LISTED), bounds=Bounds(depth=depth), headers=True)
    for depth in (2, 3)
    for intervals in (("mean.iat", "stdev.iat"), INTERVALS)
)


def chosen(tracks: Sequence[Track]) -> Recipe:
    """The recipe for these flows, whose windows have the attributes ALL."""
    scored = [(recipe, *_scored(tracks, recipe)) for recipe in CANDIDATES]
    _, most, error = max(scored, key=lambda row: row[1])
    good = [recipe for recipe, f1, _ in scored if f1 >= most - error]
    return min(good, key=lambda recipe: (recipe.bounds.depth, len(recipe.attributes)))


def trained(tracks: Sequence[Track], recipe: Recipe, unseen: Sequence[Track]) -> list[Verdict]:
    """Return what a tree of the recipe decides of other flows, a verdict a flow."""
    model = train(seen_by(tracks, recipe), recipe)
    return judge(model, recipe, seen_by(unseen, recipe))


def seen_by(tracks: Sequence[Track], recipe: Recipe) -> list[Track]:
    """The flows with the recipe's attributes alone."""
    places = [ALL.index(name) for name in recipe.attributes]
    return [
        replace(
            track,
            windows=tuple(
                replace(window, values=tuple(window.values[at] for at in places))
                for window in track.windows
            ),
        )
        for track in tracks
    ]


def _scored(tracks: Sequence[Track], recipe: Recipe) -> tuple[float, float]:
    """F1 of flows of applications that training did not see, and its standard error."""
    covered = seen_by([track for track in tracks if recipe.covers(track.flow)], recipe)
    verdicts = [
        verdict
        for fold in groups(covered, PARTS)
        for verdict in judge(train(fold.train, recipe), recipe, fold.judge)
    ]
    f1 = confusion((verdict.label, verdict.majority) for verdict in verdicts).f1(PRIORITY)
    return f1 or 0.0, pstdev(value for value, _ in resampled(verdicts, DRAWS))
