# SPDX-License-Identifier: Apache-2.0
"""The page of delays: distributions and delay over time, drawn without a word of complaint."""

from collections.abc import Iterator

import pytest
import timed
from playwright.sync_api import Browser

from gatemark.tell import gallery, page
from page.visit import Visit, opened

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def toured(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """A visit that has seen and opened everything."""
    path = tmp_path_factory.mktemp("timed") / "report.html"
    with opened(browser, page.write([timed.source()], path)) as visit:
        visit.wait()
        visit.unfold()
        yield visit


def test_every_figure_is_drawn_in_silence(toured: Visit) -> None:
    plots = sum(len(figure.panels) for figure in gallery.figures(timed.source()))
    assert toured.page.locator(".plot svg").count() == plots
    assert toured.said == []


def test_the_card_leads_to_the_table_of_delays(toured: Visit) -> None:
    toured.page.get_by_label("Evidence for One-way delay: route").click()
    toured.page.wait_for_url("**#delays")
    toured.page.locator("#delays").wait_for()
