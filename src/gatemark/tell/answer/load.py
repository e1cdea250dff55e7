# SPDX-License-Identifier: Apache-2.0
"""CPU load by every way of accounting, in tables: at each rate, and the rate at 80 and 100 %."""

from collections.abc import Sequence

from gatemark.judge.point.load import FLOWS, WAYS, Load, RateAt
from gatemark.tell.words import number
from gatemark.tell.words.number import KPPS, PERCENT
from gatemark.tell.words.table import NONE, Table
from gatemark.unit import l1_bps, payload_bytes

MBIT = 1e6


def loads(loads: Sequence[Load]) -> Table:
    """One line for each point: the load by each way, and what ticks and soak differ by."""
    rows = tuple(
        (
            load.arm,
            level(load),
            number.interval(load.received_pps, KPPS),
            *(_share(load, way) for way in WAYS),
            number.interval(load.apart, PERCENT) if load.apart else NONE,
        )
        for load in loads
    )
    head = ("setup", "offered", "received, k packets/s", *(f"CPU by {way}, %" for way in WAYS))
    caption = "CPU load by each way of accounting; ticks less soak in the same trials"
    return Table(
        caption, (*head, "ticks less soak, points"), rows, frozenset(range(2, 3 + len(WAYS) + 1))
    )


def rates(rates: Sequence[RateAt]) -> Table:
    """The rate at 80 and at 100 % CPU, between measured rates by a straight line."""
    rows = tuple(
        (
            rate.arm,
            rate.way,
            f"{100 * rate.share:.0f} %",
            number.interval(rate.pps, KPPS) if rate.pps else f"not reached: {_busy(rate)}",
            *(_bits(rate) if rate.pps else (NONE, NONE)),
        )
        for rate in rates
    )
    head = ("setup", "by", "CPU", "k packets/s", "Mbit/s (L1)", "Mbit/s (L4)")
    return Table("Rate at a share of the CPU", head, rows, frozenset({4, 5}))


def level(load: Load) -> str:
    """What varies, at this point: `20 k packets/s`, `1000 flows`."""
    if load.factor == FLOWS:
        return f"{load.level:g} flows"
    unit = "packets/s" if load.factor == "rate_pps" else "bit/s"
    return number.nominal(load.level, unit)


def percent(share: float) -> str:
    """A share of a CPU in whole per cent."""
    return f"{number.plain(share / PERCENT.factor, 0)} %"


def _share(load: Load, way: str) -> str:
    return number.interval(load.busy[way], PERCENT) if way in load.busy else NONE


def _busy(rate: RateAt) -> str:
    return f"{percent(rate.most_busy)} at most"


def _bits(rate: RateAt) -> tuple[str, str]:
    size, pps = rate.definition.frame_bytes, rate.pps
    if not size or not pps:
        return NONE, NONE
    payload = payload_bytes(size, rate.definition.family) * 8 * pps.value
    return f"{l1_bps(pps.value, size) / MBIT:.1f}", f"{payload / MBIT:.1f}"
