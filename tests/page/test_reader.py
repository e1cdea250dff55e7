# SPDX-License-Identifier: Apache-2.0
"""What a reader does with the page: scroll, unfold, download, print; wide, narrow and dark."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

import builder
import pytest
from playwright.sync_api import Browser

from gatemark.tell import gallery
from gatemark.tell.chart.figure import Figure
from page.visit import Visit, opened

OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
DRAWN_FOR_PAPER = """() => addEventListener("afterprint", () => {
  window.onPaper = document.querySelectorAll(".plot svg").length;
})"""
# Tables wider than the screen: how many; and those that, moved to their end, no longer show what a
# row is, or whose last value is not in sight beside it.
OUT_OF_SIGHT = """() => {
  const wide = [...document.querySelectorAll(".scroll")].filter((frame) =>
    frame.querySelector("table") && frame.scrollWidth > frame.clientWidth);
  const lost = wide.filter((frame) => {
    frame.scrollLeft = frame.scrollWidth;
    const cells = frame.querySelector("tbody tr").cells;
    const [first, last] = [cells[0], cells[cells.length - 1]].map((c) => c.getBoundingClientRect());
    const box = frame.getBoundingClientRect();
    return Math.abs(first.left - box.left) > 1 || last.left < first.right - 1;
  });
  return [wide.length, lost.map((frame) => frame.getAttribute("aria-label"))];
}"""
# Contrast of each of these texts with the paper, by WCAG 2.2's relative luminance.
CONTRASTS = """([texts, property]) => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  return [...document.querySelectorAll(texts)].map((text) => {
    const ink = light(getComputedStyle(text)[property]);
    return Math.max(ink, paper) / Math.min(ink, paper);
  });
}"""


@cache
def figures() -> list[Figure]:
    """Those of the page that most tests here open."""
    return [*gallery.figures(builder.source())]


def plots() -> int:
    return sum(len(figure.panels) for figure in figures())


@pytest.fixture(scope="module")
def drawn(browser: Browser, whole: Path) -> Iterator[Visit]:
    """A visit that waits until all is drawn."""
    with opened(browser, whole) as visit:
        visit.wait()
        yield visit


@pytest.fixture(scope="module")
def toured(browser: Browser, whole: Path) -> Iterator[Visit]:
    """A visit that has seen and opened everything."""
    with opened(browser, whole) as visit:
        visit.scroll()
        visit.unfold()
        visit.hover()
        visit.page.set_viewport_size({"width": 700, "height": 800})
        yield visit


@pytest.mark.long
def test_a_figure_is_drawn_when_one_scrolls_to_it(browser: Browser, whole: Path) -> None:
    with opened(browser, whole, idle=False) as visit:
        assert visit.scroll() == [True] * plots()


def test_figures_are_drawn_without_scrolling(drawn: Visit) -> None:
    assert drawn.page.locator(".plot svg").count() == plots()


def test_the_console_is_silent_and_no_request_leaves_the_file(drawn: Visit, whole: Path) -> None:
    assert drawn.said == []
    outside = ("data:", "blob:")
    assert [url for url in drawn.asked if not url.startswith(outside)] == [whole.as_uri()]


def test_a_dark_phone_shows_dark_paper_and_need_not_scroll_sideways(
    browser: Browser, whole: Path
) -> None:
    with opened(browser, whole, width=360, scheme="dark") as visit:
        visit.wait()
        assert visit.page.evaluate(OVERFLOW) == 0
        colour = visit.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert max(map(int, re.findall(r"\d+", colour))) < 64


@pytest.mark.long
def test_a_tour_of_everything_is_silent_and_asks_for_nothing(toured: Visit, whole: Path) -> None:
    assert toured.said == []
    outside = ("data:", "blob:")
    assert [url for url in toured.asked if not url.startswith(outside)] == [whole.as_uri()]


@pytest.mark.long
def test_each_download_holds_the_rows_of_its_figure(toured: Visit) -> None:
    for figure in figures():
        expected = [[row[key] for key in figure.columns] for row in figure.rows]
        heads, *lines = toured.download(figure.name)
        assert heads == list(figure.columns.values()), figure.name
        values = [valued(*pair) for pair in zip(lines, expected, strict=True)]
        assert values == expected, figure.name


def valued(line: list[str], like: list[str | float | None]) -> list[str | float | None]:
    """The cells of a line, each as what it should be: number, text or nothing."""
    pairs = zip(line, like, strict=True)
    return [(float(c) if isinstance(v, float | int) else c) if c else None for c, v in pairs]


@pytest.mark.long
def test_a_table_twin_has_a_line_for_each_row(toured: Visit) -> None:
    counts = {f.name: toured.page.locator(f"#{f.name} tbody tr").count() for f in figures()}
    assert counts == {figure.name: len(figure.rows) for figure in figures()}


@pytest.mark.long
def test_an_unfolded_phone_need_not_scroll_sideways(browser: Browser, whole: Path) -> None:
    with opened(browser, whole, width=360) as visit:
        visit.unfold()
        assert visit.page.evaluate(OVERFLOW) == 0


@pytest.mark.long
def test_a_wide_table_keeps_its_first_column_and_a_value_in_sight(
    browser: Browser, whole: Path
) -> None:
    with opened(browser, whole, width=360) as visit:
        visit.unfold()
        wide, lost = visit.page.evaluate(OUT_OF_SIGHT)
    assert wide > 0
    assert lost == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("scheme", "medium"), [("light", "screen"), ("dark", "screen"), ("dark", "print")]
)
def test_figures_can_be_read_on_their_paper(
    browser: Browser,
    whole: Path,
    scheme: Literal["light", "dark"],
    medium: Literal["screen", "print"],
) -> None:
    with opened(browser, whole, scheme=scheme) as visit:
        visit.page.emulate_media(media=medium)
        visit.wait()
        contrasts = visit.page.evaluate(CONTRASTS, [".plot .role-axis-label text", "fill"])
        assert min(contrasts, default=0) >= 4.5


@pytest.mark.long
def test_links_can_be_read_on_the_paper_of_a_dark_screen(browser: Browser, whole: Path) -> None:
    with opened(browser, whole, scheme="dark") as visit:
        visit.page.emulate_media(media="print")
        contrasts = visit.page.evaluate(CONTRASTS, [".findings a", "color"])
        assert min(contrasts, default=0) >= 4.5


@pytest.mark.long
def test_paper_has_several_pages_and_figures_that_nobody_scrolled_to_in_silence(
    browser: Browser, whole: Path
) -> None:
    with opened(browser, whole, idle=False) as visit:
        visit.page.evaluate(DRAWN_FOR_PAPER)
        pages = visit.page.pdf()
        assert visit.page.evaluate("() => window.onPaper") == plots()
        assert len(re.findall(rb"/Type\s*/Page\b", pages)) > 1
        assert visit.said == []


@pytest.mark.long
def test_a_run_without_trials_opens_silently(browser: Browser, empty: Path) -> None:
    with opened(browser, empty) as visit:
        visit.page.evaluate("() => new Promise((done) => requestIdleCallback(done))")
        assert visit.said == []
