# SPDX-License-Identifier: Apache-2.0
"""How much of what is sent waits in a queue that grows."""

import pytest

from gatemark.stats.math.backlog import FEWEST_BINS, growth

SENT = [100] * 16


def test_what_each_bin_leaves_behind_is_the_growth() -> None:
    assert growth([100] * 400, [90] * 400) == pytest.approx(0.1, rel=0.01)


def test_a_backlog_that_stays_as_long_as_it_is_does_not_grow() -> None:
    assert growth(SENT, [50, *[100] * 15, 50]) == 0


def test_of_a_bin_that_nobody_counted_nothing_arrived() -> None:
    early = [100] * 12
    assert growth(SENT, early) == growth(SENT, [*early, 0, 0, 0, 0]) > 0


def test_too_few_bins_or_packets_tell_nothing() -> None:
    assert growth(SENT[: FEWEST_BINS - 1], [0] * 16) == 0
    assert growth([0] * 16, []) == 0
    assert growth(SENT[:FEWEST_BINS], []) > 0
