# SPDX-License-Identifier: Apache-2.0
"""The emulated line in words: as a factor, and as what values hold for."""

import pytest

from gatemark.store.record import Definition
from gatemark.tell.words import traffic


@pytest.mark.parametrize(
    ("name", "level", "words"),
    [
        ("line.rate_bps", 15e6, "line 15 Mbit/s"),
        ("line.up.rate_bps", 1e6, "line up 1 Mbit/s"),
        ("line.rate_bps", 0.0, "line no rate"),
        ("line.buffer_packets", 50, "line, buffer packets 50"),
        ("line.down.aqm", "codel", "line down, aqm codel"),
    ],
)
def test_a_factor_is_told_with_its_way(name: str, level: object, words: str) -> None:
    assert traffic.factor(name, level) == words


def test_what_values_hold_for_has_the_line() -> None:
    definition = Definition(path="route", frame_bytes=64, line="15 Mbit/s, 50 packets")
    assert traffic.traffic(definition).endswith("1 flow, over a line (15 Mbit/s, 50 packets)")
