# SPDX-License-Identifier: Apache-2.0
"""Levels of a factor: a list as it is, a range spread out, anything else refused."""

from typing import Any

import pytest

from gatemark.error import UsageError
from gatemark.plan.level import spread_out


@pytest.mark.parametrize(
    ("given", "levels"),
    [
        ([1, 2], [1, 2]),
        (7, [7]),
        ({"from": 5, "to": 20, "step": 5}, [5, 10, 15, 20]),
        ({"from": 5, "to": 19, "step": 5}, [5, 10, 15]),
        ({"from": 0.1, "to": 0.3, "step": 0.1}, [0.1, 0.2, pytest.approx(0.3)]),
        ({"from": 3, "to": 3, "step": 1}, [3]),
    ],
)
def test_levels_are_spread_out(given: Any, levels: list[Any]) -> None:
    assert spread_out("rate_pps", given) == levels


@pytest.mark.parametrize(
    "given",
    [
        {"from": 5, "to": 20},
        {"from": 5, "to": 20, "step": "5"},
        {"from": True, "to": 20, "step": 5},
        {"from": 5, "to": 20, "step": 0},
        {"from": 5, "to": 20, "step": -1},
        {"from": 20, "to": 5, "step": 1},
        {"from": 0, "to": 1e9, "step": 1},
        {"from": float("nan"), "to": 9, "step": 1},
        {"from": 0, "to": 9, "step": float("nan")},
        {"from": 0, "to": float("inf"), "step": 1},
    ],
)
def test_a_range_that_is_none_is_refused(given: Any) -> None:
    with pytest.raises(UsageError, match="`rate_pps`"):
        spread_out("rate_pps", given)
