# SPDX-License-Identifier: Apache-2.0
"""A decision tree as text: the form in which DIFFUSE published C4.5 trees, read and written.

    # gatemark: 1                       comments; ours hold settings (setting.py) and what training
                                        knew, as `key: value`
    classes other realtime              class 0, class 1
    attributes mean.plen fpckts.pcnt    attribute 0, attribute 1
    n_0 a_1 r c_0 84 n_1 c_1            node, attribute, real, class if it is missing, threshold,
                                        then where to: at most the threshold, above it

Bounds are those of the published reader. A tree that a gateway would not walk is refused here,
with its line.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Final

from gatemark.classifier import setting
from gatemark.error import UsageError

MOST_CLASSES: Final = 255
MOST_ATTRIBUTES: Final = 32  # as in classifier/core/model.h
MOST_NODES: Final = 4095
DEEPEST: Final = 16  # comparisons from the root to a class: the loop of the program in BPF
LARGEST: Final = (1 << 31) - 1  # attributes are integers of 32 bits
HEADER: Final = re.compile(r"#[ \t]*([a-z][a-z ]*):[ \t]*(.*)")
NUMBER: Final = re.compile(r"-?\d{1,10}(\.\d{1,9})?")
TARGET: Final = re.compile(r"n_(?P<node>\d{1,4})|c_(?P<class>\d{1,3})(:(?P<sure>\d{1,2}|100))?")
SURE: Final = 100  # percent
FIELDS: Final = 7


@dataclass(frozen=True, slots=True)
class Target:
    """Where a comparison leads: to another node, or to a class with its confidence in percent.

    The published form has no confidence; gm-classifier reads one behind a colon.
    """

    number: int
    is_class: bool
    confidence: int = SURE

    def __str__(self) -> str:
        confidence = "" if self.confidence == SURE else f":{self.confidence}"
        return f"{'c' if self.is_class else 'n'}_{self.number}{confidence}"


@dataclass(frozen=True, slots=True)
class Node:
    """A comparison: `least` where the value is at most the threshold, else `above`."""

    attribute: int
    missing: int  # the class where the value is missing
    threshold: Fraction
    least: Target
    above: Target
    nominal: bool = False  # equal, not at most


@dataclass(frozen=True, slots=True)
class Model:
    """A tree; node 0 is its root. `header` is what comments tell, by key."""

    classes: tuple[str, ...]
    attributes: tuple[str, ...]
    nodes: Mapping[int, Node]
    header: Mapping[str, str] = field(default_factory=dict)

    def decide(self, values: Sequence[int]) -> str:
        """The class of a window by the values of the attributes, in their order."""
        return self.classes[self.walk(values)[0].number]

    def walk(self, values: Sequence[int]) -> tuple[Target, str]:
        """The leaf of a window, and the way to it as attributes and sides."""
        target = Target(0, is_class=False)
        way = ""
        while not target.is_class:
            node = self.nodes[target.number]
            value = values[node.attribute]
            hit = value == node.threshold if node.nominal else value <= node.threshold
            target = node.least if hit else node.above
            way += f"{self.attributes[node.attribute]}{'<=' if hit else '>'} "
        return target, way

    @property
    def leaves(self) -> int:
        """Ways out of the tree."""
        return sum(t.is_class for n in self.nodes.values() for t in (n.least, n.above))

    @property
    def depth(self) -> int:
        """The most comparisons of a decision."""
        waiting = [(0, 1)]
        deepest = 1
        while waiting:
            number, depth = waiting.pop()
            node = self.nodes[number]
            below = [t.number for t in (node.least, node.above) if not t.is_class]
            waiting += [(number, depth + 1) for number in below]
            deepest = max(deepest, depth)
        return deepest


def write(model: Model) -> str:
    """The text of a model; the same model has the same text."""
    lines = [f"# {key}: {value}".rstrip() for key, value in model.header.items()]
    lines += [f"classes {' '.join(model.classes)}", f"attributes {' '.join(model.attributes)}"]
    for number, node in sorted(model.nodes.items()):
        kind = "n" if node.nominal else "r"
        lines.append(
            f"n_{number} a_{node.attribute} {kind} c_{node.missing} {_decimal(node.threshold)} "
            f"{node.least} {node.above}"
        )
    return "\n".join(lines) + "\n"


def _decimal(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):.9f}".rstrip("0")


def load(path: Path) -> Model:
    """A model's file. Raises UsageError with the line."""
    try:
        return read(path.read_bytes().decode(), path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}: give the path of a model") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}:{line}: not UTF-8: this is no model") from None


def read(text: str, path: Path) -> Model:
    """A model out of its text; `path` is for messages. Raises UsageError with the line."""
    parts = _Parts(path)
    for number, line in enumerate(text.split("\n"), 1):
        parts.take(line, number)
    return parts.model()


