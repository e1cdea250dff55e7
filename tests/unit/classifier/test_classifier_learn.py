# SPDX-License-Identifier: Apache-2.0
"""The learner: against all splits tried by hand, its bounds, and the same tree in any order."""

import random
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatemark.classifier.c45 import Model
from gatemark.classifier.learn import UNIT, Bounds, Example, best, grow

CLASSES = ("other", "realtime")

few = settings(max_examples=settings().max_examples // 3)
example = st.builds(
    Example,
    values=st.tuples(st.integers(-3, 9), st.integers(0, 3)),
    label=st.integers(0, 2),
    weight=st.integers(1, 5),
)


def purity(examples: list[Example]) -> Fraction:
    weights = [sum(e.weight for e in examples if e.label == label) for label in range(3)]
    return Fraction(sum(weight**2 for weight in weights), sum(weights))


def gains(examples: list[Example], least: int) -> dict[tuple[int, int], Fraction]:
    """Of every whole threshold that leaves something on both sides."""
    results = {}
    for attribute in range(2):
        values = sorted({e.values[attribute] for e in examples})
        for low, high in pairwise(values):
            for threshold in range(low, high):
                sides = [
                    [e for e in examples if (e.values[attribute] > threshold) == above]
                    for above in (False, True)
                ]
                if min(sum(e.weight for e in side) for side in sides) >= least:
                    gain = sum(map(purity, sides), start=-purity(examples))
                    results[attribute, threshold] = gain
    return results


@few
@given(st.lists(example, min_size=1, max_size=12), st.integers(1, 6))
def test_no_split_lowers_the_impurity_more(examples: list[Example], least: int) -> None:
    tried = gains(examples, least)
    split = best(examples, 3, least)
    if split is None:
        assert max(tried.values(), default=Fraction(0)) < Fraction(1, 10**6)
        return
    assert split.gain == pytest.approx(float(max(tried.values())))
    assert float(tried[split.attribute, split.threshold]) == pytest.approx(split.gain)


@few
@given(st.lists(example, min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_the_windows_changes_nothing(
    examples: list[Example], order: random.Random
) -> None:
    bounds = Bounds(depth=4, leaves=8, least=1 / UNIT)
    shuffled = order.sample(examples, len(examples))
    assert grow(examples, 3, bounds) == grow(shuffled, 3, bounds)


@few
@given(st.lists(example, min_size=1, max_size=40), st.integers(1, 4), st.integers(2, 6))
def test_a_tree_keeps_its_bounds(examples: list[Example], depth: int, leaves: int) -> None:
    nodes = grow(examples, 3, Bounds(depth, leaves, least=1 / UNIT))
    model = Model(("a", "b", "c"), ("x", "y"), nodes)
    assert model.depth <= depth
    assert model.leaves <= leaves


def test_a_tree_without_bounds_knows_what_it_learnt() -> None:
    """An exclusive or of two attributes, which no single comparison solves."""
    cells = [(x, y) for x in range(4) for y in range(4)]
    examples = [Example(cell, int((cell[0] > 1) != (cell[1] > 2))) for cell in cells]
    nodes = grow(examples, 2, Bounds(depth=4, leaves=16, least=0.0))
    model = Model(CLASSES, ("x", "y"), nodes)
    assert [model.decide(e.values) for e in examples] == [CLASSES[e.label] for e in examples]


def test_a_flow_of_many_windows_weighs_no_more_than_another() -> None:
    long = [Example((5,), 0, UNIT // 100) for _ in range(100)]
    short = [Example((5,), 1), Example((5,), 1)]
    model = Model(CLASSES, ("x",), grow([*long, *short], 2, Bounds()))
    assert model.decide((5,)) == "realtime"


def test_one_class_alone_is_a_tree_too() -> None:
    model = Model(CLASSES, ("x",), grow([Example((1,), 1), Example((2,), 1)], 2, Bounds()))
    assert {model.decide((value,)) for value in (0, 9)} == {"realtime"}
