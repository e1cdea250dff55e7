# SPDX-License-Identifier: Apache-2.0
"""Each fact that a module makes has words, and each value that these name."""

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import gatemark
from gatemark.judge.fact import Fact, fact
from gatemark.tell.fact import say
from gatemark.tell.fact.say import ENTRIES


def made() -> Iterator[tuple[str, set[str] | None]]:
    """The code of each call of `fact`, and the names of its values; None: not all are known."""
    for path in Path(gatemark.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "fact" and node.args:
                names = {keyword.arg for keyword in node.keywords}
                for part in ast.walk(node.args[0]):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.value, None if None in names else {n for n in names if n}


def named(entry: object) -> set[str]:
    """The names of values in the texts of an entry."""
    texts = entry if isinstance(entry, tuple) else (entry,)
    fields = (field for text in texts if isinstance(text, str) for field in Formatter().parse(text))
    return {field[1] for field in fields if field[1]} - {"clause"}


def test_each_fact_has_words_and_gives_their_values() -> None:
    calls = [(code, names) for code, names in made() if code in ENTRIES]
    assert {code for code, _ in made() if code.strip(".") == code} - ENTRIES.keys() == set()
    assert {code for code, _ in calls} >= {"policer", "why.schedule", "advice.all", "queue.too"}
    lacking = {
        (code, name)
        for code, names in calls
        if names is not None
        for name in named(ENTRIES[code]) - names
    }
    assert lacking == set()


def test_parts_of_a_fact_are_in_its_words() -> None:
    rare = fact("share", share=0.02, manner=fact("share.every", nth=50))
    assert say.clause(rare) == "loses 2.0 % at any rate (every 50th packet)"
    assert say.words(fact("counted", finding=rare, counts=None)).startswith("Loses 2.0 % at any")


def test_text_of_a_kind_is_as_it_is() -> None:
    assert say.words("all {that} was asked for") == "all {that} was asked for"


def test_a_strange_name_is_no_format() -> None:
    odd = fact("which.one", name="{0.__class__}", low=1)
    assert say.words(odd) == "the LAN host's {0.__class__} 1"
    assert say.words(fact("level", factor="{x}", level="{y}")) == "{x} {y}"
    assert say.words(Fact("nothing.sent")) == "what is sent"
