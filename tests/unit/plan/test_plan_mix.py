# SPDX-License-Identifier: Apache-2.0
"""Mixes of frame sizes."""

from collections import Counter

import pytest

from gatemark.error import UsageError
from gatemark.plan.mix import frames, mean_bytes, sizes
from gatemark.plan.model import Workload


def test_imix_is_seven_four_one() -> None:
    assert Counter(sizes("imix")) == {64: 7, 594: 4, 1518: 1}


def test_sizes_are_spread_over_the_turn() -> None:
    assert sizes("64:3,128:3") == (64, 128) * 3


def test_the_mean_is_that_of_the_turn() -> None:
    assert mean_bytes(Workload(mix="64:1,128:3")) == 112


def test_without_a_mix_all_frames_are_alike() -> None:
    assert frames(Workload(frame_bytes=512)) == (512,)


@pytest.mark.parametrize("mix", ["", "64", "64:0", "64:200,128:100", "big", "64:1,", "64:-1"])
def test_what_is_no_mix_is_refused(mix: str) -> None:
    with pytest.raises(UsageError, match="mix"):
        sizes(mix)
