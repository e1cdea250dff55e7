# SPDX-License-Identifier: Apache-2.0
"""What of strangers', late and damaged packets a trial bears, and what it does not."""

from typing import Any

import pytest
from builder import accounting

from gatemark.workload.stray import why_invalid

BORNE: list[dict[str, Any]] = [
    {},
    {"stale": 10},
    {"strange": 10, "foreign": 10},
    {"corrupt": 10},
    {"altered": 10, "foreign": 10},
    # Each of a gateway's damaged packets is missing among the delivered ones.
    {"lost": 5_000, "corrupt": 5_000},
    {"lost": 5_000, "altered": 2_500, "foreign": 2_500, "corrupt": 2_500},
    # Both copies of a packet are damaged.
    {"lost": 500, "duplicated": 500, "corrupt": 1_000},
    {"duplicated": 9_000, "reordered": 9_000},
]


def test_what_a_gateway_does_is_measured() -> None:
    whys = [
        why_invalid(accounting(10_000, counts.get("lost", 0), **more))
        for counts in BORNE
        for more in [{name: count for name, count in counts.items() if name != "lost"}]
    ]
    assert whys == [""] * len(BORNE)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"stale": 11}, "11 packets came so late"),
        ({"strange": 11, "foreign": 11}, "11 packets without a test header"),
        ({"corrupt": 11}, "11 corrupt or altered packets came, and 0 of"),
        ({"lost": 40, "altered": 30, "corrupt": 30}, "60 corrupt or altered packets came, and 40"),
        # What the sender's own port refused never reached the gateway.
        ({"lost": 40, "refused": 40, "corrupt": 30}, "30 corrupt or altered"),
    ],
)
def test_what_is_more_makes_the_trial_invalid(counts: dict[str, Any], words: str) -> None:
    keys = dict(counts)
    assert why_invalid(accounting(10_000, keys.pop("lost", 0), **keys)).startswith(words)


def test_of_many_packets_a_thousandth_is_borne() -> None:
    assert not why_invalid(accounting(1_000_000, 0, stale=1_000))
    assert why_invalid(accounting(1_000_000, 0, stale=1_001))


def test_the_reason_is_one_line_and_says_what_to_do() -> None:
    fixes = ("send for less time", "a cable of its own", "perhaps another run")
    for counts, fix in zip(
        ({"stale": 900}, {"strange": 900}, {"corrupt": 900}), fixes, strict=True
    ):
        reason = why_invalid(accounting(10_000, 0, **counts))
        assert "\n" not in reason
        assert fix in reason
