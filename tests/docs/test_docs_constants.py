# SPDX-License-Identifier: Apache-2.0
"""What the documents say of numbers is what the code does: constants, and tables of levels."""

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

from gatemark.judge.math import signed
from gatemark.judge.math.interval import Interval, median_interval
from gatemark.judge.math.ranks import inset, p_value
from gatemark.judge.verdict.grade import limits

ROOT = Path(__file__).resolve().parents[2]
CONSTANT = re.compile(r"^\| `([A-Z_]+)` \| ([\d.]+) \| (\S+) \|", re.MULTILINE)


@cache
def text(name: str = "docs/numbers/constants.md") -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def table(name: str, head: str) -> list[list[float]]:
    """The rows of numbers below a table's head in a document."""
    rows = text(name).partition(head)[2].partition("\n\n")[0].splitlines()[2:]
    return [[float(cell) for cell in row.strip("| ").split("|")] for row in rows]


def value(name: str, where: str) -> float:
    """A constant as its file has it."""
    if where.endswith(".py"):
        module = where.removeprefix("src/").removesuffix(".py").replace("/", ".")
        return float(getattr(importlib.import_module(module), name))
    found = re.search(rf"^#define {name} (\d+)", (ROOT / where).read_text(), re.MULTILINE)
    assert found, f"no {name} in {where}"
    return float(found[1])


def test_every_constant_is_that_of_the_code() -> None:
    constants = CONSTANT.findall(text())
    assert len(constants) > 30
    wrong = [row for row in constants if float(row[1]) != value(row[0], row[2])]
    assert wrong == []


def test_the_level_of_a_median_is_exact() -> None:
    rows = table("docs/numbers/quantity/interval.md", "| n | k | level, % |")
    assert rows
    for n, k, level in rows:
        interval: Interval = median_interval([float(i) for i in range(int(n))])
        assert interval.lo + 1 == k, n
        assert 100 * interval.level == pytest.approx(level, abs=0.051), n


def test_the_level_of_a_change_is_exact() -> None:
    rows = table(
        "docs/numbers/quantity/change.md", "| n = m | least p | level of the interval, % |"
    )
    assert rows
    for row in rows:
        n, least, level = int(row[0]), row[1], row[2]
        assert p_value(range(n), range(n, 2 * n)) == pytest.approx(least, abs=5e-5), n
        assert 100 * inset(n, n, 0.95)[1] == pytest.approx(level, abs=0.051), n


def test_the_level_of_a_change_of_pairs_is_exact() -> None:
    page = "docs/numbers/quantity/change.md"
    rows = table(page, "| n | least p of pairs | level of their interval, % |")
    assert rows
    for row in rows:
        n, least, level = int(row[0]), row[1], row[2]
        pairs = [float(i + 1) for i in range(n)]
        assert signed.p_value(pairs) == pytest.approx(least, abs=5.1e-5), n
        assert 100 * signed.inset(n, 0.95)[1] == pytest.approx(level, abs=0.051), n


def test_the_limits_of_the_grades_are_those_of_the_report() -> None:
    grade = " ".join(text("docs/numbers/verdict/grade.md").split())
    assert limits() in grade
