# SPDX-License-Identifier: Apache-2.0
"""Bisections of 64 builds of which one is slower: counted and timed, with made-up boots.

The search, its posterior and its confirmation are the real ones; a boot is a drawn value. The
effect is twice the noise of a boot.
"""

import random
from collections.abc import Iterator
from math import log1p
from pathlib import Path
from typing import cast

from gatemark.commands.campaign.bisect import Bisection
from gatemark.commands.campaign.layout import Layout
from gatemark.error import GatemarkError
from gatemark.fleet.file import Build, Model, Suite

BUILDS, SEARCHES, MOST = 64, 20, 200
NOISE = 0.02  # of a boot beside its reference
EFFECT = 2.0  # noises


class Drawn(Bisection):
    """Of builds from `step` on each is slower."""

    step = 0
    rng = random.Random()

    def _measured(self, pair: object, name: str) -> float:
        del name
        old, new = cast("tuple[Build | None, Build]", pair)
        self.boots += 1
        if old is None:
            return 1000.0 * (1.01 if int(new.name) >= self.step else 1.0)
        levels = [log1p(EFFECT * NOISE) * (int(each.name) >= self.step) for each in (old, new)]
        return levels[1] - levels[0] + self.rng.gauss(0.0, NOISE)


def facts(count: int, out: Path | None) -> Iterator[tuple[str, float, float | None]]:
    """Boots of a counted search; of timed ones the median, the most, and how many were wrong."""
    del out
    rng = random.Random(19)
    boots, wrong, none, undecided = [], 0, 0, 0
    searches = count or SEARCHES
    for at in range(searches):
        step = rng.randrange(1, BUILDS)
        search = _search(step, exact=False, seed=at)
        try:
            named = search.timed()
        except GatemarkError:
            undecided += 1
            continue
        boots.append(search.boots)
        none += named is None
        wrong += named is not None and named.after != step
    counted = [_counted(rng.randrange(1, BUILDS)) for _ in range(searches)]
    yield "counted: boots at most", max(counted), 8
    boots.sort()
    yield "timed, effect twice the noise: boots, median", boots[len(boots) // 2], 40
    yield "timed: boots at most", boots[-1], None
    yield "timed: another build was named", wrong, None
    yield "timed: no step was told", none, None
    yield "timed: undecided", undecided, None
    yield "timed: share that was not right", (wrong + none + undecided) / searches, 0.05


def _counted(step: int) -> int:
    search = _search(step, exact=True, seed=step)
    (named,) = search.counted()
    assert named.after == step
    return search.boots


def _search(step: int, *, exact: bool, seed: int) -> Drawn:
    builds = [Build(name=str(at), setup="nat") for at in range(BUILDS)]
    model = Model(name="m", stations=("lab",), exact=exact)
    layout = cast("Layout", None)
    made = Drawn(layout, model, Suite(plan="cost/ab"), builds, "", 0.005, Path(), MOST)
    made.step, made.rng = step, random.Random(seed)
    return made
