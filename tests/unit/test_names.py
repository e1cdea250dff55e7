# SPDX-License-Identifier: Apache-2.0
"""Names say what a thing is: words that fit anything name no file, no function and no variable."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(path for top in ("src", "benchmarks") for path in (ROOT / top).rglob("*.py"))
FILES = {"within", "outside", "inside", "apart", "held"}
FILES |= {"typed", "whole", "means", "beside", "word"}
NAMES = {"one", "found", "said", "told", "mine"}


def named(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that a module gives, with its line: variables, parameters, functions, fields."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield node.lineno, name.removeprefix("_")
            case ast.ExceptHandler(name=str(name)):
                yield node.lineno, name


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_name_is_the_noun_of_its_thing(path: Path) -> None:
    given = named(ast.parse(path.read_text()))
    where = path.relative_to(ROOT)
    assert [f"{where}:{line}: {name}" for line, name in given if name in NAMES] == []


def test_a_file_is_named_for_what_is_in_it() -> None:
    assert [path for path in SOURCES if path.stem in FILES] == []


def test_a_planted_name_is_found() -> None:
    text = "for one in ():\n    pass\ndef _told(mine): ...\ntry: ...\nexcept OSError as said: ...\n"
    planted = sorted(name for _, name in named(ast.parse(text)) if name in NAMES)
    assert planted == ["mine", "one", "said", "told"]
