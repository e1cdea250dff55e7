# SPDX-License-Identifier: Apache-2.0
"""The capacity model on the page: its figures draw what was fitted, its tables have it all."""

from dataclasses import replace

import drawn
import pytest

from gatemark.tell import gallery
from gatemark.tell.answer import capacity
from gatemark.tell.chart import packet
from gatemark.tell.group.source import Source


@pytest.fixture(scope="module")
def source() -> Source:
    return drawn.source("packets")


def test_predicted_stands_against_measured(source: Source) -> None:
    assert source.model is not None
    figure = drawn.of(packet.PREDICTED, source.model)
    assert len(figure.rows) == len(source.model.checks)
    assert {row["kind"] for row in figure.rows} == {"fitted", "held out"}
    assert figure.title.startswith("The sum predicts 2 setups that it did not know to ")


def test_stacked_terms_come_to_the_whole(source: Source) -> None:
    assert source.model is not None
    figure = drawn.of(packet.PACKET, source.model)
    sums: dict[str, float] = {}
    for row in figure.rows:
        sums[str(row["setup"])] = sums.get(str(row["setup"]), 0.0) + float(row["ns"] or 0)
    for check in source.model.checks:
        if (check.case.direction, check.case.frame_bytes) == ("up", 64):
            assert sums[check.case.setup.words] == pytest.approx(check.predicted.value, rel=0.03)
    assert len({row["term"] for row in figure.rows}) <= 6


def test_they_are_drawn_where_there_is_a_model(source: Source) -> None:
    names = [figure.name for figure in drawn.figures("packets")]
    assert {"predicted", "time-per-packet"} <= set(names)
    bare = [figure.name for figure in gallery.figures(replace(source, model=None))]
    assert not {"predicted", "time-per-packet"} & set(bare)


def test_every_term_and_check_is_in_a_table(source: Source) -> None:
    assert source.model is not None
    terms, checks = capacity.terms(source.model), capacity.checks(source.model)
    assert len(terms.rows) == len(source.model.costs)
    assert len(checks.rows) == len(source.model.checks)
    assert "conntrack with NAT" in str(terms.rows)
    assert "held out" in str(checks.rows)
