# SPDX-License-Identifier: Apache-2.0
"""Several runs in one page, a folder of runs in an index, and a run that is not whole."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from page.visit import opened

pytestmark = pytest.mark.long


def test_runs_stand_side_by_side_in_one_silent_page(browser: Browser, compared: Path) -> None:
    with opened(browser, compared) as visit:
        visit.wait()
        heads = visit.page.locator("#at-a-glance thead th").all_text_contents()
        assert [head.split(":")[0] for head in heads] == ["what", "A", "B", "B/A"]
        assert visit.page.locator(".runs .sentence").count() == 2
        assert visit.said == []


def test_each_run_has_its_name_beside_its_letter(browser: Browser, compared: Path) -> None:
    with opened(browser, compared) as visit:
        names = visit.page.locator(".runs .name").all_inner_texts()
        assert names == ["A old", "B new"]


def test_the_first_table_has_the_ratio_of_the_runs(browser: Browser, compared: Path) -> None:
    with opened(browser, compared) as visit:
        row = visit.page.locator("#at-a-glance tr", has_text="Capacity")
        assert row.locator("td").last.inner_text() == "0.898 ± 0.012"  # a tenth slower


def test_a_figure_draws_the_arms_of_both_runs(browser: Browser, compared: Path) -> None:
    with opened(browser, compared) as visit:
        visit.wait()
        told = visit.page.locator("#first .plot .role-legend-label").all_text_contents()
        assert {"A: route", "A: nat", "B: route", "B: nat"} <= set(told)


def test_ratios_stand_in_the_tables_side_by_side(browser: Browser, compared: Path) -> None:
    with opened(browser, compared) as visit:
        text = visit.page.locator("#side-1").inner_text()
    assert "B/A" in text
    assert "0.9" in text  # the second gateway is a tenth slower


def test_the_index_has_a_line_for_each_run_newest_first(browser: Browser, indexed: Path) -> None:
    with opened(browser, indexed) as visit:
        names = visit.page.locator("#runs tbody th").all_text_contents()
        assert names == ["new", "deep/old", "torn"]
        assert visit.said == []


def test_the_index_leads_to_a_page_that_was_made_for_it(browser: Browser, indexed: Path) -> None:
    with opened(browser, indexed) as visit:
        visit.page.locator("#runs a").first.click()
        visit.page.wait_for_url((indexed.parent / "new" / "report.html").as_uri())
        assert visit.page.locator("#answer .sentence").count() == 1


def test_the_index_says_which_run_cannot_be_read(browser: Browser, indexed: Path) -> None:
    with opened(browser, indexed) as visit:
        row = visit.page.locator("#runs tr", has_text="torn").inner_text()
    assert "cannot be read" in row
    assert "run.json" in row


def test_a_damaged_run_is_shown_as_far_as_it_is_whole(browser: Browser, damaged: Path) -> None:
    with opened(browser, damaged) as visit:
        visit.wait()
        told = visit.page.locator("#answer [role=note]").inner_text()
        assert "not whole on the disk" in told
        assert "line 3" in told or ":3" in told
        assert visit.page.locator("figure").count() > 0
        assert visit.said == []


def test_what_a_station_lacks_is_said_on_the_first_screen(browser: Browser, lacking: Path) -> None:
    with opened(browser, lacking) as visit:
        note = visit.page.locator("#answer [role=note]", has_text="No brake")
        place = note.bounding_box()
    assert place is not None
    assert place["y"] + place["height"] < 800
