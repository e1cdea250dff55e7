# SPDX-License-Identifier: Apache-2.0
"""The published text of a tree: read, written, and refused with its line."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatemark.classifier import c45
from gatemark.error import UsageError

# As the report's program reads it: blanks and tabs, comments, a fraction, no header of ours.
PUBLISHED = """\
# a comment
classes other game
attributes mean.plen\tfpckts.pcnt

n_0 a_1 r c_0 12.5 n_1 c_1
  n_1 a_0 n c_1 84 c_1 c_0
"""
HEAD = "classes other game\nattributes mean.plen fpckts.pcnt\n"
WHERE = Path("tree.c45")


def chain(nodes: int) -> str:
    lines = [f"n_{at} a_0 r c_0 {at} n_{at + 1} c_1" for at in range(nodes - 1)]
    return "\n".join((HEAD.strip(), *lines, f"n_{nodes - 1} a_0 r c_0 1 c_0 c_1"))


def test_a_published_tree_decides() -> None:
    tree = c45.read(PUBLISHED, WHERE)
    names = {values: tree.decide(values) for values in ((84, 12), (85, 12), (84, 13), (85, 13))}
    assert names == {(84, 12): "game", (85, 12): "other", (84, 13): "game", (85, 13): "game"}


def test_what_is_written_is_read_again() -> None:
    model = c45.read("# window: 20\n" + PUBLISHED, WHERE)
    assert c45.read(c45.write(model), WHERE) == model
    assert dict(model.header) == {"window": "20"}


def test_a_confidence_is_kept() -> None:
    text = HEAD + "n_0 a_0 r c_0 1 c_0:55 c_1\n"
    assert c45.write(c45.read(text, WHERE)) == text


def test_a_tree_for_people_has_a_line_for_each_class() -> None:
    assert list(c45.tree(c45.read(PUBLISHED, WHERE))) == [
        "fpckts.pcnt <= 12.5",
        "  mean.plen = 84: game",
        "  mean.plen != 84: other",
        "fpckts.pcnt > 12.5: game",
    ]


def test_the_deepest_tree_is_read() -> None:
    assert c45.read(chain(c45.DEEPEST), WHERE).depth == c45.DEEPEST


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("", 1, "classes"),
        ("classes a b\n", 1, "attributes"),
        (HEAD, 1, "n_0"),
        (HEAD + "classes a\n", 3, "second"),
        ("classes a a\n", 1, "twice"),
        ("classes\n", 1, "write 1 to 255"),
        (HEAD + "n_0 a_0 r c_0 1 c_0\n", 3, "6 words"),
        (HEAD + "\n<html>\n", 4, "1 words"),
        (HEAD + "n_4095 a_0 r c_0 1 c_0 c_1\n", 3, "n_4094"),
        (HEAD + "n_0 a_0 n c_0 1.5 c_0 c_1\n", 3, "no value equals"),
        (HEAD + "n_0 a_0 r c_0 1 c_0 c_1:101\n", 3, "a class"),
        (HEAD + "n_0 a_0 r c_0 1 n_1 n_1\nn_1 a_0 r c_0 1 c_0 c_1\n", 3, "reached twice"),
        (HEAD + "n_0 a_2 r c_0 1 c_0 c_1\n", 3, "2 attributes"),
        (HEAD + "n_0 a_0 x c_0 1 c_0 c_1\n", 3, "write r"),
        (HEAD + "n_0 a_0 r c_2 1 c_0 c_1\n", 3, "2 classes"),
        (HEAD + "n_0 a_0 r c_0 1 c_0 c_7\n", 3, "2 classes"),
        (HEAD + "n_0 a_0 r c_0 1e3 c_0 c_1\n", 3, "threshold"),
        (HEAD + "n_0 a_0 r c_0 nan c_0 c_1\n", 3, "threshold"),
        (HEAD + "n_0 a_0 r c_0 2147483648 c_0 c_1\n", 3, "32 bits"),
        (HEAD + "n_0 a_0 r c_0 1 c_0 n_9\n", 3, "no such node"),
        (HEAD + "n_0 a_0 r c_0 1 c_0 a_1\n", 3, "a class"),
        (HEAD + "n_0 a_0 r c_0 1 c_0 c_1\nn_0 a_0 r c_0 1 c_0 c_1\n", 4, "again"),
        (HEAD + "n_0 a_0 r c_0 1 c_0 c_1\nn_5 a_0 r c_0 1 c_0 c_1\n", 4, "no node leads"),
        (HEAD + "n_0 a_0 r c_0 1 n_1 c_1\nn_1 a_0 r c_0 1 n_0 c_1\n", 4, "reached twice"),
        (chain(c45.DEEPEST + 1), 3 + c45.DEEPEST, "deep"),
    ],
)
def test_a_tree_that_no_gateway_would_walk_is_refused_with_its_line(
    text: str, line: int, why: str
) -> None:
    with pytest.raises(UsageError, match=why) as refused:
        c45.read(text, WHERE)
    assert str(refused.value).startswith(f"tree.c45:{line}: ")


WORD = st.sampled_from(
    ["#", "classes", "attributes", "a", "n_0", "n_1", "a_0", "r", "n", "c_0", "c_9", "1", "-2.5"]
)


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(st.lists(WORD, max_size=8).map(" ".join), max_size=6).map("\n".join) | st.text())
def test_any_text_is_a_model_or_is_refused(text: str) -> None:
    try:
        model = c45.read(text, WHERE)
    except UsageError:
        return
    assert model.decide([0] * len(model.attributes)) in model.classes
