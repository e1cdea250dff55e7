# SPDX-License-Identifier: Apache-2.0
"""`gatemark fit` of a run in instructions, in print: what a packet executes, and what for."""

from collections.abc import Iterator, Sequence

from gatemark.report.answer import capacity as told
from gatemark.report.answer.diff import Line
from gatemark.report.words import number, traffic
from gatemark.report.words.number import PERCENT
from gatemark.report.words.table import NONE, Table
from gatemark.stats.capacity.count import Count
from gatemark.stats.capacity.model import Model

NO_RATE = "Instructions are no time: what rate a gateway carries is not told by them."


def lines(model: Model, found: Sequence[tuple[str, Count]]) -> Iterator[Line]:
    """The answer for each frame size (its name, and the count), then what it is made of."""
    for name, one in found:
        yield "", sentence(name, one)
    yield "", ""
    yield from (("dim", text) for text in _parts(model, found).lines())
    yield "", ""
    yield from (("dim", text) for text in _notes(model))


def sentence(name: str, one: Count) -> str:
    """`nat + filter:100 at frames of 64 B, up: 24133 instructions a packet (24100 to 24170)`."""
    span = f"{one.least:.0f} to {one.most:.0f}"
    what = f"{one.case.setup.words} at {name}, {traffic.way(one.case.direction)}"
    text = f"{what}: {one.instructions.value:.0f} instructions a packet ({span})"
    return text if one.measured is None else f"{text}; counted: {one.measured.value:.0f}"


def row(model: Model, one: Count) -> dict[str, object]:
    """The same as JSON has it."""
    return {
        "setup": one.case.setup.words,
        "direction": one.case.direction,
        "frame_bytes": one.case.frame_bytes,
        "instructions": one.instructions.value,
        "instructions_lo": one.least,
        "instructions_hi": one.most,
        "counted": one.measured.value if one.measured else None,
        "parts": {name: i.value for name, i in one.parts.items()},
        "margin": model.margin,
        "level": model.level,
    }


def _parts(model: Model, found: Sequence[tuple[str, Count]]) -> Table:
    names = list(dict.fromkeys(name for _, one in found for name in one.parts))
    rows = []
    for name in names:
        own = [one.parts.get(name) for _, one in found]
        cells = (NONE if i is None else number.plain(i.value, 0) for i in own)
        rows.append((told.part(name, model.base_path), *cells))
    heads = (f"{one.case.frame_bytes:.0f} B {one.case.direction}" for _, one in found)
    numeric = frozenset(range(1, len(found) + 1))
    return Table("What they are for", ("of it", *heads), tuple(rows), numeric)


def _notes(model: Model) -> Iterator[str]:
    yield NO_RATE
    if model.level:
        off = number.quantity(model.margin - 1, "ratio")
        sure = f"{number.plain(model.level / PERCENT.factor, 0)} %"
        yield f"In brackets: ± {off}, by which {sure} of setups were off that the fit did not know."
    yield from (f"The sum fails: {text}." for text in told.failures(model))
