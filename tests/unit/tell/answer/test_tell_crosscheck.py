# SPDX-License-Identifier: Apache-2.0
"""A cross-check in words: more or less, whose receiver lost what, and what chance could do."""

import pytest
from msgspec.structs import replace

from gatemark.judge.judgement import Change, CrossCheck, Verdict
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.store.record import Definition
from gatemark.tell.answer.crosscheck import finding
from gatemark.tell.words.number import MINUS


def check(value: float, lo: float, hi: float, verdict: Verdict) -> CrossCheck:
    change = Change(
        change=Interval(value, lo, hi, 6, 0.97), p=0.002, mde=0.03, noise=0.01, verdict=verdict
    )
    rate = Interval(1e5, 9e4, 1.1e5, 6, 0.97)
    return CrossCheck(
        subject=Subject(
            plan="rfc/cross-check",
            arm="route",
            setup="route",
            definition=Definition(path="route", driver="iperf3", frame_bytes=64),
        ),
        driver="iperf3",
        quantity="received_pps",
        ours=rate,
        theirs=rate,
        change=change,
    )


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (check(-0.12, -0.15, -0.09, "slower"), "iperf3 measures 12 % less (9 to 15)"),
        (check(0.12, 0.09, 0.15, "faster"), "iperf3 measures 12 % more (9 to 15)"),
        (
            check(0.001, -0.002, 0.004, "no change"),
            f"iperf3 measures the same ({MINUS}0.2 to +0.4 %)",
        ),
        (
            check(-0.02, -0.05, 0.01, "inconclusive"),
            f"iperf3 measures 2 % less ({MINUS}1 to 5): inconclusive",
        ),
    ],
)
def test_it_says_by_how_much(one: CrossCheck, said: str) -> None:
    assert finding(one) == said


def test_it_says_whose_receiver_lost() -> None:
    one = replace(check(-0.12, -0.15, -0.09, "slower"), own_loss=0.03, our_loss=0.0001)
    assert finding(one).endswith(", its own receiver lost 3 %")
