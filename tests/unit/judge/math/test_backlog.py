# SPDX-License-Identifier: Apache-2.0
"""How much of what is sent waits in a queue that grows."""

import pytest

from gatemark.judge.math.backlog import FEWEST_BINS, growth

SENT = [100] * 16


@pytest.mark.parametrize("bins", [FEWEST_BINS, 9, 11, 12, 40, 400])
def test_what_each_bin_leaves_behind_is_the_growth(bins: int) -> None:
    assert growth([100] * bins, [90] * bins) == pytest.approx(0.1)


def test_it_is_a_share_of_what_was_sent_while_it_grew() -> None:
    sent = [400, 100, 100, 100, 100, 100, 100, 400]
    assert growth(sent, [packets * 9 // 10 for packets in sent]) == pytest.approx(0.1)


def test_nothing_that_was_sent_while_it_is_looked_at_tells_nothing() -> None:
    assert growth([100, *[0] * 15], [0] * 16) == 0


def test_a_backlog_that_stays_as_long_as_it_is_does_not_grow() -> None:
    assert growth(SENT, [50, *[100] * 15, 50]) == 0


def test_of_a_bin_that_nobody_counted_nothing_arrived() -> None:
    early = [100] * 12
    assert growth(SENT, early) == growth(SENT, [*early, 0, 0, 0, 0]) > 0


def test_too_few_bins_or_packets_tell_nothing() -> None:
    assert growth(SENT[: FEWEST_BINS - 1], [0] * 16) == 0
    assert growth([0] * 16, []) == 0
    assert growth(SENT[:FEWEST_BINS], []) > 0
