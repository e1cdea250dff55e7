# SPDX-License-Identifier: Apache-2.0
"""The opinion of a G.711 call: the E-model of ITU-T G.107 with its default values.

An estimate from delay and loss alone: no echo, no noise beyond the defaults, nobody listened.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final

from gatemark.judge.math.real import require_no_nan
from gatemark.judge.math.runs import Runs, runs

BEST: Final = 93.2  # R of a call without delay and loss, by the defaults of G.107 table 2
PACKET_MS: Final = 20.0  # a packet is filled before it is sent
NO_IMPAIRMENT_MS: Final = 100.0  # of delay: G.107 section 7.4
# Bpl of G.113 appendix I, for G.711 in packets of 10 ms and random loss.
CONCEALED: Final = 25.1  # by the algorithm of G.711 appendix I
UNCONCEALED: Final = 4.3
BUFFERS_MS: Final = tuple(range(20, 401, 10))
NS_PER_MS: Final = 1e6

Delays = Sequence[float | None]  # ns, in order of sending; None: lost


@dataclass(frozen=True, slots=True)
class Playout:
    """A call as it is heard with one choice of its play-out delay."""

    delay_ns: float  # from sending to playing
    lost_ratio: float  # lost or too late to be played
    rating: float  # R


def delay_impairment(one_way_ms: float) -> float:
    """Idd of G.107 (equations 7-27 and 7-28) for the delay from mouth to ear in ms."""
    if one_way_ms <= NO_IMPAIRMENT_MS:
        return 0.0
    x = log2(one_way_ms / NO_IMPAIRMENT_MS)
    return 25 * (_sixth_root(1 + x**6) - 3 * _sixth_root(1 + (x / 3) ** 6) + 2)


def _sixth_root(value: float) -> float:
    return float(value ** (1 / 6))


def loss_impairment(
    lost_ratio: float, burst_r: float = 1.0, robustness: float = CONCEALED
) -> float:
    """Ie,eff of G.107 (equation 7-29) for G.711, whose Ie is 0.

    `burst_r` is BurstR: 1 of losses that come at random. Less is taken for 1, as G.107 knows none.
    """
    percent = lost_ratio * 100
    return 95 * percent / (percent / max(1.0, burst_r) + robustness)


def rating(
    one_way_ms: float, lost_ratio: float, burst_r: float = 1.0, robustness: float = CONCEALED
) -> float:
    """R: 93.2 at best, below 0 where nothing is understood."""
    lost = loss_impairment(lost_ratio, burst_r, robustness)
    return BEST - delay_impairment(one_way_ms) - lost


def mos(rating: float) -> float:
    """The mean opinion of a conversation, 1 to 4.5, that an R stands for (G.107 annex B)."""
    if rating <= 0:
        return 1.0
    if rating >= 100:
        return 4.5
    return max(1.0, 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6)


def best_playout(flows: Iterable[Delays], robustness: float = CONCEALED) -> Playout | None:
    """The play-out delay that makes the best call of these flows; None if nothing arrived.

    It is the shortest delay and one of 20, 30, ... 400 ms more. What comes later is as lost, and
    so are runs counted; the shortest of equally good ones is taken. Raises ValueError of NaN.
    """
    flows = list(flows)
    came = sorted(delay for flow in flows for delay in flow if delay is not None)
    require_no_nan(came)
    if not came:
        return None
    choices, before = [], -1
    for buffer_ms in BUFFERS_MS:
        playout_ns = came[0] + buffer_ms * NS_PER_MS
        in_time = bisect_right(came, playout_ns)
        if in_time > before:  # else it is as lossy as a shorter one, and later
            choices.append(_heard(flows, playout_ns, robustness))
        before = in_time
    return max(choices, key=lambda choice: choice.rating)


def _heard(flows: Iterable[Delays], playout_ns: float, robustness: float) -> Playout:
    gone = Runs()
    for flow in flows:
        gone += runs(delay is None or delay > playout_ns for delay in flow)
    one_way_ms = playout_ns / NS_PER_MS + PACKET_MS
    r = rating(one_way_ms, gone.lost_ratio, gone.burst_r, robustness)
    return Playout(playout_ns, gone.lost_ratio, r)
