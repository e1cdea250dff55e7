# SPDX-License-Identifier: Apache-2.0
"""The page of queues: curves, packets, sawteeth and points, drawn without a word of complaint."""

from collections.abc import Iterator

import pytest
import queued
from playwright.sync_api import Browser

from gatemark.tell import gallery, page
from page.visit import Visit, opened

pytestmark = pytest.mark.long
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def toured(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """A visit on a small screen that has seen everything."""
    path = tmp_path_factory.mktemp("queued") / "report.html"
    with opened(browser, page.write([queued.source()], path), width=360) as visit:
        visit.wait()
        yield visit


def test_every_figure_is_drawn_in_silence_and_no_wider_than_the_screen(toured: Visit) -> None:
    plots = sum(len(figure.panels) for figure in gallery.figures(queued.source()))
    assert toured.page.locator(".plot svg").count() == plots
    assert toured.said == []
    assert toured.page.evaluate(OVERFLOW) == 0


def test_lost_packets_have_their_marks(toured: Visit) -> None:
    (figure,) = (f for f in gallery.figures(queued.source()) if f.name.startswith("packets-"))
    lost = sum(row["kind"] == "lost" for row in figure.rows)
    # All other marks of the figure are in a setup's colour.
    marks = f"#{figure.name} .plot svg .mark-symbol path[fill='var(--ink)']"
    assert toured.page.locator(marks).count() == lost > 0
