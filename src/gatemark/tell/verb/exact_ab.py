# SPDX-License-Identifier: Apache-2.0
"""An A/B test in instructions, in print: functions that differ; the verdict is the last line."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from gatemark.judge.ab import differing
from gatemark.judge.change.exact_ab import Tested, regressed, worst
from gatemark.store.run import AB
from gatemark.tell.answer import exact
from gatemark.tell.fact import warned
from gatemark.tell.group.source import Source
from gatemark.tell.verb import ab, diff
from gatemark.tell.words import column, number, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.run import counts, repeat_command
from gatemark.tell.words.screen import Line
from gatemark.tell.words.table import Table

MOST: Final = 20  # functions of a point
COLOUR: Final = {"needs more": "red", "needs less": "green"}


def lines(made: Source, test: AB, rows: Sequence[Tested], page: Path) -> Iterator[Line]:
    """What the terminal says; the last line alone says how it ended."""
    run, judgement = made.run, made.judgement
    yield "bold", judgement.sentence
    yield "dim", "; ".join((*ab.sides(test), counts(judgement)))
    if rows:
        yield from diff.table(_points(rows), [COLOUR.get(row.word, "") for row in rows])
    for row in rows:
        if row.moved:
            caption = f"{_at(row)}: new against old, by function"
            yield from diff.table(exact.functions(caption, row.moved, MOST))
    yield "", ""
    yield from diff.differing(differing(run, test))
    yield from warned.lines(judgement)
    yield from (("", f"note    {note}") for note in run.notes)
    yield "", f"folder  {made.folder}"
    yield "", f"page    {page}"
    yield "", f"repeat  {repeat_command(run)}"
    yield "", ""
    yield ("red" if regressed(rows) else "bold"), verdict(test, rows)


def verdict(test: AB, rows: Sequence[Tested]) -> str:
    """`REGRESSION: new needs 163 instructions a packet more (+1.64 %); accepted is 1.00 %`."""
    if not rows:
        return "NOTHING COUNTED: no trial of both arms is valid"
    row = worst(rows)
    by, accepted = row.difference.value, number.quantity(test.allow, "ratio")
    word = "REGRESSION" if regressed(rows) else "OK"
    if not by:
        return f"{word}: new needs as many instructions a packet as old; accepted is {accepted}"
    than = "more" if by > 0 else "fewer"
    amount = f"{number.plain(abs(by), 0)} instructions a packet {than}"
    return f"{word}: new needs {amount} ({exact.share(row.ratio)} %); accepted is {accepted}"


def rows(test: AB, rows: Sequence[Tested]) -> Iterator[dict[str, object]]:
    """A row for each point, as JSON has it."""
    for row in rows:
        yield {
            "plan": row.new.plan,
            "point": row.new.point,
            "old": row.old.instructions.value,
            "new": row.new.instructions.value,
            "difference": row.difference.value,
            "difference_lo": row.difference.lo,
            "difference_hi": row.difference.hi,
            "ratio": row.ratio,
            "allow": test.allow,
            "verdict": row.word,
            "old_same": row.old.same,
            "new_same": row.new.same,
            "repeats": row.new.instructions.n,
            "boots": row.new.boots,
            "functions": [
                {
                    "function": part.function,
                    "difference": part.by,
                    "old": part.old,
                    "new": part.new,
                    "old_calls": part.old_calls,
                    "new_calls": part.new_calls,
                }
                for part in row.moved
            ],
        }


def _points(rows: Sequence[Tested]) -> Table:
    return column.table(
        "instructions of one packet",
        rows,
        Column("what", _at),
        column.number("old", lambda row: exact.count(row.old.instructions)),
        column.number("new", lambda row: exact.count(row.new.instructions)),
        column.number("change", lambda row: exact.added(row.difference)),
        column.number("change, %", lambda row: exact.share(row.ratio)),
        Column("old the same in", lambda row: exact.same(row.old)),
        Column("new the same in", lambda row: exact.same(row.new)),
        Column("verdict", lambda row: row.word),
    )


def _at(row: Tested) -> str:
    return traffic.load(row.new.definition)
