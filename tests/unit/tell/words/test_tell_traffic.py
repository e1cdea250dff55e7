# SPDX-License-Identifier: Apache-2.0
"""Traffic in words."""

from gatemark.store.record import Definition
from gatemark.tell.words.traffic import traffic


def test_traffic_tells_how_long_a_trial_was() -> None:
    of = Definition(path="route", frame_bytes=64, flows=64, duration_s=0.2)
    assert traffic(of) == "64-byte frames, UDP over IPv4, 64 flows, trials of 0.2 s"


def test_traffic_tells_that_a_trial_was_not_alone() -> None:
    of = Definition(path="route", frame_bytes=64, duration_s=0.2, turn_ms=2.0)
    assert traffic(of).endswith("trials of 0.2 s in turns of 2 ms")
