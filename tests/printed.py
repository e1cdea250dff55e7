# SPDX-License-Identifier: Apache-2.0
"""Numbers as a first answer prints them, and whether they are what they should be.

A number may be off by half of its last digit that counts, which is where its error begins.
"""

import re
from collections.abc import Iterator
from math import isnan
from typing import Final, NamedTuple

from sums import Truth, place

Cell = re.Match[str]
N: Final = "\N{MINUS SIGN}?" + r"\d[\d.]*"
TO: Final = "(?:\N{EN DASH}| to )"
SPAN: Final = rf"(?P<value>{N})(?: ± (?P<error>{N})| \((?P<lo>{N}){TO}(?P<hi>{N})\))?"
CELL: Final = re.compile(rf"(?<!\S)(?:(?P<bound>≥ )?{SPAN}|" + "\N{EN DASH})(?!\\S)")
HEAD: Final = re.compile(r"time a|\d+ bytes|no loss to|kept at|p50 at(?: [\d.]+ k)?|\S+")
SINGLE: Final = "of a single trial"


class Table(NamedTuple):
    caption: str
    heads: tuple[str, ...]
    units: str
    rows: dict[str, list[Cell]]  # by the arm


class Claim(NamedTuple):
    """What is printed, where, and what it should be, divided by a factor."""

    where: str
    cell: Cell
    truth: Truth | None
    factor: float
    step: float = 0.0


Claims = Iterator[Claim | str]


def table(text: str, begins: str, names: dict[str, str]) -> Table:
    """The table whose caption begins so; empty where there is none."""
    block = re.search(rf"^(?:{begins}).*?(?=^Line |^\d+ more row|^$|\Z)", text, re.M | re.S)
    lines = block[0].splitlines() if block else [" ", " "]
    head = next(i for i, line in enumerate(lines) if line.startswith(" "))
    heads = tuple(HEAD.findall(lines[head]))
    rows = {}
    for line in lines[head + 2 :]:
        name = max((n for n in names if line.startswith(f"{n} ")), key=len, default=line)
        rest = line[len(name) :]
        cells = [*CELL.finditer(rest)][-len(heads) :]
        is_strange = not cells or rest[: cells[0].start()].strip()
        rows[line if is_strange else names.get(name, name)] = cells
    return Table(" ".join(lines[:head]), heads, " ".join(lines[head + 1].split()), rows)


def number(text: str | None) -> float:
    return float((text or "nan").replace("\N{MINUS SIGN}", "-"))


def unit(text: str) -> float:
    """Of the last digit that is printed."""
    return 10.0 ** -len(text.partition(".")[2])


def off(claim: Claim) -> str:
    """How a cell contradicts what it should be; "" where it does not."""
    where, cell, truth, factor, step = claim
    text, step = cell["value"], step / factor
    if text is None or truth is None:
        return "" if text == truth else f"{where}: {cell[0]}, not {truth}"
    ends = truth[:3] if truth.n > 1 else (truth.value,) * 3
    value, lo, hi = (round(x / factor, 9) for x in ends)
    error, digit = max(value - lo, hi - value), place(value, lo, hi)
    if step and error <= 2 * step:
        digit = max(digit, place(value, value, value))
    printed = [(number(text), value), (number(cell["lo"]), lo), (number(cell["hi"]), hi)]
    wrong = any(abs(end - at) > 0.501 * digit + step for end, at in printed)
    more = number(cell["error"]) - error  # it is rounded up, but for a twentieth
    wrong |= more < -0.06 * digit - step or more > digit + step
    if error and not step:
        wrong |= any(abs(x / digit - round(x / digit)) > 1e-6 for x, _ in printed if not isnan(x))
        wrong |= unit(text) > max(digit, 1.001)
    if wrong:
        return f"{where}: {cell[0]}, not {value:.6g} ({lo:.6g} to {hi:.6g})"
    return f"{where}: {cell[0]} {SINGLE}" if truth.n < 2 else ""


def ends(cell: Cell) -> tuple[float, float]:
    """Of an interval as it is printed, and as far as it may be rounded."""
    more = number(cell["error"] or "0") + unit(cell["value"]) / 2
    return number(cell["lo"] or cell["value"]) - more, number(cell["hi"] or cell["value"]) + more


def around_zeros(text: str) -> tuple[float, float]:
    """What may have been rounded to it; zeros may stand for other digits."""
    half = 0.501 * (unit(text) if "." in text else 10.0 ** (len(text) - len(text.rstrip("0"))))
    return number(text) - half, number(text) + half
