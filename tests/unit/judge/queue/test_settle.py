# SPDX-License-Identifier: Apache-2.0
"""How a queue begins and goes: the time of steady, the overshoot, the recovery of made-up flows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.queue.flow import S_NS, Flow
from gatemark.judge.queue.settle import joined, recovery_ns, start, steady_from

GAP_NS = S_NS // 50
IDLE_NS = 1e6


def flow(*pieces: tuple[float, float], lost: tuple[float, ...] = ()) -> Flow:
    """Seconds, each with the delay of its packets in ms: 50 packets/s."""
    delays = [delay * 1e6 for seconds, delay in pieces for _ in range(round(seconds * 50))]
    return Flow([at * GAP_NS for at in range(len(delays))], delays, [round(s * S_NS) for s in lost])


@pytest.mark.parametrize(
    ("steps", "place"),
    [
        ([9, 5, 5, 5, 5, 5], 1),
        ([5, 5, 5, 9, 5, 5], 4),
        ([5, 5, 5, 5, 5, 9], None),
        ([5], None),
        ([5, 6, 5.9, 4.1], 0),
    ],
)
def test_from_when_on_all_is_near(steps: list[float], place: int | None) -> None:
    assert steady_from(steps) == place


@given(st.lists(st.floats(0, 1e9), max_size=40))
def test_what_is_steady_stays_near(steps: list[float]) -> None:
    place = steady_from(steps)
    if place is not None:
        usual = sorted(steps[len(steps) // 2 :])
        assert all(0.8 * usual[0] <= step <= 1.2 * usual[-1] for step in steps[place:])


def test_a_beginning_that_overshoots() -> None:
    seen = start(flow((2, 90), (8, 30)), IDLE_NS, (0, 10 * S_NS))
    assert seen is not None
    assert seen.steady_ns == 2 * S_NS
    assert seen.overshoot == pytest.approx(89 / 29)


def test_a_queue_that_grows_is_never_steady() -> None:
    pieces = [(1.0, 10.0 * second) for second in range(1, 11)]
    assert start(flow(*pieces), IDLE_NS, (0, 10 * S_NS)) is None


def test_without_a_queue_nothing_overshoots() -> None:
    seen = start(flow((10, 1)), IDLE_NS, (0, 10 * S_NS))
    assert seen is not None
    assert seen.overshoot is None


@pytest.mark.parametrize(
    ("pieces", "lost", "gone_ms"),
    [
        (((0.4, 50), (2, 1)), (), 400),
        (((2, 1),), (), 0),
        (((0.4, 50), (0.5, 1), (0.1, 50), (2, 1)), (), 1000),
        (((2, 1), (0.1, 50)), (), 0),
        (((2, 1),), (2.3,), 320),
    ],
)
def test_a_queue_is_gone_when_nothing_waits_for_a_second(
    pieces: tuple[tuple[float, float], ...], lost: tuple[float, ...], gone_ms: float
) -> None:
    made = flow((2, 50), *pieces, lost=lost)
    gone_ns = recovery_ns(made, IDLE_NS, IDLE_NS, 2 * S_NS)
    assert gone_ns == pytest.approx(gone_ms * 1e6)


@pytest.mark.parametrize("pieces", [((2, 50), (0.5, 1)), ((2, 50), (2, 50)), ((1, 50),), ()])
def test_a_queue_that_was_not_seen_to_go_has_no_recovery(
    pieces: tuple[tuple[float, float], ...],
) -> None:
    assert recovery_ns(flow(*pieces), IDLE_NS, IDLE_NS, 2 * S_NS) is None


def test_a_slow_way_is_no_queue() -> None:
    made = flow((2, 300), (2, 105))
    assert recovery_ns(made, 100e6, 105e6, 2 * S_NS) == 0


def test_on_a_long_way_a_wait_is_as_long_as_on_a_short_one() -> None:
    made = flow((2, 300), (1, 160), (2, 101))  # of 100 ms without a queue: 60 ms of wait, then 1
    assert recovery_ns(made, 100e6, 101e6, 2 * S_NS) == pytest.approx(1 * S_NS)


def test_a_flow_that_joins_a_load_settles_when_it_is_put_first() -> None:
    seen = joined(flow((1, 300), (9, 20)), -1)
    assert seen is not None
    assert (seen.first_ns, seen.settled_ns) == (300e6, 1 * S_NS)


def test_a_flow_that_waits_alike_from_its_first_packet_settles_at_no_time() -> None:
    assert joined(flow((10, 300)), -1) is None


@pytest.mark.parametrize(("seconds", "load_ns"), [(10, 0), (0.5, -1)])
def test_a_flow_that_was_there_before_or_is_short_joins_nothing(
    seconds: float, load_ns: float
) -> None:
    assert joined(flow((seconds, 300)), load_ns) is None
