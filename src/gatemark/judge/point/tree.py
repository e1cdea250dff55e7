# SPDX-License-Identifier: Apache-2.0
"""A path as a tree: what called what, in order, runs of the same sibling folded into one."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gatemark.judge.point.path import amount
from gatemark.store.record import Call

Stack = tuple[str, ...]  # names, outermost first


@dataclass(frozen=True, slots=True)
class Node:
    """A function as it was called there; with `times` several calls in a row, added up."""

    function: str
    times: int
    own: int  # instructions or ns, without what it called
    whole: int  # with that
    inner: tuple["Node", ...]  # what it called, in order

    @property
    def shape(self) -> tuple[Any, ...]:
        """Names and order alone: siblings of one shape are folded."""
        return self.function, self.times, tuple(node.shape for node in self.inner)

    @property
    def calls(self) -> int:
        """Functions that were entered in it, itself too."""
        return self.times + sum(node.calls for node in self.inner)


@dataclass(slots=True)
class _Open:
    """A call whose inner ones are still coming."""

    call: Call
    inner: list[Node]


def tree(calls: Iterable[Call], of: str) -> tuple[Node, ...]:
    """The outermost calls, in order; `of`: what is told of each, instructions or ns."""
    roots: list[Node] = []
    stack: list[_Open] = []

    def close(depth: int) -> None:
        while stack and stack[-1].call.depth >= depth:
            done = stack.pop()
            (stack[-1].inner if stack else roots).append(_node(done, of))

    for call in calls:
        close(call.depth)
        stack.append(_Open(call, []))
    close(0)
    return tuple(_folded(roots))


def squeezed(nodes: Iterable[Node], kept: Collection[str]) -> Iterator[Node]:
    """The same with these functions alone; what others called stands where they stood."""
    for node in nodes:
        inner = tuple(squeezed(node.inner, kept))
        if node.function in kept:
            yield replace(node, inner=inner)
        else:
            yield from inner


def stacks(calls: Iterable[Call], of: str) -> dict[Stack, int]:
    """What each stack of functions ran by itself, in the order in which it first ran."""
    numbers: dict[Stack, int] = {}
    open_: list[Call] = []
    for call in calls:
        while open_ and open_[-1].depth >= call.depth:
            open_.pop()
        open_.append(call)
        stack = tuple(call.function for call in open_)
        numbers[stack] = numbers.get(stack, 0) + amount(call, of)
    return numbers


def _node(done: _Open, of: str) -> Node:
    inner = tuple(_folded(done.inner))
    own = amount(done.call, of)
    return Node(done.call.function, 1, own, own + sum(node.whole for node in inner), inner)


def _folded(nodes: Sequence[Node]) -> Iterator[Node]:
    held: Node | None = None
    was: tuple[Any, ...] = ()
    for node in nodes:
        if held is not None and node.shape == was:
            held = _both(held, node)
            continue
        if held is not None:
            yield held
        held, was = node, node.shape
    if held is not None:
        yield held


def _both(host: Node, other: Node) -> Node:
    """Two of one shape, added up."""
    return Node(
        host.function,
        host.times + other.times,
        host.own + other.own,
        host.whole + other.whole,
        tuple(map(_both, host.inner, other.inner)),
    )
