# SPDX-License-Identifier: Apache-2.0
"""The choice of a recipe, and intervals over applications."""

from functools import cache
from pathlib import Path

import pytest

from gatemark.classifier import choose, split
from gatemark.classifier.c45 import Model, read
from gatemark.classifier.manifest import Flow
from gatemark.classifier.recipe import LISTED, Recipe
from gatemark.classifier.score import scores
from gatemark.classifier.track import Track, Window
from gatemark.classifier.verdict import judge


@cache
def tree() -> Model:
    text = "classes other realtime\nattributes stdev.iat\nn_0 a_0 r c_0 3000 c_0 c_1\n"
    return read(text, Path("tree"))


def track(stdev_us: int, label: str, number: int) -> Track:
    """A flow of an application of its own; only its intervals' deviation says what it is."""
    flow = Flow(
        Path(f"{number}.pcap"),
        *("udp", "192.0.2.1", 5000, "198.51.100.1", 6000),
        f"{label}{number}",
        label,
        1,
    )
    values = tuple(stdev_us if name == "stdev.iat" else 100 for name in choose.ALL)
    windows = tuple(Window(10 * at, 1000 * at, values) for at in (1, 2))
    return Track(flow, Recipe().label(flow), windows, packets=20)


@cache
def flows() -> list[Track]:
    """Of a call and of an upload in turn."""
    return [track(9000 if n % 2 else 500, "voip" if n % 2 else "bulk", n) for n in range(30)]


def test_the_simplest_of_those_that_are_as_good_is_chosen() -> None:
    recipe = choose.chosen(flows())
    assert recipe.bounds.depth == 2
    assert recipe.attributes == ("mean.iat", "stdev.iat", LISTED)


def test_a_chosen_recipe_judges_what_it_did_not_see() -> None:
    unseen = [track(8000, "voip", 100), track(300, "bulk", 101)]
    verdicts = choose.trained(flows(), choose.chosen(flows()), unseen)
    assert [verdict.majority for verdict in verdicts] == ["realtime", "other"]


@pytest.mark.parametrize("parts", [2, 5, 40])
def test_no_application_is_trained_on_and_judged_in_parts(parts: int) -> None:
    folds = list(split.groups(flows(), parts))
    for fold in folds:
        held = {t.flow.application for t in fold.judge}
        assert not held & {t.flow.application for t in fold.train}
    assert sorted(t.flow for fold in folds for t in fold.judge) == sorted(t.flow for t in flows())


def test_an_interval_holds_the_score_and_shrinks_with_applications() -> None:
    """One flow in five is wrong, so the score depends on which applications are drawn."""
    widths = []
    for count in (10, 100):
        tracks = [track(500 if n % 5 == 0 else 9000, "voip", n) for n in range(count)]
        recipe = Recipe(attributes=("stdev.iat",))
        whole = scores(judge(tree(), recipe, choose.seen_by(tracks, recipe))).beside[2]
        f1 = whole.tree.f1("realtime")
        assert f1 is not None
        assert whole.f1[0] < f1 < whole.f1[1]
        widths.append(whole.f1[1] - whole.f1[0])
    assert widths[1] < widths[0]


def test_a_tree_like_the_one_line_gains_nothing() -> None:
    tracks = [track(9000, "voip" if n % 3 else "bulk", n) for n in range(12)]
    recipe = Recipe(attributes=("stdev.iat",))
    whole = scores(judge(tree(), recipe, choose.seen_by(tracks, recipe))).beside[2]
    assert whole.gain == (0.0, 0.0)
