# SPDX-License-Identifier: Apache-2.0
"""Estimates on the page and in print: never without the word, published cycles beside."""

import drawn

from gatemark.store.reference import published
from gatemark.tell.answer import estimate


def test_the_title_says_that_it_is_an_estimate() -> None:
    (figure,) = (f for f in drawn.figures("estimated") if f.name.startswith("estimate-"))
    assert figure.title == "ESTIMATE: on BCM5352, 66.8 % of nat is instruction cache misses"
    assert "6.1.0-test" in figure.definition
    assert "2.6.33" in figure.definition


def test_a_bar_for_each_device_and_setup() -> None:
    (figure,) = (f for f in drawn.figures("estimated") if f.name.startswith("estimate-"))
    assert len(figure.rows) == 3 * 4 * len(estimate.PARTS)
    whole = figure.extra[f"{figure.name}-whole"]
    assert [bool(row["published"]) for row in whole] == [True, True, False, False] * 3


def test_no_figure_shows_its_rates_as_if_they_were_a_gateways() -> None:
    names = [figure.name for figure in drawn.figures("estimated")]
    assert [name for name in names if name.startswith(("knee", "bars", "size", "single"))] == []


def test_the_table_names_kernels_and_events() -> None:
    source = drawn.source("estimated")
    made = estimate.table(source.judgement, published(), estimate.kernels(source))
    assert len(made.rows) == 12
    row = dict(zip(made.head, made.rows[0], strict=True))
    assert row["device"] == "AR9132"
    assert row["I misses"] == "67"
    assert row["published, k cycles"] == "13.1"
    assert row["its kernel"] == "2.6.33"
    assert made.caption.startswith("Cycles of a packet, kernel 6.1.0-test: an ESTIMATE")


def test_a_page_of_nothing_else_leads_with_it() -> None:
    text = drawn.page("estimated")
    assert "ESTIMATE, not measured" in text
    assert "published, k cycles" in text
