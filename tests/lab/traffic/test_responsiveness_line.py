# SPDX-License-Identifier: Apache-2.0
"""Responsiveness over a line of a known buffer: our own send queue is not in what is measured."""

from typing import Any

import pytest
from msgspec.structs import replace

from gatemark.kind.responsiveness.load import Pair
from gatemark.plan.model import Direction, Line, LineWay, Probe, Workload
from lab.planted import measure, plan

RATE_BPS, PACKETS, FULL_BYTES = 1e6, 10, 1514
PACKET_NS = 8e9 * FULL_BYTES / RATE_BPS
BUFFER_NS = PACKETS * PACKET_NS
OWN_NS = 15e6  # that our own end may add


@pytest.mark.long
@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_self_probe_waits_in_the_lines_buffer_and_not_in_our_own(
    direction: Direction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One load connection: where several share ten packets most requests wait for lost segments.

    A lost segment of the one delays what is behind it by a round trip. So the longest is asked of
    the requests that waited for none, the median of all, and the most of what lay before them on
    their own host.
    """
    made = Pair.test

    def alone(self: Pair) -> dict[str, Any]:
        return made(self) | {"most": 1}

    monkeypatch.setattr(Pair, "test", alone)
    way = LineWay(rate_bps=RATE_BPS, buffer_packets=PACKETS)
    load = Workload(kind="responsiveness", direction=direction, interval_s=2.0)
    lined = replace(plan("direct", load), line=Line(up=way, down=way, overload=True), probe=Probe())
    _, (record,) = measure(lined)
    assert (record.status, record.reason) == ("ok", "")
    assert record.values["http_l_p50_ns"] <= BUFFER_NS + OWN_NS
    seen = record.evidence.responsiveness
    # The buffer has those that wait; one more is being sent.
    assert int(seen["self_clear_most_ns"]) <= BUFFER_NS + PACKET_NS + OWN_NS
    end = "client" if direction == "up" else "server"
    assert 8e9 * int(seen[f"{end}_ahead_most_bytes"]) / RATE_BPS <= OWN_NS
    assert record.values["goodput_bps"] > 0.8 * RATE_BPS
