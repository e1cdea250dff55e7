# SPDX-License-Identifier: Apache-2.0
"""`diff` in print: benchstat's layout, one table for each quantity; `beside` has its style too."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TextIO, TypeVar

from gatemark.judge.change.comparable import Difference, in_words
from gatemark.judge.change.compare import UNBOUNDED, size
from gatemark.judge.change.diff import Compared, Diff
from gatemark.judge.change.sampled import KNEE, Sampled
from gatemark.judge.judgement import Change
from gatemark.judge.math.interval import Interval
from gatemark.quantity import is_bounded
from gatemark.tell.fact import say
from gatemark.tell.sentence import nat
from gatemark.tell.words import change, column, fold, number, screen, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.number import PERCENT, Scale
from gatemark.tell.words.screen import Line
from gatemark.tell.words.table import ADJUSTED, FAMILY, Table

T = TypeVar("T")
LONGEST = 60  # characters of one condition
BLIND = 0.1  # a change beyond the noise that repeats may hide, if nothing is said of it
NAMES = {KNEE: "knee", "received_pps": "received", "goodput_bps": "goodput"}
COLOUR = {"slower": "red", "faster": "green"}


def tell(lines: Iterable[Line], stream: TextIO | None = None) -> None:
    """Print on stdout (or `stream`); colour and wrapped text only on a terminal."""
    width = fold.room()
    screen.tell(((style, t) for style, text in lines for t in fold.wrapped(text, width)), stream)


def diff_lines(diff: Diff, names: tuple[str, str]) -> Iterator[Line]:
    """An old run against a new one; `names` are theirs."""
    yield from shapes(diff)
    yield from (("bold", text) for text in nat.changed(diff.rows))
    yield "bold", _verdict(diff, names)
    yield from changes(diff)
    for which, alone in (("OLD", diff.only_old), ("NEW", diff.only_new)):
        if alone:
            yield "", ""
        for row in alone:
            yield "yellow", f"only in {which}: {what(row)}, {name(row)}: {_value(row)}"
    yield "", ""
    yield "dim", _noise(diff)
    yield "dim", FAMILY
    yield from differing(diff.conditions)


def shapes(diff: Diff) -> Iterator[Line]:
    """Which shapes of loss came or went: they say more than a rate does."""
    yield from (("bold", f"loss changed its shape: {say.words(fact)}") for fact in diff.shapes)


def changes(diff: Diff) -> Iterator[Line]:
    """Its tables: a row for each value, one table for each quantity.

    Of what a kind tells besides its headline only what differs.
    """
    listed = [
        row for row in diff.rows if _is_headline(row.new) or row.old.samples != row.new.samples
    ]
    if same := len(diff.rows) - len(listed):
        yield "dim", f"{_count(same)} more {'is' if same == 1 else 'are'} the same"
    for rows in by_quantity(listed, lambda row: row.new.quantity):
        yield from table(_diff_table(rows), [COLOUR.get(r.change.verdict, "") for r in rows])
    if diff.ceilings:
        for rows in by_quantity(diff.ceilings, lambda row: row.new.quantity):
            yield from table(_diff_table(rows, "tester's ceiling, without the gateway: "))


def _is_headline(row: Sampled) -> bool:
    return row.quantity in (KNEE, row.definition.headline)


def _verdict(diff: Diff, names: tuple[str, str]) -> str:
    """The number of values that changed, or why that is not known; no row contradicts it."""
    quantities = dict.fromkeys(name(row.new) for row in diff.rows)
    old, new = names
    compared = f"{new} against {old}, {_count(len(diff.rows))} ({', '.join(quantities)})"
    if why := incomparable(diff):
        return f"{why}; {diff.slower_than_tester} slower by more than that: {compared}"
    verdicts = [row.change.verdict for row in diff.rows]
    parts = [f"{verdicts.count(v)} {v}" for v in COLOUR if v in verdicts]
    return f"{', '.join(parts) or _undecided(diff)}: {compared}"


def incomparable(diff: Diff) -> str:
    """Return why the runs cannot be compared; "" where they can."""
    if not diff.tester:
        return ""
    return f"not comparable: the tester itself changed by {_percent(diff.tester.change.change)} %"


def _undecided(diff: Diff) -> str:
    """The first words where no value surely changed, and the number of values that say less."""
    shown = [row.change.mde for row in diff.rows if not row.at_least]
    seen = [mde for mde in shown if mde < UNBOUNDED]
    parts = [_doubt(diff.rows, seen) or _unseen(diff.rows, seen)]
    if len(seen) < len(shown):
        parts.append(f"{len(shown) - len(seen)} with too few repeats to show any")
    if len(shown) < len(diff.rows):
        parts.append(f"{len(diff.rows) - len(shown)} limited by the tester")
    return "; ".join(parts)


def _doubt(rows: Sequence[Compared], seen: Sequence[float]) -> str:
    """Return how many values differ, if one does by more than would be seen in it, else ""."""
    values = [row.change.change.value for row in rows]
    if all(size(x) <= _visible(row, seen) for x, row in zip(values, rows, strict=True)):
        return ""
    count = sum(size(x) > row.change.noise for x, row in zip(values, rows, strict=True))
    most = max((abs(x) for x, row in zip(values, rows, strict=True) if _had(row)), default=0.0)
    by = f" by up to {number.plain(100 * most, 1)} %" if 0 < most < UNBOUNDED else ""
    return f"inconclusive: {count} of {_count(len(rows))} differ{'s' if count == 1 else ''}{by}"


def _visible(row: Compared, seen: Sequence[float]) -> float:
    """The change that is said to show in a value: its own MDE, or the largest of other values."""
    has_own = not row.at_least and row.change.mde < UNBOUNDED
    return row.change.mde if has_own else max((row.change.noise, *seen))


def _unseen(rows: Sequence[Compared], seen: Sequence[float]) -> str:
    """Return that no value differs, with the change that would have been seen in any of them.

    Where the repeats spread so far that a large change would not have been, nothing is denied.
    """
    is_noisy = any(row.change.verdict == "within noise" for row in rows)
    text = f"no difference {'beyond noise ' if is_noisy else ''}seen"
    if not seen:
        return text
    most = number.plain(100 * max(seen), 1)
    if max(seen) - max(row.change.noise for row in rows) > BLIND:
        return f"cannot be told: the repeats spread so far that a change of {most} % could hide"
    return f"{text}; a change of {most} % would have been"


def _count(values: int) -> str:
    return f"{values} value{'' if values == 1 else 's'}"


def differing(differences: Iterable[Difference]) -> Iterator[Line]:
    """What else differs between old and new, a line each."""
    for difference in differences:
        yield "yellow", f"differs: {difference.field}: {_changed(difference)}"


def what(row: Sampled) -> str:
    """A value's setup and traffic in short: `nat, ↑ up, 64 B, 64 flows`."""
    return f"{row.setup}, {load(row)}"


