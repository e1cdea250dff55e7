# SPDX-License-Identifier: Apache-2.0
"""A stranger's plan opened in a browser: its names stay text."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from page.conftest import HOSTILE
from page.visit import Visit, opened

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def visit(browser: Browser, hostile: Path) -> Iterator[Visit]:
    """A visit that has seen everything, a tooltip too: it is the one text that is made of HTML."""
    with opened(browser, hostile) as visit:
        visit.scroll()
        visit.unfold()
        visit.hover()
        yield visit


def test_nothing_of_a_name_is_run(visit: Visit) -> None:
    assert visit.page.evaluate("() => window.struck") is None


def test_no_element_comes_from_a_name(visit: Visit) -> None:
    assert visit.page.locator("img").count() == 0


def test_a_name_asks_for_nothing(visit: Visit, hostile: Path) -> None:
    assert set(visit.asked) - {"data:,"} <= {hostile.as_uri()}


def test_a_title_is_shown_as_it_was_written(visit: Visit) -> None:
    assert visit.page.locator("h1").text_content() == HOSTILE


def test_a_download_holds_no_formula(visit: Visit) -> None:
    name = visit.page.locator("figure").first.get_attribute("id")
    cells = [cell for line in visit.download(str(name)) for cell in line]
    assert [cell for cell in cells if cell.startswith("=")] == []
