# SPDX-License-Identifier: Apache-2.0
"""Which search for a shaper's rate answers for a setup."""

import pytest

from gatemark.judge.math.interval import Interval
from gatemark.judge.verdict.shaping import rate_of


def exactly(bps: float) -> Interval:
    return Interval(bps, bps, bps, 1, 0.0)


SEARCHED = {
    "nat + shape:cake:wan": exactly(110e6),
    "nat + shape:htb": exactly(90e6),
    "nat + shape:htb:wan": exactly(120e6),
}


@pytest.mark.parametrize(
    ("feature", "bps"),
    [
        ("shape:cake", 110e6),
        ("shape:cake:118:wan", 110e6),
        ("shape:cake:95%:wan", 110e6),
        ("shape:cake:40", 110e6),
        ("shape:htb:40", 90e6),
        ("shape:htb:40:wan", 120e6),
    ],
)
def test_a_shaper_is_found_whatever_rate_it_is_asked_for(feature: str, bps: float) -> None:
    found = rate_of(SEARCHED, "nat", (feature,))
    assert found == exactly(bps)


@pytest.mark.parametrize("feature", ["shape:tbf:40", "shape:cake:40:wan:nat", "shape:cake:40:lan"])
def test_another_shaper_was_not_searched_for(feature: str) -> None:
    assert rate_of(SEARCHED, "nat", (feature,)) is None
    assert rate_of(SEARCHED, "route", ("shape:cake",)) is None