def load(row: Sampled) -> str:
    """Its traffic alone."""
    parts = [traffic.load(row.definition)]
    parts += [
        traffic.factor(key, row.asked[key])
        for key in ("rate_pps", "rate_bps")
        if row.asked.get(key)
    ]
    return ", ".join(parts)


def name(row: Sampled) -> str:
    """A quantity in words, without its unit."""
    plain = row.quantity.removesuffix("_ns").removesuffix("_bps").removesuffix("_pps")
    return NAMES.get(row.quantity, plain.replace("_", " "))


def _diff_table(rows: Sequence[Compared], before: str = "") -> Table:
    to = scale(value for row in rows for value in (row.old, row.new))
    return column.table(
        f"{before}{name(rows[0].new)}",
        rows,
        Column("what", lambda r: what(r.old) if r.old.setup == r.new.setup else load(r.old)),
        column.number(f"old, {to.unit}", lambda row: shown(row.old, to)),
        column.number(f"new, {to.unit}", lambda row: shown(row.new, to)),
        column.number("change, %", _changed_by),
        column.number(ADJUSTED, lambda row: f"{row.change.p:.3f}"),
        column.number("MDE, %", lambda row: _mde(row.change)),
        Column("verdict", lambda row: change.verdict(row.change, at_least=row.at_least)),
        Column(
            "differs in",
            lambda row: "; ".join(map(str, row.differences)) or "none",
            is_there=any(row.differences for row in rows),
        ),
    )


