# SPDX-License-Identifier: Apache-2.0
"""A made conversation larger than the line is refused in one line, unless that is meant."""

import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.kind.replay.room import offered_bps, require
from gatemark.plan.model import Line, LineWay, Workload

VOIP = Workload(kind="replay", trace="voip", direction="both")


def line(up_bps: float, down_bps: float = 50e6, *, overload: bool = False) -> Line:
    return Line(up=LineWay(rate_bps=up_bps), down=LineWay(rate_bps=down_bps), overload=overload)


def test_fifty_packets_of_214_bytes_a_second_are_what_g711_takes() -> None:
    """160 bytes of voice, 12 of RTP, 8 of UDP, 20 of IP, 14 of Ethernet."""
    assert offered_bps(VOIP, LineWay(), is_up=True) == pytest.approx(50 * 214 * 8, rel=0.01)
    ip = LineWay(overhead_bytes=-14)
    assert offered_bps(VOIP, ip, is_up=True) == pytest.approx(80_000, rel=0.01)
    assert offered_bps(replace(VOIP, clones=3), ip, is_up=True) == pytest.approx(240_000, rel=0.01)
    even = replace(VOIP, rate_pps=10.0, clones=3)  # all clones and both ways together
    assert offered_bps(even, ip, is_up=True) == pytest.approx(5 * 200 * 8, rel=0.01)


@pytest.mark.parametrize("way", ["up", "down"])
def test_what_is_larger_than_the_line_is_refused(way: str) -> None:
    small = line(5e4) if way == "up" else line(50e6, 5e4)
    with pytest.raises(UsageError, match=rf"`trace` = voip: 8\d\.?\d* kbit/s on the line {way} is"):
        require(VOIP, small)
    other = {"up": "down", "down": "up"}[way]
    require(replace(VOIP, direction=other), small)


def test_what_fits_or_is_meant_to_lose_is_sent() -> None:
    require(VOIP, line(1e5))
    require(VOIP, line(5e4, overload=True))
    require(VOIP, line(0, 0))
    require(VOIP, None)
    require(Workload(), line(5e4))
