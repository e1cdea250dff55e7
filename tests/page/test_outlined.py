# SPDX-License-Identifier: Apache-2.0
"""The page of a study in a browser: its figures are drawn, and nothing is wider than a phone."""

from pathlib import Path

import outlined
import pytest
from playwright.sync_api import Browser

from gatemark.store.directory import RunDirectory
from gatemark.store.study.outline import outline
from gatemark.tell.group.source import judged
from gatemark.tell.study import report
from page.visit import opened

pytestmark = pytest.mark.long
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def kofler(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Home routers for multimedia, beside a made-up run."""
    folder = tmp_path_factory.mktemp("kofler")
    run = outlined.keep(folder / "run").path
    kept = judged(RunDirectory.open(run).contents(), run)
    return report.write(outline("kofler"), [kept], folder / "study.html")


@pytest.mark.parametrize("width", [360, 900, 1600])
def test_all_is_drawn_in_silence_and_fits(browser: Browser, kofler: Path, width: int) -> None:
    with opened(browser, kofler, width=width) as visit:
        visit.wait()
        assert visit.page.locator(".plot svg").count() > 3
        assert visit.page.evaluate(OVERFLOW) == 0
        assert visit.said == []


def test_a_part_is_reached_from_the_list_on_top(browser: Browser, kofler: Path) -> None:
    with opened(browser, kofler) as visit:
        visit.page.get_by_role("link", name="Figure 1: Outgoing TCP").click()
        visit.page.wait_for_url("**#part-4")
