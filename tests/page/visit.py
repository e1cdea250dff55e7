# SPDX-License-Identifier: Apache-2.0
"""A visit to a page: what a reader does there, what the page says and what it asks for."""

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page

# Without an idle browser a figure is drawn only because someone comes to see it.
NEVER_IDLE = "window.requestIdleCallback = () => 0"
DRAWN = "plot => plot.querySelector('svg .role-mark :is(path, line, text)') !== null"
ALL_DRAWN = f"() => [...document.querySelectorAll('.plot')].every({DRAWN})"
UNFOLD = "() => document.querySelectorAll('details').forEach((fold) => { fold.open = true })"
PATIENCE_MS = 60_000  # on a busy machine


@dataclass(frozen=True, slots=True)
class Visit:
    """An open page; `said` is its console and its uncaught errors, `asked` the URLs it wanted."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def scroll(self) -> list[bool]:
        """Go to one plot after the other: whether each was drawn, waiting for it a while."""
        return [self._see(place) for place in range(self.page.locator(".plot").count())]

    def _see(self, place: int) -> bool:
        plot = self.page.locator(".plot").nth(place)
        plot.scroll_into_view_if_needed()
        mark = plot.locator("svg .role-mark :is(path, line, text)")
        mark.first.wait_for(state="attached")
        return bool(plot.evaluate(DRAWN))

    def wait(self) -> None:
        """Until every figure is drawn, without going there."""
        self.page.wait_for_function(ALL_DRAWN)

    def unfold(self) -> None:
        """Open every fold; what opens builds its table a moment later."""
        self.page.evaluate(UNFOLD)
        twins = "() => [...document.querySelectorAll('[data-twin]')].every((f) => f.children[1])"
        self.page.wait_for_function(twins)

    def hover(self) -> None:
        """Point at the first point of the first figure until its values are shown."""
        # Forced: the same point of another arm or layer may lie on it.
        self.page.locator("figure .role-mark.mark-symbol path").first.hover(force=True)
        self.page.locator("#vg-tooltip-element.visible").wait_for()

    def download(self, name: str) -> list[list[str]]:
        """The CSV file of the figure `name`, its heads first."""
        with self.page.expect_download() as caught:
            self.page.locator(f"#{name} [data-csv]").click()
        text = caught.value.path().read_bytes().decode("utf-8")
        return list(csv.reader(io.StringIO(text, newline="")))


@contextmanager
def opened(
    browser: Browser,
    path: Path,
    *,
    width: int = 1280,
    height: int = 800,
    scheme: Literal["light", "dark"] = "light",
    idle: bool = True,
) -> Iterator[Visit]:
    """Open the file in a window of its own, offline."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, offline=True
    )
    if not idle:
        context.add_init_script(NEVER_IDLE)
    context.set_default_timeout(PATIENCE_MS)
    visit = Visit(context.new_page())
    visit.page.on("console", lambda message: visit.said.append(f"{message.type}: {message.text}"))
    visit.page.on("pageerror", lambda error: visit.said.append(f"uncaught: {error}"))
    context.on("request", lambda request: visit.asked.append(request.url))
    try:
        visit.page.goto(path.as_uri())
        yield visit
    finally:
        context.close()
