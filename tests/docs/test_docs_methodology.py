# SPDX-License-Identifier: Apache-2.0
"""METHODOLOGY.md says what the code does: its constants and its tables of levels are compared."""

import importlib
import re
from pathlib import Path

import pytest

from gatemark.commands.man import EXIT_STATUS
from gatemark.quantity import QUANTITIES, UNITS
from gatemark.stats.math import signed
from gatemark.stats.math.interval import Interval, median_interval
from gatemark.stats.math.ranks import inset, p_value
from gatemark.stats.point.warn import Code
from gatemark.stats.verdict.grade import limits

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "METHODOLOGY.md").read_text(encoding="utf-8")
CONSTANTS = re.findall(r"^\| `([A-Z_]+)` \| ([\d.]+) \| (\S+) \|", TEXT, re.MULTILINE)


def table(head: str) -> list[list[float]]:
    """The rows of numbers below a table's head."""
    rows = TEXT.partition(head)[2].partition("\n\n")[0].splitlines()[2:]
    return [[float(cell) for cell in row.strip("| ").split("|")] for row in rows]


def value(name: str, where: str) -> float:
    """A constant as its file has it."""
    if where.endswith(".py"):
        module = where.removeprefix("src/").removesuffix(".py").replace("/", ".")
        return float(getattr(importlib.import_module(module), name))
    found = re.search(rf"^#define {name} (\d+)", (ROOT / where).read_text(), re.MULTILINE)
    assert found, f"no {name} in {where}"
    return float(found[1])


@pytest.mark.parametrize(("name", "quoted", "where"), CONSTANTS)
def test_a_constant_is_that_of_the_code(name: str, quoted: str, where: str) -> None:
    assert float(quoted) == value(name, where)


def test_the_constants_are_found() -> None:
    assert len(CONSTANTS) > 30


@pytest.mark.parametrize("row", table("| n | k | level, % |"))
def test_the_level_of_a_median_is_exact(row: list[float]) -> None:
    n, k, level = row
    found: Interval = median_interval([float(i) for i in range(int(n))])
    assert found.lo + 1 == k
    assert 100 * found.level == pytest.approx(level, abs=0.051)


@pytest.mark.parametrize("row", table("| n = m | least p | level of the interval, % |"))
def test_the_level_of_a_change_is_exact(row: list[float]) -> None:
    n, least, level = int(row[0]), row[1], row[2]
    assert p_value(range(n), range(n, 2 * n)) == pytest.approx(least, abs=5e-5)
    assert 100 * inset(n, n, 0.95)[1] == pytest.approx(level, abs=0.051)


@pytest.mark.parametrize("row", table("| n | least p of pairs | level of their interval, % |"))
def test_the_level_of_a_change_of_pairs_is_exact(row: list[float]) -> None:
    n, least, level = int(row[0]), row[1], row[2]
    assert signed.p_value([float(i + 1) for i in range(n)]) == pytest.approx(least, abs=5.1e-5)
    assert 100 * signed.inset(n, 0.95)[1] == pytest.approx(level, abs=0.051)


@pytest.mark.parametrize("quantity", UNITS)
def test_every_quantity_is_explained(quantity: str) -> None:
    assert quantity in TEXT


def test_the_words_of_each_quantity_are_those_of_the_code() -> None:
    rows = TEXT.partition("| quantity | unit | what it is |\n")[2].partition("\n\n")[0]
    printed = re.findall(r"^\| `(\S+)` \| (.+) \| (.+) \|$", rows, re.MULTILINE)
    assert printed == [(name, *quantity) for name, quantity in QUANTITIES.items()]


@pytest.mark.parametrize("code", Code.__args__)  # type: ignore[attr-defined]
def test_every_warning_is_explained(code: str) -> None:
    assert f"`{code}`" in TEXT


def test_the_limits_of_the_grades_are_those_of_the_report() -> None:
    assert limits() in TEXT


def test_the_exit_codes_are_those_of_the_readme() -> None:
    told = re.findall(r"^\| (\d+) \| ", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert set(told) == set(EXIT_STATUS)
