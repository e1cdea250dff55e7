# SPDX-License-Identifier: Apache-2.0
"""What works beside a load: its rule, and the value that decides."""

import pytest
from besides import MS, At, Seen, judged, seen, verdict

from gatemark.judge.verdict.seen import seen as flows
from gatemark.judge.verdict.use import Use, uses


def use(name: str, made: Seen) -> Use | None:
    return next((use for use in verdict(made).uses if use.name == name), None)


def works(name: str, made: Seen) -> bool:
    judged = use(name, made)
    assert judged
    return judged.works


@pytest.mark.parametrize(
    ("name", "trace", "deadline_ms"),
    [
        ("game", "game", 50),
        ("game", "game-modern", 50),
        ("call", "voip-opus", 150),
        ("call", "voip", 150),
        ("cloud game", "cloud-game", 40),
    ],
)
def test_a_flow_works_up_to_1_percent_missed(name: str, trace: str, deadline_ms: int) -> None:
    more = {f"missed_{deadline_ms}ms_ratio": 0.01}, {f"missed_{deadline_ms}ms_ratio": 0.0101}
    assert [works(name, seen(at=At(trace=trace), **values)) for values in more] == [True, False]


@pytest.mark.parametrize(("mos", "holds"), [(4.0, True), (3.99, False)])
def test_a_call_needs_an_opinion_of_4_besides(mos: float, holds: bool) -> None:
    judged = use("call", seen(at=At(trace="voip"), missed_150ms_ratio=0.0, mos=mos))
    assert judged
    assert (judged.works, judged.reason.quantity) == (holds, "mos")


@pytest.mark.parametrize(
    ("added_ms", "loss", "holds", "by"),
    [
        (97, 0.0, True, "round trip"),
        (99, 0.0, False, "round trip"),
        (9, 0.011, False, "loss"),
    ],
)
def test_the_web_needs_a_round_trip_of_100_ms_and_1_percent_lost(
    added_ms: float, loss: float, holds: bool, by: str
) -> None:
    judged = use("web", seen(added_ms, loss_ratio=loss))  # the idle line has 1 ms each way
    assert judged
    assert (judged.works, judged.reason.quantity) == (holds, by)


def test_the_web_is_not_known_of_a_flow_that_is_put_first() -> None:
    assert use("web", seen(at=At(features=("shape:htb2:14:wan",)))) is None
    assert use("web", seen(at=At(features=("shape:cake:14:wan",))))


MARKED = ("uploads: tcp congestion=cubic", "voice: replay trace=voip dscp=46")
PLAIN = ("uploads: tcp congestion=cubic", "voice: replay trace=voip")


@pytest.mark.parametrize(
    ("dscp", "beside", "flow", "is_known"),
    [
        (0, MARKED, "voice", False),
        (0, MARKED, "", True),
        (46, PLAIN, "", False),
        (46, PLAIN, "voice", True),
    ],
)
def test_the_web_is_not_known_of_a_flow_that_is_marked_itself(
    dscp: int, beside: tuple[str, ...], flow: str, is_known: bool
) -> None:
    down = f"{flow}.down" if flow else "down"
    values = {f"{down}.delay_mean_ns": 1 * MS, f"{down}.loss_ratio": 0.0}
    made = seen(at=At(dscp=dscp, beside=beside, flow=flow, values=values))
    (own,) = (each for each in flows(judged(made)) if each.flow == flow)
    assert bool([each for each in uses([own]) if each.name == "web"]) is is_known


def test_the_worse_direction_decides() -> None:
    down = {"down.missed_50ms_ratio": 0.3}
    judged = use("game", seen(at=At(values=down), missed_50ms_ratio=0.002))
    assert judged
    assert (judged.works, judged.reason.way, judged.reason.value.value) == (False, "down", 0.3)


def test_the_barometer_stands_beside_a_rule_of_ours() -> None:
    near, far = (use("game", seen(ms)) for ms in (7, 9))  # a round trip of 9 and of 11 ms
    assert near
    assert far
    assert (near.works, near.iqb, far.works, far.iqb) == (True, True, True, False)


def test_a_capture_is_of_no_use_that_is_known_but_the_web() -> None:
    assert [use.name for use in verdict(seen(at=At(trace="office.pcap"))).uses] == ["web"]
