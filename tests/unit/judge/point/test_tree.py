# SPDX-License-Identifier: Apache-2.0
"""Calls that came twice are added up; functions left out leave what they called."""

from gatemark.judge.point.tree import Node, squeezed, tree
from gatemark.store.record import Call


def call(depth: int, function: str, ran: int) -> Call:
    return Call(depth=depth, function=function, instructions=ran)


CALLS = (call(0, "rx", 10), call(1, "a", 3), call(2, "b", 2), call(1, "a", 5), call(2, "b", 7))


def test_calls_of_one_shape_are_added_up() -> None:
    inner = Node("b", 2, 9, 9, ())
    assert tree(CALLS, "instructions") == (Node("rx", 1, 10, 27, (Node("a", 2, 8, 17, (inner,)),)),)


def test_what_a_function_left_out_called_stands_where_it_stood() -> None:
    whole = tree(CALLS, "instructions")
    (root,) = squeezed(whole, {"rx", "b"})
    assert [node.function for node in root.inner] == ["b"]
    assert (root.function, root.inner[0].inner) == ("rx", ())
