# SPDX-License-Identifier: Apache-2.0
"""A constant share is told without bias beside loss that another rule explained already."""

import random
from statistics import mean

import pytest

from gatemark.judge.shape.share import fades, pooled
from gatemark.judge.shape.sight import Level, Sight
from gatemark.store.loss import Loss
from gatemark.store.record import Definition, Record
from gatemark.tell.words.figure import ordinal

BINS, EACH = 60, 15  # a trial of 0.6 s at 1 500 packets/s
CORRUPT, SHARE = 0.032, 0.008
BURST = 12  # lost in a row


def sight(lost: list[int], explained: float) -> Sight:
    """A trial that lost these in its bins."""
    loss = Loss(
        direction="up",
        bin_ms=10.0,
        tried=(EACH,) * BINS,
        refused=(0,) * BINS,
        lost=tuple(lost),
    )
    record = Record(
        trial="test/sweep/route/1/outside",
        plan="test/sweep",
        arm="route",
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106
        sequence=0,
        status="ok",
        started="",
        definition=Definition(path="route", duration_s=BINS / 100),
    )
    return Sight(record, loss, explained=explained)


def drawn(share: float, seed: int) -> list[int]:
    chance = random.Random(seed)
    return [sum(chance.random() < share for _ in range(EACH)) for _ in range(BINS)]


def test_chance_in_what_is_explained_is_no_burst() -> None:
    """A few packets more in a bin than its mean are of the explained share, too."""
    trials = [drawn(CORRUPT + SHARE, seed) for seed in range(300)]
    left = mean(pooled([sight(lost, CORRUPT)]).value for lost in trials)
    assert left == pytest.approx(mean(map(sum, trials)) / BINS / EACH - CORRUPT, rel=0.05)


@pytest.mark.parametrize("each", [(0, 0), (0, 1)])
def test_a_burst_is_no_share(each: tuple[int, int]) -> None:
    """Beside nothing, and beside a packet in every other bin that is explained."""
    lost = [*each] * (BINS // 2)
    explained = sum(lost) / BINS / EACH
    lost[20] = lost[21] = BURST
    assert abs(pooled([sight(lost, explained)]).value) < SHARE / 2


@pytest.mark.parametrize(("in_bursts", "is_less"), [(3, False), (0, True)])
def test_a_share_does_not_fade_where_bursts_hide_it(in_bursts: int, is_less: bool) -> None:
    """Beside a tester that pauses a high rate loses in bursts, which a share leaves out."""
    lost = [EACH] * in_bursts + [0] * (BINS - in_bursts)
    assert fades(0.05, Level((sight(lost, 0.0),), None)) == is_less


@pytest.mark.parametrize(
    ("number", "words"), [(2, "2nd"), (3, "3rd"), (11, "11th"), (50, "50th"), (121, "121st")]
)
def test_which_packet_is_lost_in_words(number: int, words: str) -> None:
    assert ordinal(number) == words
