# SPDX-License-Identifier: Apache-2.0
"""Which sizes a closer look sends: it comes to any limit in a few looks."""

from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.shape.closer import Limit
from gatemark.run.closer import MOST_LOOKS, SIZES, between

frames = st.integers(64, 9018)


@few(40)
@given(most=frames, beyond=frames, hidden=st.floats(0, 1))
def test_any_limit_is_told_to_the_byte(most: int, beyond: int, hidden: float) -> None:
    limit = Limit(*sorted((most, beyond))) if most != beyond else Limit(most, most + 1)
    longest = limit.most + round(hidden * (limit.beyond - 1 - limit.most))
    for _ in range(MOST_LOOKS):
        sizes = between(limit)
        assert len(sizes) <= SIZES
        assert all(limit.most < size < limit.beyond for size in sizes)
        came = [size for size in sizes if size <= longest]
        lost = [size for size in sizes if size > longest]
        limit = Limit(max([limit.most, *came]), min([limit.beyond, *lost]))
    assert limit == Limit(longest, longest + 1)
