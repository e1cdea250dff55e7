# SPDX-License-Identifier: Apache-2.0
"""The plans' README has each key of a workload, in the row of each kind that takes it.

And a document of a suite has its plans, the table of the set-up its steps.
"""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from golden import kept

from gatemark.kind.kinds import KINDS
from gatemark.plan.expand import FACTORS, OF_KIND
from gatemark.plan.feature import FEATURES
from gatemark.plan.load import read_suite

ROOT = Path(__file__).resolve().parents[2]
MARK = "made of the docstrings of kind/*/plan.py"
README = ROOT / "src" / "gatemark" / "plans" / "README.md"
ROW = re.compile(r"^\| `([\w.]+)` \| (.*) \|$", re.M)


def keys(cell: str) -> set[str]:
    """The keys of a workload that a cell has; in parentheses are the words that they take."""
    words = re.findall(r"`\[?(?:workload\.)?(\w+)\]?`", re.sub(r"\([^()]*\)", "", cell))
    return set(words) & set(FACTORS)


def tables() -> tuple[set[str], dict[str, set[str]]]:
    """The keys of all kinds, and those of each kind's own row."""
    text = README.read_text(encoding="utf-8").partition("## The workload")[2]
    common, kinds = text.partition("| kind | keys |")[::2]
    rows = {name: keys(cell) for name, cell in ROW.findall(kinds) if name in OF_KIND}
    return {name for name, _ in ROW.findall(common)} & set(FACTORS), rows


def text(kind: str) -> str:
    """The paragraphs of a kind's plan.py below its first line, with links to the pages."""
    words = inspect.getdoc(import_module(f"gatemark.kind.{kind}.plan")) or ""
    below = " ".join(words.partition("\n\n")[2].split())
    return re.sub(r"docs/(?:[\w-]+/)*([\w-]+)\.md", r"[\1](../../../\g<0>)", below)


def test_the_kinds_are_those_of_the_code(request: pytest.FixtureRequest) -> None:
    rows = "".join(f"| `{kind}` | {text(kind)} |\n" for kind in KINDS)
    kept.between(request, README, MARK, f"| kind | keys |\n|---|---|\n{rows}")


def test_each_kind_has_its_keys_in_its_row() -> None:
    common, rows = tables()
    of_kinds = {kind: keys - common for kind, keys in OF_KIND.items()}
    assert {kind: keys - common for kind, keys in rows.items()} == of_kinds


def test_a_key_of_all_kinds_is_of_no_row_alone() -> None:
    """What is of some kinds alone, and stands in the first table, is told there."""
    common, _ = tables()
    assert set(FACTORS) == common | set().union(*OF_KIND.values())


def test_each_feature_has_its_row() -> None:
    section = README.read_text(encoding="utf-8").partition("\n## Features\n")[2]
    rows = re.findall(r"^(?:\||-) `([a-z0-9-]+)", section.partition("\n## ")[0], re.M)
    assert set(FEATURES) - {*rows} == set(), f"give it a row below Features of {README}"


def test_the_algorithms_page_has_each_plan_of_the_suite() -> None:
    text = (ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8")
    rows = {name for name, _ in ROW.findall(text)}
    assert set(read_suite("algorithms").plans) <= rows


def test_the_setup_page_has_what_is_built() -> None:
    """One row for each folder of the package that a step installs into."""
    text = (ROOT / "setup" / "README.md").read_text(encoding="utf-8")
    script = (ROOT / "setup" / "install").read_text(encoding="utf-8")
    for folder in re.findall(r"make -s -C (\w+) install", script):
        makefile = (ROOT / folder / "Makefile").read_text(encoding="utf-8")
        places = re.findall(r"\.\./(src/gatemark/\w+)$", makefile, re.M)
        assert [place for place in places if f"`{place}`" in text], folder
