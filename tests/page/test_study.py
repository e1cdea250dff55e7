# SPDX-License-Identifier: Apache-2.0
"""The page of studies: curves over sizes, grouped bars, changes, published values."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import studies
from playwright.sync_api import Browser

from gatemark.tell import gallery
from gatemark.tell.chart.figure import Figure
from page.visit import Visit, opened

pytestmark = pytest.mark.long
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Pixels that any text of a plot reaches beyond the plot: it would be cut off there.
CUT = """() => Math.max(...[...document.querySelectorAll(".plot")].map((plot) => {
  const frame = plot.getBoundingClientRect();
  const beyond = (text) => Math.max(frame.left - text.left, text.right - frame.right);
  const texts = [...plot.querySelectorAll("svg text")];
  return Math.max(...texts.map((text) => beyond(text.getBoundingClientRect())));
}))"""


@cache
def figures() -> list[Figure]:
    """Those of the page."""
    return [*gallery.figures(studies.source())]


@pytest.fixture(scope="module")
def toured(browser: Browser, studied: Path) -> Iterator[Visit]:
    """A visit that has seen and opened everything."""
    with opened(browser, studied) as visit:
        visit.wait()
        visit.unfold()
        visit.hover()
        yield visit


def test_every_figure_is_drawn_in_silence(toured: Visit) -> None:
    plots = sum(len(figure.panels) for figure in figures())
    assert toured.page.locator(".plot svg").count() == plots
    assert toured.said == []


def test_every_published_value_that_is_near_has_a_hollow_marker(toured: Visit) -> None:
    hollow = [row for f in figures() for row in f.extra.get(f"{f.name}-published", [])]
    marks = ".plot svg .role-mark.mark-symbol path[stroke-width='1.6']"
    assert toured.page.locator(marks).count() == len(hollow) > 0


def test_a_table_twin_has_a_line_for_each_row(toured: Visit) -> None:
    counts = {f.name: toured.page.locator(f"#{f.name} tbody tr").count() for f in figures()}
    assert counts == {figure.name: len(figure.rows) for figure in figures()}


def test_answers_are_not_folded(toured: Visit) -> None:
    for name in ("payload-0", "comparisons", "published"):
        assert toured.page.locator(f"#answers > .scroll > #{name}").count() == 1


@pytest.mark.parametrize("width", [360, 900, 1600])
def test_no_text_is_cut_off(browser: Browser, studied: Path, width: int) -> None:
    with opened(browser, studied, width=width) as visit:
        visit.wait()
        assert visit.page.evaluate(OVERFLOW) == 0
        assert visit.page.evaluate(CUT) <= 1
