# SPDX-License-Identifier: Apache-2.0
"""A decision tree from labelled windows: CART (Breiman et al. 1984) with whole thresholds.

Grown best first: of all leaves, that one is split next whose split lowers the Gini impurity most,
until there are enough leaves. Weights are integers and ties go to the first attribute and the
lowest threshold, so that the same windows in any order give the same tree.
"""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from gatemark.classifier.c45 import Node, Target

UNIT: Final = 1 << 20  # weight of an average flow: its windows share it


@dataclass(frozen=True, slots=True)
class Example:
    """A window: the values of its attributes, the number of its class, its weight."""

    values: tuple[int, ...]
    label: int
    weight: int = UNIT


@dataclass(frozen=True, slots=True)
class Bounds:
    """The largest tree. `least` is the weight of a leaf, in flows of average weight."""

    depth: int = 2
    leaves: int = 16
    least: float = 4.0


@dataclass(frozen=True, slots=True)
class Split:
    """A comparison, and by how much it lowers the impurity, as weight."""

    gain: float
    attribute: int
    threshold: int


@dataclass(slots=True)
class _Leaf:
    """A part of the windows; once it is split, the comparison and both sides."""

    examples: Sequence[Example]
    label: int
    depth: int
    split: Split | None = None
    sides: "tuple[_Leaf, _Leaf] | None" = field(default=None)


def grow(examples: Sequence[Example], classes: int, bounds: Bounds) -> Mapping[int, Node]:
    """The nodes of a tree, numbered from the root on, each before those below it."""
    root = _leaf(examples, classes, 0)
    _propose(root, classes, bounds)
    order = 0
    waiting = [(-root.split.gain, order, root)] if root.split else []
    leaves = 1
    while waiting and leaves < bounds.leaves:
        _, _, leaf = heapq.heappop(waiting)
        assert leaf.split
        leaf.sides = _sides(leaf, classes)
        leaves += 1
        for side in leaf.sides:
            _propose(side, classes, bounds)
            if side.split:
                order += 1
                heapq.heappush(waiting, (-side.split.gain, order, side))
    _merge(root)
    return _numbered(root)


def best(examples: Sequence[Example], classes: int, least: int) -> Split | None:
    """The split that lowers the impurity most, each side of weight `least` or more."""
    splits = (_best_of(examples, classes, least, at) for at in range(len(examples[0].values)))
    return max(filter(None, splits), key=lambda s: (s.gain, -s.attribute), default=None)


def _best_of(examples: Sequence[Example], classes: int, least: int, attribute: int) -> Split | None:
    """The best split of one attribute.

    The impurity of a part of weight W with classes of weight w is W - sum(w²) / W.
    """
    ordered = sorted(examples, key=lambda example: example.values[attribute])
    above = _weights(ordered, classes)
    below = [0] * classes
    whole = sum(above)
    before = _purity(above, whole)
    choice: Split | None = None
    weight = 0
    for at, example in enumerate(ordered[:-1]):
        below[example.label] += example.weight
        above[example.label] -= example.weight
        weight += example.weight
        value, following = example.values[attribute], ordered[at + 1].values[attribute]
        if value == following or weight < least or whole - weight < least:
            continue
        gain = _purity(below, weight) + _purity(above, whole - weight) - before
        if gain > (choice.gain if choice else 0.0):
            choice = Split(gain, attribute, (value + following) // 2)
    return choice


def _purity(weights: Sequence[int], whole: int) -> float:
    return sum(weight * weight for weight in weights) / whole


def _weights(examples: Sequence[Example], classes: int) -> list[int]:
    weights = [0] * classes
    for example in examples:
        weights[example.label] += example.weight
    return weights


def _leaf(examples: Sequence[Example], classes: int, depth: int) -> _Leaf:
    weights = _weights(examples, classes)
    return _Leaf(examples, weights.index(max(weights)), depth)


def _propose(leaf: _Leaf, classes: int, bounds: Bounds) -> None:
    """Look for the split of a leaf that may have one."""
    if leaf.depth < bounds.depth:
        leaf.split = best(leaf.examples, classes, round(bounds.least * UNIT))


def _sides(leaf: _Leaf, classes: int) -> tuple[_Leaf, _Leaf]:
    split = leaf.split
    assert split
    sides: tuple[list[Example], list[Example]] = ([], [])
    for example in leaf.examples:
        sides[example.values[split.attribute] > split.threshold].append(example)
    below, above = (_leaf(side, classes, leaf.depth + 1) for side in sides)
    return below, above


def _merge(leaf: _Leaf) -> None:
    """Take comparisons away that lead to one class whatever comes out."""
    if not leaf.sides:
        return
    for side in leaf.sides:
        _merge(side)
    below, above = leaf.sides
    if not below.sides and not above.sides and below.label == above.label:
        leaf.sides = None


def _numbered(root: _Leaf) -> dict[int, Node]:
    """A tree that knows one class alone still has a node: the form has no other way."""
    if not root.sides:
        target = Target(root.label, is_class=True)
        return {0: Node(0, root.label, Fraction(0), target, target)}
    nodes: dict[int, Node] = {}
    numbers = iter(range(len(root.examples)))

    def place(leaf: _Leaf) -> Target:
        if not leaf.sides or not leaf.split:
            return Target(leaf.label, is_class=True)
        number = next(numbers)
        nodes[number] = None  # type: ignore[assignment]  # keeps its place before those below
        least, above = map(place, leaf.sides)
        threshold = Fraction(leaf.split.threshold)
        nodes[number] = Node(leaf.split.attribute, leaf.label, threshold, least, above)
        return Target(number, is_class=False)

    place(root)
    return nodes
