# SPDX-License-Identifier: Apache-2.0
"""A delay that rises and falls by turns: the queue that TCP fills until it backs off.

The period is where the series' autocorrelation has its first peak after it fell below zero (Box,
Jenkins and Reinsel, Time Series Analysis, section 2.1.4). Noise has no such peak, neither has a
queue that fills once; both give None.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Final

ALIKE: Final = 0.5  # autocorrelation from which a period is told
PERIODS: Final = 3  # that a series must hold
SHORTEST: Final = 4  # steps of a period: fewer cannot be told from noise
SWING: Final = 0.1  # of the median delay: less is no sawtooth


@dataclass(frozen=True, slots=True)
class Sawtooth:
    """How a delay swings."""

    period_s: float
    swing_ns: float  # from trough to peak, the median over the periods
    trough_ns: float  # the median over the periods


def sawtooth(delays_ns: Sequence[float], step_s: float) -> Sawtooth | None:
    """The swing of a delay that was read at equal steps; None if there is none."""
    lag = _period(delays_ns)
    if lag is None:
        return None
    size = round(lag)
    periods = [delays_ns[at : at + size] for at in range(0, len(delays_ns) - size + 1, size)]
    trough = median(min(period) for period in periods)
    swing = median(max(period) for period in periods) - trough
    if swing < SWING * median(delays_ns):
        return None
    return Sawtooth(lag * step_s, swing, trough)


def standing_bytes(sawtooth: Sawtooth, least_ns: float, l2_bps: float) -> float:
    """The queue that never empties, in bytes of frames: its delay times the rate that drains it.

    `least_ns` is the delay of the way without a queue (Little's law: length = rate x time).
    """
    return max(0.0, sawtooth.trough_ns - least_ns) / 1e9 * l2_bps / 8


def _period(values: Sequence[float]) -> float | None:
    """In steps, between two of them by a parabola through the peak."""
    longest = len(values) // PERIODS
    if longest < SHORTEST:
        return None
    middle = fmean(values)
    centred = [value - middle for value in values]
    whole = fmean(value * value for value in centred)
    if not whole:
        return None
    alike = [_alike(centred, lag) / whole for lag in range(longest + 2)]
    fell = next((lag for lag, value in enumerate(alike) if value < 0), len(alike))
    rising = [lag for lag in range(max(fell, SHORTEST), longest + 1) if _is_peak(alike, lag)]
    lag = next((lag for lag in rising if alike[lag] >= ALIKE), None)
    if lag is None:
        return None
    before, at, after = alike[lag - 1 : lag + 2]
    bend = before - 2 * at + after
    return lag + (0.5 * (before - after) / bend if bend else 0.0)


def _alike(centred: Sequence[float], lag: int) -> float:
    """The mean product of values so many steps apart."""
    pairs = zip(centred, centred[lag:], strict=False)
    return fmean(value * other for value, other in pairs)


def _is_peak(alike: Sequence[float], lag: int) -> bool:
    around = alike[max(0, lag - 1) : lag + 2]
    return alike[lag] == max(around)


def typical(sawtooths: Sequence[Sawtooth]) -> Sawtooth:
    """The median of several, each of its numbers by itself."""
    return Sawtooth(
        median(sawtooth.period_s for sawtooth in sawtooths),
        median(sawtooth.swing_ns for sawtooth in sawtooths),
        median(sawtooth.trough_ns for sawtooth in sawtooths),
    )
