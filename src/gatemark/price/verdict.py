# SPDX-License-Identifier: Apache-2.0
"""OLD against NEW, kind of packet by kind of packet: what a reviewer of a change asks for.

Both are counted in one boot where they are two files of rules, else in a boot each.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from gatemark.judge.point.mode import shift
from gatemark.price.gateway import Counted
from gatemark.price.traffic import SAYS, Kind
from gatemark.printable import one_line
from gatemark.tell.words import markdown
from gatemark.tell.words.number import DASH
from gatemark.tell.words.table import Table

MOST_LINES: Final = 30  # of the comment
FUNCTIONS: Final = 3  # that are named for a kind
BOOT: Final = 0.001  # of a packet: boots may differ by as much, loads of one boot by less
NOT_MEASURED: Final = (
    "Not measured: time (caches, memory, the card's driver), batches of packets, throughput. "
    "Instructions are not time."
)
PAGE: Final = "How it is counted: docs/price.md of Gatemark."

Word = Literal["more", "fewer", "the same", "another end"]


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of packet by both."""

    kind: Kind
    old: Counted
    new: Counted

    @property
    def difference(self) -> int:
        """Instructions that NEW takes more."""
        if not self.old.modes or not self.new.modes:
            return 0
        return shift(self.old.modes, self.new.modes)

    @property
    def ratio(self) -> float:
        """The difference as a share of OLD's packet."""
        return self.difference / self.old.instructions if self.old.instructions else 0.0

    @property
    def functions(self) -> list[tuple[str, int]]:
        """Functions that differ, the largest difference first."""
        names = {*self.old.functions, *self.new.functions}
        by = {
            name: self.new.functions.get(name, 0) - self.old.functions.get(name, 0)
            for name in names
        }
        return sorted(((n, d) for n, d in by.items() if d), key=lambda row: (-abs(row[1]), row[0]))


def verdict(rows: Sequence[Row], allow: float, *, same_boot: bool) -> tuple[bool, str]:
    """Return whether NEW is worse than is accepted, and the sentence."""
    changed = [row for row in rows if row.old.fate != row.new.fate]
    if changed:
        row = changed[0]
        return True, (
            f"CHANGED: {SAYS[row.kind.name]} ({row.kind.family}) {row.new.fate}; "
            f"by OLD it {row.old.fate}"
        )
    least = 0 if same_boot else BOOT
    worst = max(rows, key=lambda row: row.ratio)
    if worst.ratio > max(allow, least):
        return True, f"REGRESSION: {_sentence(worst)}; accepted is {100 * allow:.2f} %"
    best = min(rows, key=lambda row: row.ratio)
    if worst.ratio > least:
        return False, f"within what is accepted ({100 * allow:.2f} %): {_sentence(worst)}"
    if best.ratio < -least:
        return False, f"BETTER: {_sentence(best)}"
    return False, "NO CHANGE: each kind of packet takes the same instructions"


def _sentence(row: Row) -> str:
    more = "more" if row.difference > 0 else "fewer"
    return (
        f"{SAYS[row.kind.name]} ({row.kind.family}), takes {abs(row.difference)} instructions "
        f"{more} ({_percent(row.ratio)})"
    )


def _percent(ratio: float) -> str:
    return f"{100 * ratio:+.2f} %"


def comment(
    names: tuple[str, str],
    rows: Sequence[Row],
    sentence: str,
    how: str,
    kernel: Sequence[tuple[str, int, int]] = (),
) -> list[str]:
    """The comment in Markdown, of at most 30 lines; `kernel` has sizes by name, OLD's and NEW's."""
    old, new = (markdown.text(one_line(name)) for name in names)
    table = Table(
        "Instructions of a packet",
        ("packet", "old", "new", "difference", "functions that differ most"),
        tuple(_cells(row) for row in rows),
        frozenset((1, 2, 3)),
    )
    lines = [f"**{sentence}**", "", f"`{old}` against `{new}`, {how}.", ""]
    lines += [*markdown.table(table), ""]
    if kernel:
        lines += [f"Sizes: {'; '.join(map(_size, kernel))}.", ""]
    lines += [NOT_MEASURED, PAGE]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 2], "", "(more rows: `--json`)"]
    return lines


def _size(row: tuple[str, int, int]) -> str:
    name, old, new = row
    return f"{name} {old}" if old == new else f"{name} {old} to {new} ({new - old:+d})"


def _cells(row: Row) -> tuple[str, ...]:
    family = "" if row.kind.family == "ipv4" else ", IPv6"
    moved = ", ".join(f"{name} {by:+d}" for name, by in row.functions[:FUNCTIONS])
    old, new = (str(side.instructions) if side.modes else DASH for side in (row.old, row.new))
    fate = "" if row.old.fate == row.new.fate else f" ({row.new.fate}, was: {row.old.fate})"
    return (
        f"{SAYS[row.kind.name]}{family}{fate}",
        old,
        new,
        f"{row.difference:+d} ({_percent(row.ratio)})" if row.difference else "0",
        moved if row.difference else "",
    )


def paired(old: Mapping[Kind, Counted], new: Mapping[Kind, Counted]) -> list[Row]:
    """Pair what was counted of both."""
    return [Row(kind, old[kind], new[kind]) for kind in old if kind in new]


def data(rows: Sequence[Row]) -> Iterator[Mapping[str, Any]]:
    """Yield a JSON object a kind of packet, with every function that differs."""
    for row in rows:
        yield {
            "packet": row.kind.label,
            "old": row.old.instructions,
            "new": row.new.instructions,
            "difference": row.difference,
            "old_fate": row.old.fate,
            "new_fate": row.new.fate,
            "functions": dict(row.functions),
        }


def sizes(rows: Iterable[tuple[str, int, int]]) -> Iterator[Mapping[str, Any]]:
    """Yield a JSON object a size of the kernel."""
    for name, old, new in rows:
        yield {"size": name, "old": old, "new": new, "difference": new - old}
