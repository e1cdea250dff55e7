# SPDX-License-Identifier: Apache-2.0
"""Another machine's clock by round trips: the true offset lies within the error that is told."""

import asyncio
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatemark.error import NodeError
from gatemark.node.shell import Local
from gatemark.node.uptime import STEP_NS, agreed, clock

# A round trip: when it is asked for, how long the question and the answer take.
TRIPS = st.lists(
    st.tuples(*(st.integers(0, most) for most in (10**10, 10**7, 10**7))), min_size=1, max_size=20
)


@settings(max_examples=30)
@given(st.integers(10**11, 10**14), TRIPS)
def test_the_true_offset_is_within_the_error(
    ahead_ns: int, trips: list[tuple[int, int, int]]
) -> None:
    readings = [
        (asked, (asked + there + ahead_ns) // STEP_NS * STEP_NS, asked + there + back)
        for asked, there, back in trips
    ]
    told = agreed("gateway", readings)
    assert abs(told.ahead_ns - ahead_ns) <= told.error_ns


def test_many_quick_readings_tell_more_than_a_step() -> None:
    trip_ns = 400_000
    readings = []
    for n in range(50):
        asked = n * 3_100_000  # falls anywhere within a step
        readings.append((asked, (asked + trip_ns // 2) // STEP_NS * STEP_NS, asked + trip_ns))
    assert agreed("gateway", readings).error_ns < trip_ns


def test_a_clock_that_jumps_is_told() -> None:
    with pytest.raises(NodeError, match="gateway: its clock jumped"):
        agreed("gateway", [(0, 0, 1000), (2000, 10**9, 3000)])


def test_this_machines_own_is_not_ahead() -> None:
    told = asyncio.run(clock(Local("gateway")))
    with open("/proc/uptime") as file:  # noqa: PTH123
        slept_ns = round(float(file.read().split()[0]) * 1e9) - time.monotonic_ns()
    if abs(slept_ns) > 10 * STEP_NS:
        pytest.skip("this machine has slept")
    assert abs(told.ahead_ns) <= told.error_ns < STEP_NS


def test_a_host_that_does_not_tell_is_told() -> None:
    class Mute(Local):
        def argv(self, *_command: str) -> tuple[str, ...]:
            return ("sh", "-c", "while read -r _; do echo 0.123; done")

    with pytest.raises(NodeError, match=r"gateway: its /proc/uptime cannot be read: '0\.123'"):
        asyncio.run(clock(Mute("gateway")))
