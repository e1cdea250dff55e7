# SPDX-License-Identifier: Apache-2.0
"""Which shaper to set, to which rate, and whether the gateway's CPU is fast enough for it.

The line's rate is what TCP got through without a shaper, with the headers of its segments: frames
without check sequence, as the kernel's shapers count them. A shaper must be the slowest on the way,
so its rate is a little less: 85 to 95 % (OpenWrt's guide to SQM sets 90 %).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from gatemark.judge.math.interval import Interval
from gatemark.judge.point.limit import QUEUE_FULL
from gatemark.judge.verdict.grade import LETTERS
from gatemark.judge.verdict.shaping import setup
from gatemark.judge.verdict.verdict import SHAPE, Verdict

SHARES: Final = (0.85, 0.95)  # of the line's rate
BUSY: Final = 0.8  # of a CPU: a shaper that may not have the rest meets bursts too late
SEGMENT_BYTES: Final = 1448.0  # payload of a full one, where TCP told nothing
HEADERS_BYTES: Final = {"ipv4": 66.0, "ipv6": 86.0}  # Ethernet, IP, TCP with time stamps (RFC 7323)
NO_LINE: Final = ("cpu", "tester", "memory")  # what held the uploads back was not the line
FILLED: Final = 0.8  # of an emulated line's rate: with less it was not the line either


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to set for one line and load, of the shapers that were measured beside no shaper."""

    before: Verdict  # without a shaper
    best: Verdict  # the best letter; of equal ones the most goodput. It may be `before`
    rates_bps: dict[str, tuple[float, float]]  # direction -> least and most to set the shaper to
    cpu: Interval | None  # the load of the gateway's busiest CPU with the best shaper
    holds_bps: Interval | None  # the highest rate that it holds, by a search; None: there was none
    fast_enough: bool | None  # whether its CPU is; None: nothing told

    @property
    def shaper(self) -> str:
        """The one to set; "": none is better than no shaper."""
        return self.best.shaper


def advice(
    verdicts: Sequence[Verdict], held_bps: Mapping[str, Interval] | None = None
) -> tuple[Advice, ...]:
    """One for each line and load that was measured without a shaper and with one.

    `held_bps`: the highest rate that each shaper was found to hold (judge/verdict/shaping.py).
    """
    made = []
    for before in verdicts:
        beside = [v for v in verdicts if v.shaper and _place(v) == _place(before)]
        if not before.shaper and beside and _is_of_line(before):
            best = _best([before, *beside])
            made.append(_advice(before, best, (held_bps or {}).get(setup(best.point.definition))))
    return tuple(made)


def _is_of_line(before: Verdict) -> bool:
    """Return whether the line is what held the uploads back."""
    filled = (
        line_bps(before, way) >= FILLED * rate_bps
        for way, rate_bps in before.line_bps.items()
        if way in before.goodput_bps
    )
    return before.point.limit not in NO_LINE and not _is_full(before.cpu) and all(filled)


def _is_full(cpu: Interval | None) -> bool:
    """Return whether the gateway's CPU was what TCP took all of, as the bottleneck `cpu` has it."""
    return cpu is not None and cpu.value >= QUEUE_FULL


def _advice(before: Verdict, best: Verdict, holds: Interval | None) -> Advice:
    line = {way: line_bps(before, way) for way in before.goodput_bps}
    return Advice(
        before=before,
        best=best,
        rates_bps={way: (SHARES[0] * bps, SHARES[1] * bps) for way, bps in line.items()},
        cpu=best.cpu,
        holds_bps=holds,
        fast_enough=fast_enough(best, holds, max(line.values(), default=0.0)),
    )


def fast_enough(shaped: Verdict, holds: Interval | None, needed_bps: float) -> bool | None:
    """By the search where there was one, else by the CPU under this load."""
    if not shaped.shaper:
        return None
    if holds is not None:
        return holds.lo >= SHARES[0] * needed_bps
    if shaped.point.limit == "cpu":
        return False
    return None if shaped.cpu is None else shaped.cpu.hi <= BUSY


def line_bps(verdict: Verdict, way: str) -> float:
    """The rate of a line by the goodput of what filled it: of frames without check sequence."""
    values = verdict.point.values
    names = (f"{name}.mss_bytes" if name else "mss_bytes" for name in verdict.loads)
    payload = next((values[name].value for name in names if name in values), SEGMENT_BYTES)
    around = HEADERS_BYTES[verdict.point.definition.family]
    return verdict.goodput_bps[way].value * (payload + around) / payload


def _best(verdicts: Iterable[Verdict]) -> Verdict:
    """Of equal letters no shaper at all, else the most goodput."""
    return min(verdicts, key=lambda v: (LETTERS.index(v.letter), bool(v.shaper), -_goodput(v)))


def _goodput(verdict: Verdict) -> float:
    return sum(value.value for value in verdict.goodput_bps.values())


def _place(verdict: Verdict) -> tuple[object, ...]:
    """Plan, factors and conditions: the same of arms that differ in their shaper alone."""
    point = verdict.point
    others = tuple(f for f in point.definition.features if not f.startswith(SHAPE))
    same = replace(point.definition, features=others, trace="")
    return point.plan, sorted(verdict.factors.items(), key=str), same
