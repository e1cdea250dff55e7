# SPDX-License-Identifier: Apache-2.0
"""`gatemark fit` of a run in instructions, in print: what a packet executes, and what for."""

from collections.abc import Iterator, Sequence

from gatemark.judge.capacity.count import Count
from gatemark.judge.capacity.model import Model
from gatemark.tell.answer import capacity
from gatemark.tell.words import fold, number, traffic
from gatemark.tell.words.number import PERCENT
from gatemark.tell.words.screen import Line
from gatemark.tell.words.table import NONE, Table

NO_RATE = "Instructions are no time: what rate a gateway carries is not told by them."


def lines(model: Model, texts: Sequence[tuple[str, Count]]) -> Iterator[Line]:
    """The answer for each frame size (its name, and the count), then what it is made of."""
    for name, count in texts:
        yield "", sentence(name, count)
    yield from fold.styled(_parts(model, texts), fold.room())
    yield "", ""
    yield from (("dim", text) for text in _notes(model))


def sentence(name: str, count: Count) -> str:
    """`nat + filter:100 at frames of 64 B, up: 24133 instructions a packet (24100 to 24170)`."""
    span = f"{count.least:.0f} to {count.most:.0f}"
    what = f"{count.case.setup.words} at {name}, {traffic.way(count.case.direction)}"
    text = f"{what}: {count.instructions.value:.0f} instructions a packet ({span})"
    return text if count.measured is None else f"{text}; counted: {count.measured.value:.0f}"


def row(model: Model, count: Count) -> dict[str, object]:
    """The same as JSON has it."""
    return {
        "setup": count.case.setup.words,
        "direction": count.case.direction,
        "frame_bytes": count.case.frame_bytes,
        "instructions": count.instructions.value,
        "instructions_lo": count.least,
        "instructions_hi": count.most,
        "counted": count.measured.value if count.measured else None,
        "parts": {name: i.value for name, i in count.parts.items()},
        "margin": model.margin,
        "level": model.level,
    }


def _parts(model: Model, texts: Sequence[tuple[str, Count]]) -> Table:
    names = list(dict.fromkeys(name for _, count in texts for name in count.parts))
    rows = []
    for name in names:
        own = [count.parts.get(name) for _, count in texts]
        cells = (NONE if i is None else number.plain(i.value, 0) for i in own)
        rows.append((capacity.part(name, model.base_path), *cells))
    heads = (f"{count.case.frame_bytes:.0f} B {count.case.direction}" for _, count in texts)
    numeric = frozenset(range(1, len(texts) + 1))
    return Table("What they are for", ("of it", *heads), tuple(rows), numeric)


def _notes(model: Model) -> Iterator[str]:
    yield NO_RATE
    if model.level:
        off = number.quantity(model.margin - 1, "ratio")
        sure = f"{number.plain(model.level / PERCENT.factor, 0)} %"
        yield f"In brackets: ± {off}, by which {sure} of setups were off that the fit did not know."
    yield from (f"The sum fails: {text}." for text in capacity.failures(model))
