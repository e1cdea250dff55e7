# SPDX-License-Identifier: Apache-2.0
"""Names of what a plan yields or a run holds; and what of a row is not there.

Plans (declared.py) and runs (measured.py) use the same names, so that one rule judges both:
quantities, and `QUANTITY of FEATURE`, of arms that have it; `kernel.NAME`, a kernel of
gm-algorithms; `evidence.NAME`, a field of a record's evidence that is not empty, and
`evidence.NAME.KEY`, a count in it that is not 0; `inventory.NAME`, a fact of the gateway that is
known, and `inventory.NAME=FACT`; `station.NAME`, what its file makes it; `change`, arms compared
with the first; `step`, a ladder; `watched`, a program beside a sweep of rates; `cross-check`,
another tool beside ours; `rates-at-load`, the rate at a share of the CPU; `by-size`, what packets
and bytes cost, and `loss-by-size`, of UDP at overload; `claims`, a study's own, tested; `ceiling`,
the tester alone; `rises`, whether packets/s rise with the frame size; `at-once`, several gateways
in turns; `cores`, a gateway that works on several; `firmwares`, two of one box by `gatemark ab`,
boot by boot; `factory`, one of them of another maker; `metered`, by a meter of the gateway's own;
`spread`, repeats until they agree; `mean`, several repeats; `deviations`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from gatemark.store.study.requirement import Need

DIRECT: Final = "direct"
INVENTORY: Final = "inventory."
STATION: Final = "station."


class Reading(NamedTuple):
    """The holdings of a run, of one arm at one point."""

    arm: tuple[str, str]  # its plan and name: features that follow the line differ within an arm
    names: frozenset[str]
    arms: frozenset[str]  # its path and features
    levels: Mapping[str, str]  # factor -> level, as text
    swept: frozenset[str]  # the factors that its plan varies


class Offer(NamedTuple):
    """The yield of a plan, or what a run of it holds."""

    names: frozenset[str]
    arms: frozenset[str]  # paths and features
    levels: Mapping[str, frozenset[str]]  # factor -> levels, as text
    readings: tuple[Reading, ...] = ()  # of a run: which of them were there together


def joined(offers: Sequence[Offer]) -> Offer:
    """All of several."""
    levels: dict[str, frozenset[str]] = {}
    for offer in offers:
        for factor, texts in offer.levels.items():
            levels[factor] = levels.get(factor, frozenset()) | texts
    return Offer(
        frozenset().union(*(offer.names for offer in offers)),
        frozenset().union(*(offer.arms for offer in offers)),
        levels,
        tuple(reading for offer in offers for reading in offer.readings),
    )


def lacking(need: Need, offer: Offer) -> tuple[str, ...]:
    """Return what of a row is not there, in words; nothing: all is."""
    return tuple(dict.fromkeys(_lacking(need, offer)))


def yields_any(need: Need, offer: Offer) -> bool:
    """Return whether at least one of the names is there."""
    return any(_has(name, offer.names) for name in need.yields)


def _lacking(need: Need, offer: Offer) -> Iterator[str]:
    yield from (f"no {name}" for name in need.yields if not _has(name, offer.names))
    if offer.readings:
        yield from _unread(need, offer.readings)
        return
    yield from (f"no arm {name}" for name in need.arms if not _is_arm(name, offer.arms))
    for factor in need.over:
        if len(offer.levels.get(factor, ())) <= 1:
            yield _constant(factor)
    for factor, wanted in need.levels.items():
        if absent := [level for level in wanted if level not in offer.levels.get(factor, ())]:
            yield _never(factor, absent)


def _unread(need: Need, readings: Sequence[Reading]) -> Iterator[str]:
    """Yield what the values of a row lack: an arm or a level that another value has is none.

    Where the row asks for nothing that is read at a point, every reading counts.
    """
    wanted = {name for name in need.yields if any(name in r.names for r in readings)}
    own = [r for r in readings if r.names & wanted] if wanted else readings
    for name in need.arms:
        if not any(_is_arm(name, reading.arms) for reading in own):
            yield f"no arm {name}"
    near = [r for r in own if any(_is_arm(name, r.arms) for name in need.arms or ("",))]
    for factor in need.over:
        if not all(_varies(factor, part) for part in _by_name(factor, wanted, near)):
            yield _constant(factor)
    for factor, texts in need.levels.items():
        for part in _by_name(factor, wanted, near):
            levels = {reading.levels.get(factor) for reading in part}
            if absent := [text for text in texts if text not in levels]:
                yield _never(factor, absent)


def _by_name(
    factor: str, wanted: Collection[str], readings: Sequence[Reading]
) -> list[Sequence[Reading]]:
    """The readings of each name that is measured over a factor; where none is, all of them."""
    parts = [[r for r in readings if name in r.names and factor in r.swept] for name in wanted]
    return [part for part in parts if part] or [readings]


def _varies(factor: str, readings: Sequence[Reading]) -> bool:
    """Return whether an arm has it at two levels: two arms at one level each compare nothing."""
    levels: dict[tuple[str, str], set[str | None]] = {}
    for reading in readings:
        levels.setdefault(reading.arm, set()).add(reading.levels.get(factor))
    return any(len(own - {None}) > 1 for own in levels.values())


def _constant(factor: str) -> str:
    return f"{factor} does not vary"


def _never(factor: str, levels: Collection[str]) -> str:
    return f"{factor} is never {', '.join(levels)}"


def _is_arm(name: str, arms: Collection[str]) -> bool:
    return any(arm.startswith(name) for arm in arms)


def _has(name: str, names: Collection[str]) -> bool:
    """A plan does not know what a gateway or its station tells: it has these names as a whole."""
    return name in names or any(name.startswith(of) and of in names for of in (INVENTORY, STATION))
