# SPDX-License-Identifier: Apache-2.0
"""A word is explained where it stands: on a click, by keyboard, without network and in a window."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from page.visit import Visit, opened

pytestmark = pytest.mark.long
OPEN = ".explained:popover-open"
KNEE = "#knees [popovertarget='explain-quantity-knee']"
FITS = """() => [document.documentElement, document.querySelector(".explained:popover-open")]
  .every((box) => box.scrollWidth <= box.clientWidth)"""


@pytest.fixture
def visit(browser: Browser, sample: Path) -> Iterator[Visit]:
    """The page of the run that README shows, with its folds open."""
    with opened(browser, sample) as visit:
        visit.unfold()
        yield visit


def test_a_head_a_warning_and_a_bottleneck_open_their_pages(visit: Visit) -> None:
    for button, title in (
        (KNEE, "Knee"),
        ("#conditions .word:text-is('spread')", "spread"),
        ("#every-point .word:text-is('cpu')", "cpu"),
        (".cards .word:text-is('CPU')", "cpu"),
    ):
        visit.page.locator(button).first.click()
        assert visit.page.locator(f"{OPEN} h2").inner_text().split()[0] == title
        visit.page.locator(f"{OPEN} button").click()
        assert visit.page.locator(OPEN).count() == 0


def test_what_opens_has_formula_faults_trials_and_commands(visit: Visit) -> None:
    visit.page.locator(KNEE).click()
    heads = visit.page.locator(f"{OPEN} dt").all_inner_texts()
    assert [head.split(":")[0] for head in heads] == [
        "Formula",
        "What can fool you",
        "Its trials",
        "What to type",
    ]
    text = visit.page.locator(OPEN).inner_text()
    assert "/outside" in text
    assert "gatemark run quick/sweep" in text


def test_keys_open_and_close_it(visit: Visit) -> None:
    visit.page.locator(KNEE).press("Enter")
    assert visit.page.locator(OPEN).count() == 1
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate("document.activeElement.textContent") == "Close"
    visit.page.keyboard.press("Escape")
    assert visit.page.locator(OPEN).count() == 0
    assert visit.page.evaluate("document.activeElement.className") == "ask"


def test_a_head_still_sorts(visit: Visit) -> None:
    visit.page.locator("#knees .sort", has_text="knee, k").click()
    assert visit.page.locator("#knees th[aria-sort]").count() == 1
    assert visit.page.locator(OPEN).count() == 0


def test_it_asks_for_nothing(visit: Visit, sample: Path) -> None:
    visit.page.locator(KNEE).click()
    assert [url for url in visit.asked if url != sample.as_uri() and url[:5] != "data:"] == []
    assert visit.said == []


@pytest.mark.parametrize("width", [360, 1600])
def test_every_word_fits_into_the_window(browser: Browser, sample: Path, width: int) -> None:
    with opened(browser, sample, width=width) as visit:
        boxes = visit.page.locator(".explained")
        assert boxes.count() > 10
        for place in range(boxes.count()):
            boxes.nth(place).evaluate("box => box.showPopover()")
            assert visit.page.evaluate(FITS), boxes.nth(place).get_attribute("id")
            boxes.nth(place).evaluate("box => box.hidePopover()")
