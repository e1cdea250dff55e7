# SPDX-License-Identifier: Apache-2.0
"""The share of a small router's processor that counted packets take at an access line.

    cycles of a packet = its instructions x cycles an instruction
    share              = sum over both ways of packets/s x cycles / clock

Cycles an instruction are those that docs/estimate.md has of a MIPS 24Kc with caches of 64 and
32 KiB, over four setups and two boards: from 2.0 (a hundred linear rules, a loop that stays in the
cache) to 2.7 (routing, tracking, NAT). So the share is an estimate with that interval.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gatemark.judge.capacity.line import Line
from gatemark.price.gateway import ARRIVES, Counted
from gatemark.price.traffic import Kind
from gatemark.tell.words.number import DASH

CYCLES: Final = (2.0, 2.6, 2.7)  # an instruction: least, likely, most
FRAME_BYTES: Final = 1518  # of a line that is full of downloads
WAYS: Final = {"up": "up", "reply": "down"}  # kinds of a known connection -> the line's way
VALID: Final = (
    "An estimate: established connections, counted on MIPS, by the cycles an instruction that a "
    "24Kc with caches of 64 and 32 KiB takes (2.0 to 2.7); the card's driver is not in it, and "
    "neither is an own program."
)

Three = tuple[float, float, float]  # least, likely, most


@dataclass(frozen=True, slots=True)
class Load:
    """The use of a processor at a line."""

    share: Three  # of the processor, by all that was counted
    rules: Three  # of it, by the rules
    limit: Three  # packets/s, as many up as down

    @property
    def fits(self) -> bool:
        """Return whether the line may be full."""
        return self.share[1] <= 1


def load(
    counts: Mapping[Kind, Counted],
    rules: Mapping[Kind, int],
    line: Line,
    clock_hz: float,
    frame_bytes: float = FRAME_BYTES,
) -> Load | None:
    """The load of both ways full; `rules` are the instructions of them by kind.

    None where a way of the line has no known connection that arrives.
    """
    kinds = _kinds(counts)
    if set(kinds) != set(WAYS.values()):
        return None
    rates = line.packets(frame_bytes)
    whole = sum(rates[way] * counts[kind].instructions for way, kind in kinds.items())
    part = sum(rates[way] * rules.get(kind, 0) for way, kind in kinds.items())
    mean = sum(counts[kind].instructions for kind in kinds.values()) / len(kinds)
    return Load(
        _times(whole / clock_hz),
        _times(part / clock_hz),
        (_least(clock_hz, mean, 2), _least(clock_hz, mean, 1), _least(clock_hz, mean, 0)),
    )


def _kinds(counts: Mapping[Kind, Counted]) -> dict[str, Kind]:
    """The known connection of each way, of IPv4 if there is one."""
    kinds: dict[str, Kind] = {}
    for kind, counted in counts.items():
        if kind.name in WAYS and counted.fate == ARRIVES and counted.modes:
            kinds.setdefault(WAYS[kind.name], kind)
    return kinds


def _times(instructions: float) -> Three:
    least, likely, most = (instructions * cycles for cycles in CYCLES)
    return least, likely, most


def _least(clock_hz: float, instructions: float, at: int) -> float:
    return clock_hz / (instructions * CYCLES[at])


def sentences(now: Load, then: Load | None, line: Line, clock_hz: float) -> Iterator[str]:
    """Say what a line takes, what the limit is, and what it would be with the changes."""
    down, up = line.down_bps / 1e6, line.up_bps / 1e6
    clock = f"a MIPS 24Kc at {clock_hz / 1e6:g} MHz"
    yield (
        f"At {down:g}/{up:g} Mbit/s, both ways full of {FRAME_BYTES}-byte frames, {clock} is "
        f"{_percent(now.share)} busy, {_percent(now.rules)} by the rules"
        f"{'' if now.fits else ': the line does not fit'}."
    )
    least, likely, most = (1e6 / pps for pps in reversed(now.limit))
    packet = f"{likely:.0f} ({least:.0f}{DASH}{most:.0f}) \u00b5s"
    limit = f"A packet takes {packet}, so it could carry {_kilo(now.limit)} k packets/s"
    yield f"{limit}; with the changes above {_kilo(then.limit)} k." if then else f"{limit}."
    yield VALID


def _percent(values: Three) -> str:
    least, likely, most = (f"{100 * value:.0f}" for value in values)
    return f"{likely} ({least}{DASH}{most}) %"


def _kilo(values: Three) -> str:
    least, likely, most = (f"{value / 1e3:.0f}" for value in values)
    return f"{likely} ({least}{DASH}{most})"