def table(made: Table, styles: Sequence[str] = ()) -> Iterator[Line]:
    """A table with its caption, no wider than the terminal; `styles` are those of its rows."""
    yield from fold.styled(made, fold.room(), styles)


def by_quantity(rows: Sequence[T], of: Callable[[T], str]) -> list[list[T]]:
    """Rows of one quantity each, so that a column has one unit."""
    groups: dict[str, list[T]] = {}
    for row in rows:
        groups.setdefault(of(row), []).append(row)
    return list(groups.values())


def scale(rows: Iterable[Sampled]) -> Scale:
    """The one scale of a column; at least one row, all of one unit."""
    listed = list(rows)
    return number.scale([row.interval.value for row in listed], listed[0].unit)


def shown(row: Sampled, to: Scale) -> str:
    """A value with its interval, `≥` before a lower bound."""
    return number.interval(row.interval, to, at_least=_is_bound(row))


def _value(row: Sampled) -> str:
    return number.quantity_interval(row.interval, row.unit, at_least=_is_bound(row))


def _is_bound(row: Sampled) -> bool:
    return row.at_least and is_bounded(row.quantity)


def _percent(change: Interval) -> str:
    if abs(change.value) >= UNBOUNDED or change.hi >= UNBOUNDED:
        return number.DASH
    text = number.interval(change, PERCENT)
    risen = change.value > 0 and any(digit in "123456789" for digit in re.split(r"[ (]", text)[0])
    return f"+{text}" if risen else text


def _changed_by(row: Compared) -> str:
    """The change as a share of what was there before; of nothing there is none."""
    return _percent(row.change.change) if _had(row) else number.DASH


def _had(row: Compared) -> bool:
    return row.old.interval.value != 0


def _mde(change: Change) -> str:
    if change.mde >= UNBOUNDED:
        return number.DASH
    return number.plain(100 * change.mde, 1)


def _noise(diff: Diff) -> str:
    noise = diff.noise
    parts = [f"{number.quantity(noise.least, 'ratio')} at least"]
    if noise.twins:
        parts.append(
            f"an arm differed from itself (A/A) by {number.quantity(noise.twins, 'ratio')}"
        )
    text = f"noise: up to {number.quantity(noise.ratio, 'ratio')} is not told ({'; '.join(parts)})"
    if not diff.ceilings:
        return text
    steady = number.quantity(diff.ceilings[0].change.noise, "ratio")
    return f"{text}; of the tester's ceiling up to {steady}"


def _changed(difference: Difference) -> str:
    """Both values in one line; of long ones the first lines that differ."""
    old, new = in_words(difference.old), in_words(difference.new)
    if "\n" in f"{old}{new}":
        before, after = old.splitlines(), new.splitlines()
        old = _first([line for line in before if line not in after])
        new = _first([line for line in after if line not in before])
    same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    if same > LONGEST // 2 and max(len(old), len(new)) > LONGEST:  # what differs would be cut off
        old, new = (f"…{text[same - LONGEST // 4 :]}" for text in (old, new))
    return f"{_short(old)} → {_short(new)}"


def _first(lines: Sequence[str]) -> str:
    more = f" (and {len(lines) - 1} lines more)" if len(lines) > 1 else ""
    return _short(lines[0].strip()) + more if lines else number.DASH


def _short(text: str) -> str:
    return text if len(text) <= LONGEST + 24 else f"{text[:LONGEST]}…"
