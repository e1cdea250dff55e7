# SPDX-License-Identifier: Apache-2.0
"""Another tool's file beside runs: like definitions as far as its file tells them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from gatemark.judge.change.comparable import Row, differing
from gatemark.judge.change.sampled import Sampled
from gatemark.judge.subject import Subject
from gatemark.store.measured import OF_TOOL, UNKNOWN, Measured


@dataclass(frozen=True, slots=True)
class ToolSide:
    """One file of a tool, as `cmp` takes it."""

    tool: str  # with its version
    rows: Sequence[Sampled]
    free: frozenset[str]  # fields in which it may differ: what it does not tell, and who sent


def side(measured: Measured, quantities: Sequence[str] = ()) -> ToolSide:
    """A file by what its definition is about, or by these quantities."""
    names = [n for n in quantities or (measured.definition.headline,) if n in measured.values]
    subject = Subject(
        plan=measured.tool,
        arm=measured.tool,
        setup=f"{UNKNOWN} path",
        definition=measured.definition,
    )
    rows = [
        Sampled(
            subject=subject,
            asked=measured.asked,
            quantity=name,
            samples=(measured.values[name],),
            limit="unknown",
            at_least=False,
        )
        for name in names
    ]
    return ToolSide(measured.tool, rows, measured.unknown | OF_TOOL)


def put(
    rows: Sequence[Row], place: int, side: ToolSide, across: Collection[str], width: int
) -> Iterator[Row]:
    """The rows with the tool's values at its place: in every row that is like in what it tells.

    Nobody knows through which of a run's setups the tool sent, so it stands beside all of them.
    """
    left = list(side.rows)
    for row in rows:
        lead = next(value for value in row if value)
        like = next((v for v in side.rows if _is_like(lead, v, {*across, *side.free})), None)
        left = [value for value in left if value is not like]
        yield (*row[:place], like, *row[place + 1 :])
    for value in left:
        yield tuple(value if at == place else None for at in range(width))


def _is_like(lead: Sampled, value: Sampled, free: Collection[str]) -> bool:
    differences = {difference.field for difference in differing(lead, value)}
    return lead.quantity == value.quantity and differences <= set(free)
