# SPDX-License-Identifier: Apache-2.0
"""The first screen: the answer, small cards, and the first figure without scrolling."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from page.visit import opened

pytestmark = pytest.mark.long
BOTTOM = "() => document.querySelector('.plot').getBoundingClientRect().bottom"
# Rows of a figure's panels in which a single panel leaves more than a third of the width empty.
ORPHANS = """() => [...document.querySelectorAll(".panels")].filter((panels) => {
  const frame = panels.getBoundingClientRect();
  const last = panels.lastElementChild.getBoundingClientRect();
  return last.left - frame.left < 1 && last.width < frame.width * 2 / 3;
}).map((panels) => panels.parentElement.id)"""
PHONE = 800  # pixels: the height of a phone's screen


@pytest.mark.parametrize("name", ["whole", "studied", "sample"])
def test_the_first_figure_is_above_the_fold(
    browser: Browser, request: pytest.FixtureRequest, name: str
) -> None:
    page = request.getfixturevalue(name)
    with opened(browser, page, width=1600, height=1000) as visit:
        visit.wait()
        assert visit.page.evaluate(BOTTOM) <= 1000


@pytest.mark.parametrize("name", ["whole", "studied", "sample"])
def test_the_first_figure_is_on_the_second_screen_of_a_phone(
    browser: Browser, request: pytest.FixtureRequest, name: str
) -> None:
    with opened(browser, request.getfixturevalue(name), width=360, height=PHONE) as visit:
        visit.wait()
        assert visit.page.evaluate(BOTTOM) <= 2 * PHONE


@pytest.mark.parametrize("width", [360, 900, 1280, 1600])
def test_no_panel_stands_alone_in_a_row(browser: Browser, studied: Path, width: int) -> None:
    with opened(browser, studied, width=width) as visit:
        visit.wait()
        assert visit.page.evaluate(ORPHANS) == []


def test_a_card_hides_what_is_more_than_its_line(browser: Browser, whole: Path) -> None:
    with opened(browser, whole) as visit:
        card = visit.page.locator(".cards li").first
        assert card.locator("details p").first.is_visible() is False
        card.locator("summary").press("Enter")
        assert card.locator("details p").first.is_visible()


def test_each_card_has_a_picture_with_a_name(browser: Browser, whole: Path) -> None:
    with opened(browser, whole) as visit:
        names = visit.page.eval_on_selector_all(
            ".cards li svg[role=img]", "all => all.map((svg) => svg.getAttribute('aria-label'))"
        )
        assert len(names) == visit.page.locator(".cards li").count()
        assert all(names)
