# SPDX-License-Identifier: Apache-2.0
"""Places among all differences are those of the sorted list, however they are found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.math import pairs

SAMPLES = st.lists(
    st.integers(-3, 3).map(float) | st.floats(-1e3, 1e3) | st.just(-1e300), min_size=1, max_size=12
)


@pytest.mark.parametrize("few", [0, 5, pairs.FEW])
@given(low=SAMPLES, high=SAMPLES)
def test_each_place_is_that_of_the_sorted_list(
    few: int, low: list[float], high: list[float]
) -> None:
    every = sorted(b - a for a in low for b in high)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "FEW", few)
        assert pairs.at_places(low, high, range(len(every))) == every


def test_two_thousand_of_each_are_searched() -> None:
    low = [i * 1.25 for i in range(2000)]
    high = [i * 1.25 + 7 for i in range(2000)]
    assert pairs.at_places(low, high, [1_999_000]) == [7.0]