class _Parts:
    """The model's lines that were read so far."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header: dict[str, str] = {}
        self.names: dict[str, tuple[str, ...]] = {}
        self.nodes: dict[int, Node] = {}
        self.lines: dict[int, int] = {}  # of each node

    def take(self, line: str, number: int) -> None:
        words = line.split()
        if line.startswith("#"):
            self._comment(line, number)
        elif words and words[0] in ("classes", "attributes"):
            self._name(words, number)
        elif words:
            self._node(words, number)

    def _comment(self, line: str, number: int) -> None:
        if key := setting.key_of(line):
            if key in self.header:
                raise UsageError(f"{self.path}:{number}: {key} twice: leave one of them out")
            try:
                self.header[key] = setting.value_of(line)
            except ValueError as error:
                raise UsageError(f"{self.path}:{number}: {error}") from None
        elif comment := HEADER.fullmatch(line.strip()):
            self.header.setdefault(comment[1], comment[2])

    def model(self) -> Model:
        for kind in ("classes", "attributes"):
            if kind not in self.names:
                raise UsageError(f"{self.path}:1: no line `{kind} ...`: this is no model")
        if 0 not in self.nodes:
            raise UsageError(f"{self.path}:1: no node n_0: a tree begins with it")
        for number, node in self.nodes.items():
            self._require(node, self.lines[number])
        self._require_walkable()
        classes, attributes = self.names["classes"], self.names["attributes"]
        return Model(classes, attributes, self.nodes, self.header)

    def _name(self, words: Sequence[str], line: int) -> None:
        kind, *names = words
        most = MOST_CLASSES if kind == "classes" else MOST_ATTRIBUTES
        fault = ""
        if kind in self.names:
            fault = f"a second line of {kind}"
        elif not 1 <= len(names) <= most:
            fault = f"{len(names)} {kind}: write 1 to {most}"
        elif len(set(names)) < len(names):
            fault = f"one name twice among the {kind}"
        if fault:
            raise UsageError(f"{self.path}:{line}: {fault}")
        self.names[kind] = tuple(names)

    def _node(self, words: Sequence[str], line: int) -> None:
        place = f"{self.path}:{line}"
        if len(words) != FIELDS:
            raise UsageError(f"{place}: {len(words)} words instead of {FIELDS}: no node of a tree")
        own, attribute, kind, missing, threshold, least, above = words
        number = _number(own, "n", MOST_NODES - 1, place)
        if number in self.nodes:
            raise UsageError(f"{place}: {own} again: line {self.lines[number]} has it")
        if kind not in ("r", "n"):
            raise UsageError(f"{place}: {kind}: write r (at most) or n (equal)")
        if not NUMBER.fullmatch(threshold) or abs(Fraction(threshold)) > LARGEST:
            raise UsageError(f"{place}: threshold {threshold}: write a number of 32 bits")
        if kind == "n" and Fraction(threshold).denominator > 1:
            raise UsageError(f"{place}: no value equals {threshold}: write a whole number")
        self.lines[number] = line
        self.nodes[number] = Node(
            attribute=_number(attribute, "a", MOST_ATTRIBUTES - 1, place),
            missing=_number(missing, "c", MOST_CLASSES - 1, place),
            threshold=Fraction(threshold),
            least=_target(least, place),
            above=_target(above, place),
            nominal=kind == "n",
        )

    def _require(self, node: Node, line: int) -> None:
        """Check that what a node names is there."""
        place = f"{self.path}:{line}"
        classes, attributes = self.names["classes"], self.names["attributes"]
        targets = (node.least, node.above)
        named = [t.number for t in targets if t.is_class] + [node.missing]
        if node.attribute >= len(attributes):
            raise UsageError(f"{place}: a_{node.attribute}: there are {len(attributes)} attributes")
        if max(named) >= len(classes):
            raise UsageError(f"{place}: c_{max(named)}: there are {len(classes)} classes")
        for target in targets:
            if not target.is_class and target.number not in self.nodes:
                raise UsageError(f"{place}: {target}: there is no such node")

    def _require_walkable(self) -> None:
        """Check that every node is reached, once, and none too deep."""
        depths = {0: 1}
        waiting = [0]
        while waiting:
            number = waiting.pop()
            place = f"{self.path}:{self.lines[number]}"
            if depths[number] > DEEPEST:
                raise UsageError(f"{place}: more than {DEEPEST} deep: train with a smaller depth")
            node = self.nodes[number]
            for target in (node.least, node.above):
                if target.is_class:
                    continue
                if target.number in depths:
                    raise UsageError(f"{place}: {target} is reached twice: this is no tree")
                depths[target.number] = depths[number] + 1
                waiting.append(target.number)
        for number in self.nodes.keys() - depths.keys():
            raise UsageError(f"{self.path}:{self.lines[number]}: no node leads to n_{number}")


def _number(word: str, kind: str, most: int, place: str) -> int:
    digits = word.removeprefix(f"{kind}_")
    fits = digits != word and digits.isascii() and digits.isdigit() and len(digits) <= 4
    if not fits or int(digits) > most:
        raise UsageError(f"{place}: {word}: write {kind}_0 to {kind}_{most}")
    return int(digits)


def _target(word: str, place: str) -> Target:
    match = TARGET.fullmatch(word)
    if not match or not word.isascii():
        raise UsageError(f"{place}: {word}: write n_ and a node, or c_ and a class")
    if node := match["node"]:
        return Target(int(node), is_class=False)
    return Target(int(match["class"]), is_class=True, confidence=int(match["sure"] or SURE))


def tree(model: Model) -> Iterator[str]:
    """The tree for people, a line a comparison or class, indented by depth."""
    yield from _branch(model, Target(0, is_class=False), 0)


def _branch(model: Model, target: Target, depth: int) -> Iterator[str]:
    node = model.nodes[target.number]
    name, value = model.attributes[node.attribute], _decimal(node.threshold)
    signs = ("=", "!=") if node.nominal else ("<=", ">")
    for sign, way in zip(signs, (node.least, node.above), strict=True):
        line = f"{'  ' * depth}{name} {sign} {value}"
        if way.is_class:
            yield f"{line}: {model.classes[way.number]}"
        else:
            yield line
            yield from _branch(model, way, depth + 1)
