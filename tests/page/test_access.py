# SPDX-License-Identifier: Apache-2.0
"""Who cannot see or point reads the page as well: axe-core's rules, a walk by keyboard alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from gatemark.tell.words import number
from page.visit import Visit, opened

pytestmark = pytest.mark.long
FURTHER = (("compared", "dark"), ("damaged", "light"), ("indexed", "light"), ("indexed", "dark"))
# A drawing is one picture with a name; test_reader asks for its contrasts.
DRAWN = ".plot svg"
# Everything that the Tab key should reach, as the browser itself sees it.
REACHABLE = """() => {
  const stops = document.querySelectorAll("a[href], button, summary, input, [tabindex='0']");
  return [...stops].filter((one) => one.checkVisibility()).length;
}"""
FOCUSED = """() => {
  const here = document.activeElement;
  if (here === document.body) return null;
  const style = getComputedStyle(here);
  const name = here.getAttribute("aria-label") || here.textContent.trim() || here.type;
  return { tag: here.tagName, name, outlined: style.outlineStyle !== "none" };
}"""


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("whole", "dark"),
        ("studied", "light"),
        *FURTHER,
    ],
)
def test_axe_finds_no_fault(
    browser: Browser, request: pytest.FixtureRequest, name: str, scheme: Literal["light", "dark"]
) -> None:
    with opened(browser, request.getfixturevalue(name), scheme=scheme) as visit:
        visit.wait()
        assert faults(visit) == []


def test_axe_finds_no_fault_behind_the_folds(browser: Browser, whole: Path) -> None:
    """On one page: the tables of all come from one template, and axe takes its time with them."""
    with opened(browser, whole) as visit:
        visit.wait()
        visit.unfold()
        assert faults(visit) == []


def faults(visit: Visit) -> list[tuple[str, str, str]]:
    """What axe-core finds wrong: rule, weight, where first."""
    asked = {"resultTypes": ["violations"]}  # what is well takes it long to tell
    found = Axe().run(visit.page, {"exclude": [DRAWN]}, asked).response["violations"]
    return [(fault["id"], fault["impact"], fault["nodes"][0]["html"]) for fault in found]


def test_each_drawing_has_a_name(browser: Browser, studied: Path) -> None:
    with opened(browser, studied) as visit:
        visit.wait()
        names = visit.page.eval_on_selector_all(DRAWN, "all => all.map((svg) => svg.ariaLabel)")
    assert names
    assert all(names)


@pytest.fixture
def visit(browser: Browser, whole: Path) -> Iterator[Visit]:
    with opened(browser, whole) as visit:
        visit.wait()
        yield visit


def test_tab_reaches_everything_and_shows_where_it_is(visit: Visit) -> None:
    stops = []
    for _ in range(300):
        visit.page.keyboard.press("Tab")
        stop = visit.page.evaluate(FOCUSED)
        if stop is None:
            break
        stops.append(stop)
    assert stops[0]["name"] == "Skip to the answer"
    assert len(stops) == visit.page.evaluate(REACHABLE)
    assert [stop for stop in stops if not stop["outlined"] or not stop["name"]] == []


def test_a_fold_opens_by_key_and_its_table_sorts(visit: Visit) -> None:
    visit.page.locator("#tables > summary").press("Enter")
    head = visit.page.locator("#every-point thead button", has_text="received")
    place = head.evaluate("button => button.parentElement.cellIndex")
    cells = visit.page.locator(f"#every-point tbody tr > :nth-child({place + 1})")

    def rates() -> list[float]:
        texts = [text for text in cells.all_text_contents() if text != number.DASH]
        return [float(text.removeprefix(number.AT_LEAST).split(" ")[0]) for text in texts]

    head.press("Enter")
    assert rates() == sorted(rates())
    head.press("Enter")
    assert rates() == sorted(rates(), reverse=True)
    told = "#every-point th[aria-sort=descending]"
    assert visit.page.locator(told).count() == 1


def test_a_third_press_gives_the_order_of_the_plan_back(visit: Visit) -> None:
    visit.page.locator("#tables > summary").press("Enter")
    rows = visit.page.locator("#every-point tbody tr")
    before = rows.all_text_contents()
    head = visit.page.locator("#every-point thead button", has_text="loss")
    for _ in range(3):
        head.press("Enter")
    assert rows.all_text_contents() == before


def test_typed_words_leave_the_rows_that_have_them(visit: Visit) -> None:
    visit.page.locator("#tables > summary").press("Enter")
    field = visit.page.locator("label.filter:has(+ #every-point) input")
    field.press_sequentially("nat DOWN 20")
    rows = visit.page.locator("#every-point tbody tr:visible")
    assert 0 < rows.count() < visit.page.locator("#every-point tbody tr").count()
    for text in rows.all_text_contents():
        assert "nat" in text
        assert "↓ down" in text


def test_each_link_to_evidence_leads_to_what_can_be_seen(visit: Visit) -> None:
    for link in visit.page.locator("a[aria-label^='Evidence'], .findings a").all():
        target = str(link.get_attribute("href"))
        link.press("Enter")
        visit.page.locator(target).wait_for()  # a fold opens a moment after the link was followed
