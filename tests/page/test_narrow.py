# SPDX-License-Identifier: Apache-2.0
"""Figures at the width of a phone, with long names and many: each can be read, none is cut."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import builder
import counted
import estimated
import pytest
import stacked
import timed
import traveled
from msgspec import structs
from playwright.sync_api import Browser

from gatemark.tell import page
from gatemark.tell.group.source import Source
from page.visit import opened

pytestmark = pytest.mark.long
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Names in a legend that reach beyond their plot, where they are cut off.
CUT = """() => [...document.querySelectorAll(".plot .role-legend-label text")].filter((text) =>
  text.getBoundingClientRect().right > text.closest(".plot").getBoundingClientRect().right + 1
).map((text) => text.textContent)"""
# Names in a legend above the upper edge of their figure, which cuts them off.
ABOVE = """() => [...document.querySelectorAll(".plot .role-legend-label text")].filter((text) =>
  text.getBoundingClientRect().top < text.closest("svg").getBoundingClientRect().top - 1
).map((text) => text.textContent)"""
# Numbers that reach beyond the card that they stand on.
BEYOND = """() => [...document.querySelectorAll(".cards .value b")].filter((number) => {
  const card = number.closest("li");
  const end = card.getBoundingClientRect().right - parseFloat(getComputedStyle(card).paddingRight);
  return number.getBoundingClientRect().right > end + 1;
}).map((number) => number.textContent)"""
SOURCES = (
    pytest.param(estimated.source, id="estimate"),
    pytest.param(timed.source, id="delays"),
    pytest.param(traveled.source, id="kernel path"),
    pytest.param(counted.modelled, id="instructions"),
)


@pytest.mark.parametrize("source", SOURCES)
def test_a_phone_shows_every_name_of_a_legend(
    browser: Browser, tmp_path: Path, source: Callable[[], Source]
) -> None:
    with opened(browser, page.write([source()], tmp_path / "report.html"), width=360) as visit:
        visit.wait()
        assert visit.page.locator(".plot .role-legend-label text").count() > 0
        assert visit.page.evaluate(CUT) == []
        assert visit.said == []


@pytest.mark.parametrize("width", [360, 900])
def test_a_legend_of_several_rows_has_all_of_them(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    """At 900 pixels a plot of half the page has room for a column only without its axis."""
    made = page.write([stacked.source()], tmp_path / "report.html")
    with opened(browser, made, width=width) as visit:
        visit.wait()
        assert visit.page.locator(".plot .role-legend-label text").count() > 0
        assert visit.page.evaluate(ABOVE) == []


LONG = "nat + conntrack + filter:1000 + shape:cake + " + "w" * 90
MANY = 31  # Vega's own legends end at 30 names


def renamed(source: Source, names: Mapping[str, str]) -> Source:
    """The source with other names for these arms."""
    judged = source.judgement
    knees = (k.about(arm=names.get(k.arm, k.arm)) for k in judged.knees)
    points = (p.about(arm=names.get(p.arm, p.arm)) for p in judged.points)
    judged = structs.replace(judged, knees=tuple(knees), points=tuple(points))
    return replace(source, judgement=judged, records=[])


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose names have no end, and no space at which they break."""
    made = renamed(builder.source(), {"nat": LONG})
    made = replace(made, run=structs.replace(made.run, title=LONG))
    return page.write([made], tmp_path_factory.mktemp("long") / "report.html")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of so many setups."""
    whole = builder.source()
    copies = [renamed(whole, {"nat": f"nat {at}"}).judgement for at in range(MANY)]
    merged = structs.replace(
        copies[0],
        knees=tuple(k for copy in copies for k in copy.knees if k.arm.startswith("nat ")),
        points=tuple(p for copy in copies for p in copy.points if p.arm.startswith("nat ")),
    )
    made = builder.source(records=[], judged=merged)
    return page.write([made], tmp_path_factory.mktemp("many") / "report.html")


@pytest.mark.parametrize("width", [360, 900])
def test_a_long_name_is_broken_or_ends_in_dots(browser: Browser, long: Path, width: int) -> None:
    with opened(browser, long, width=width) as visit:
        visit.wait()
        assert visit.page.evaluate(OVERFLOW) == 0
        assert visit.page.evaluate(CUT) == []


def test_a_legend_names_every_setup(browser: Browser, many: Path) -> None:
    with opened(browser, many, idle=False) as visit:
        names = visit.page.locator("#first .plot").first.locator(".role-legend-label text")
        names.first.wait_for(state="attached")
        assert {f"nat {at}" for at in range(MANY)} <= set(names.all_text_contents())


def test_the_sample_is_no_wider_than_a_phone(browser: Browser, sample: Path) -> None:
    with opened(browser, sample, width=360) as visit:
        visit.wait()
        assert visit.page.evaluate(OVERFLOW) == 0


@pytest.mark.parametrize("width", [360, 700, 1280])
def test_a_number_is_no_wider_than_its_card(browser: Browser, sample: Path, width: int) -> None:
    with opened(browser, sample, width=width) as visit:
        assert visit.page.evaluate(BEYOND) == []
