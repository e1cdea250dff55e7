# SPDX-License-Identifier: Apache-2.0
"""The site of the documents: whole, small, silent, and found by search."""

import functools
import shutil
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote_plus, unquote, urlsplit

import pytest

from gatemark.tell.explain.entry import entries

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 20_000_000
FEW = 3  # results that a reader looks at first
LOADED = {"link", "script", "img", "iframe", "source"}  # what a browser fetches by itself
PATIENCE_MS = 60_000


class Links(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "__skip"}
        self.links: list[tuple[str, str]] = []  # tag, target
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if name in ("href", "src") and value:
                self.links.append((tag, value))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    argv = [ROOT / "setup/site", folder]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@functools.cache
def parsed(page: Path) -> Links:
    return Links(page.read_text(encoding="utf-8"))


def broken(site: Path) -> Iterator[str]:
    """Each link of a page that leads to no file, or to no place of one."""
    for page in sorted(site.rglob("*.html")):
        for _, link in parsed(page).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or page.name == "404.html":
                continue
            goal = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            is_there = goal.is_file()
            if is_there and goal.suffix == ".html" and "examples" not in goal.parts:
                is_there = unquote(parts.fragment) in parsed(goal).anchors
            if not is_there:
                yield f"{page.relative_to(site)}: {link}"


def test_every_link_leads_to_a_page_and_a_place(site: Path) -> None:
    assert sorted(set(broken(site))) == []


def test_it_fetches_nothing_from_elsewhere(site: Path) -> None:
    assert {
        f"{page.relative_to(site)}: {link}"
        for page in site.rglob("*.html")
        for tag, link in parsed(page).links
        if tag in LOADED and urlsplit(link).netloc and "canonical" not in link
    } == set()


def test_it_is_small(site: Path) -> None:
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < MOST_BYTES


def test_every_word_that_is_explained_has_a_page_that_reports_link_to(site: Path) -> None:
    pages = [site / entry.place.replace(".md", ".html") for entry in entries()]
    assert [page for page in pages if not page.is_file()] == []
    linked = {link for page in site.glob("examples/*.html") for _, link in parsed(page).links}
    assert "../docs/numbers/quantity/knee.html" in linked


@pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium: apt-get install chromium")
@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("knee", "docs/numbers/quantity/knee.html"),
        ("enough for my line", "docs/numbers/quantity/line-share.html"),
        ("capture with wireshark", "docs/capture.html"),
    ],
)
def test_a_newcomers_question_is_among_the_first_answers(
    question: str, page: str, site: Path
) -> None:
    from playwright.sync_api import sync_playwright

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, sync_playwright() as driver:
        Thread(target=server.serve_forever, daemon=True).start()
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        visit = browser.new_page()
        visit.goto(f"http://127.0.0.1:{server.server_port}/index.html")
        visit.keyboard.press("/")
        # Letters that come before the field has the focus are lost.
        visit.get_by_role("combobox").fill(question, timeout=PATIENCE_MS)
        # A result's link has what was looked for behind the page, as no other link has.
        result = f'a[href*="?h={quote_plus(question)}"]'
        visit.locator(result).first.wait_for(timeout=PATIENCE_MS)
        links = visit.locator(result).evaluate_all("all => all.map((a) => a.href)")
        browser.close()
        server.shutdown()
    assert page in " ".join(links[:FEW])
