# SPDX-License-Identifier: Apache-2.0
"""`cmp` in print: a column for each gateway, a table for each quantity."""

from collections.abc import Iterator, Sequence
from functools import partial

from gatemark.judge.change.cmp import Cell, Cmp
from gatemark.judge.change.comparable import in_words
from gatemark.judge.change.compare import UNBOUNDED
from gatemark.judge.change.sampled import Sampled
from gatemark.judge.fact import Fact
from gatemark.tell.fact import say
from gatemark.tell.verb.diff import by_quantity, name, scale, shown, table, what
from gatemark.tell.words import column, number
from gatemark.tell.words.column import Column
from gatemark.tell.words.number import AT_LEAST, Scale
from gatemark.tell.words.screen import Line
from gatemark.tell.words.table import Table

Row = Sequence[Cell | None]
AT_MOST = "\N{LESS-THAN OR EQUAL TO} "
CLOCKS = (
    "clocks: held where the ratio's interval holds their ratio, as where the CPU is the bottleneck"
)


def cmp_lines(comparison: Cmp, names: Sequence[str]) -> Iterator[Line]:
    """Gateways side by side."""
    for made in tables(comparison, names):
        yield from table(made)
    if any(cell.clock for row in comparison.rows for cell in row if cell):
        yield "", ""
        yield "dim", CLOCKS


def tables(comparison: Cmp, names: Sequence[str]) -> list[Table]:
    """Which gateway each column is, then a table for each quantity."""
    rows = [row for row in comparison.rows if any(row)]
    alike = by_quantity(rows, lambda row: _lead(row).quantity)
    return [_heads_table(comparison, names), *map(_cmp_table, alike)]


def _heads_table(comparison: Cmp, names: Sequence[str]) -> Table:
    """What stands above the columns: which gateway each is."""
    letters = [f"{letter(place)}: {called}" for place, called in enumerate(names)]
    facts = zip(*comparison.conditions, strict=True)
    body = tuple((row[0].field, *(_known(each.new) for each in row)) for row in facts)
    kept = tuple(row for row in body if {*row[1:]} != {"none"})
    return Table("Gateways", ("gateway", *letters), kept, frozenset())


def _known(value: object) -> str:
    return say.words(value) if isinstance(value, Fact) else in_words(value)


def _cmp_table(rows: Sequence[Row]) -> Table:
    cells = [cell for row in rows for cell in row if cell]
    to = scale(cell.value for cell in cells)
    runs = range(len(rows[0]))
    others = [*runs][1:]
    clocked = [at for at in others if any((cell := row[at]) and cell.clock for row in rows)]
    return column.table(
        f"{name(cells[0].value)}, {to.unit}",
        rows,
        Column("what", lambda row: what(_lead(row))),
        *(column.number(letter(at), partial(_value, at, to)) for at in runs),
        *(column.number(f"{letter(at)}/A", partial(_ratio, at)) for at in others),
        *(Column(f"clocks {letter(at)}/A", partial(_clock, at)) for at in clocked),
        Column("differs in", _differences, is_there=any(cell.differences for cell in cells)),
    )


def _value(at: int, to: Scale, row: Row) -> str:
    cell = row[at]
    return shown(cell.value, to) if cell else number.DASH


def _ratio(at: int, row: Row) -> str:
    cell = row[at]
    if not cell or not cell.ratio or cell.bound == "none" or cell.ratio.hi >= UNBOUNDED:
        return number.DASH
    sign = {"at least": AT_LEAST, "at most": AT_MOST}.get(cell.bound, "")
    return sign + number.interval(cell.ratio, Scale(1.0, ""))


def _clock(at: int, row: Row) -> str:
    """Whether the rate follows the clock from gateway to gateway."""
    cell = row[at]
    if not cell or not cell.clock:
        return number.DASH
    return f"{cell.clock.ratio:.3f} {'held' if cell.clock.held else 'not held'}"


def _differences(row: Row) -> str:
    return "; ".join(str(d) for cell in row if cell for d in cell.differences) or "none"


def _lead(row: Row) -> Sampled:
    return next(cell.value for cell in row if cell)


def letter(place: int) -> str:
    """A, B, ...: a run's directory is too long for the head of a column."""
    return chr(ord("A") + place) if place < 26 else f"#{place + 1}"
