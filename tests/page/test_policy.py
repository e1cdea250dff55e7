# SPDX-License-Identifier: Apache-2.0
"""The page's policy: its own scripts and styles and no other, were a name ever let through."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from page.visit import Visit, opened

pytestmark = pytest.mark.long
# As if a name had not been escaped: markup of a stranger in the body.
PLANTED = """<body>
<script>window.struck = 1</script>
<img src="x" onerror="window.struck = 1">
<a id="strike" href="javascript:window.struck = 1">more</a>
<style>h1 { color: rgb(1, 2, 3) }</style>
<p id="styled" style="color: rgb(1, 2, 3)">text</p>
"""
# Later, since the driver's own call may evaluate what the page may not.
EVAL = """() => new Promise((done) => setTimeout(() => {
  try { done(eval("1")); } catch (error) { done(error.name); }
}))"""
COLOUR = "(text) => getComputedStyle(text).color"


@pytest.fixture(scope="module")
def struck(browser: Browser, empty: Path) -> Iterator[Visit]:
    """A visit to a page that a stranger has written into."""
    page = empty.with_name("struck.html")
    page.write_text(empty.read_text("utf-8").replace("<body>\n", PLANTED, 1), "utf-8")
    with opened(browser, page) as visit:
        visit.page.locator("#strike").click()
        yield visit


def test_no_script_of_another_runs(struck: Visit) -> None:
    assert struck.page.evaluate("() => window.struck") is None


def test_nothing_is_evaluated(struck: Visit) -> None:
    assert struck.page.evaluate(EVAL) == "EvalError"


@pytest.mark.parametrize("text", ["h1", "#styled"])
def test_no_style_of_another_is_taken(struck: Visit, text: str) -> None:
    assert struck.page.locator(text).evaluate(COLOUR) != "rgb(1, 2, 3)"


@pytest.mark.parametrize(
    "kind",
    [
        "empty",
        "indexed",
        "hostile",
        *("sample", "damaged", "lacking"),
    ],
)
def test_a_page_keeps_its_own_policy(
    browser: Browser, request: pytest.FixtureRequest, kind: str
) -> None:
    with opened(browser, request.getfixturevalue(kind)) as visit:
        visit.wait()
        assert visit.said == []


def test_the_policy_allows_nothing_unsafe(empty: Path, indexed: Path) -> None:
    for page in (empty, indexed):
        head = page.read_text("utf-8").partition("<title>")[0]
        assert "default-src &#39;none&#39;; script-src &#39;sha256-" in head
        assert "unsafe" not in head
