# SPDX-License-Identifier: Apache-2.0
"""Numbers that the page's script prints: the same text as gatemark/number.py prints."""

import math
import random
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from gatemark.number import _SCALES, decimals_of, plain, quantity
from page.visit import opened

pytestmark = pytest.mark.long
CHANCE = random.Random(3)
VALUES = [0.0, 1.0, 999.6, 1000.0, -42.4, 0.004, 27_500.0, 29_790.0, 1e9]
VALUES += [10 ** CHANCE.uniform(-4, 11) for _ in range(300)]
PAIRS = [(value, value * 10 ** CHANCE.uniform(-5, 0)) for value in VALUES if value > 0]


def is_tie(value: float, decimals: int) -> bool:
    """Whether it lies so near the middle of two texts that the languages may round apart."""
    part = abs(value) * 10.0**decimals % 1
    return math.isclose(part, 0.5, abs_tol=1e-6)


def test_a_number_alone_is_that_of_the_reports(browser: Browser, whole: Path) -> None:
    asked = [(value, unit) for value in VALUES for unit in (*_SCALES, "MiB")]
    with opened(browser, whole) as visit:
        made = visit.page.evaluate(
            "all => all.map(([value, unit]) => window.gatemark.number.quantity(value, unit))", asked
        )
    expected = [quantity(*pair) for pair in asked]
    wrong = [
        (pair, ours, theirs)
        for pair, ours, theirs in zip(asked, made, expected, strict=True)
        if ours != theirs
    ]
    assert wrong == []


def test_a_value_ends_where_its_error_lets_it(browser: Browser, whole: Path) -> None:
    with opened(browser, whole) as visit:
        made = visit.page.evaluate(
            "all => all.map(([value, error]) =>"
            " window.gatemark.number.digits(value, [value, value - error, value + error]))",
            PAIRS,
        )
    for (value, error), text in zip(PAIRS, made, strict=True):
        side = max(value - (value - error), (value + error) - value)
        count = decimals_of(value, side)
        assert is_tie(value, count) or text == plain(value, count)


def test_a_tooltip_prints_by_the_same_rule(browser: Browser, whole: Path) -> None:
    with opened(browser, whole) as visit:
        visit.wait()
        visit.hover()
        tip = visit.page.locator("#vg-tooltip-element").inner_text()
    assert "5.00 k packets/s" in tip
    assert visit.said == []
