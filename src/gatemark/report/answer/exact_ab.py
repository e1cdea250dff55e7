# SPDX-License-Identifier: Apache-2.0
"""An A/B test in instructions, in print: functions that differ; the verdict is the last line."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from gatemark.report.answer import ab, diff, exact, warning
from gatemark.report.answer.diff import Line
from gatemark.report.group.source import Source
from gatemark.report.words import number, traffic
from gatemark.report.words.run import counts, repeat_command
from gatemark.report.words.table import Table
from gatemark.stats.ab import differing
from gatemark.stats.change.exact_ab import Tested, regressed, worst
from gatemark.store.run import AB

MOST: Final = 20  # functions of a point
COLOUR: Final = {"needs more": "red", "needs less": "green"}


def lines(made: Source, test: AB, found: Sequence[Tested], page: Path) -> Iterator[Line]:
    """What the terminal says; the last line alone says how it ended."""
    run, judgement = made.run, made.judgement
    yield "bold", judgement.sentence
    yield "dim", "; ".join((*ab.sides(test), counts(judgement)))
    if found:
        yield from diff.table(_points(found), [COLOUR.get(one.word, "") for one in found])
    for one in found:
        if one.moved:
            caption = f"{_at(one)}: new against old, by function"
            yield from diff.table(exact.functions(caption, one.moved, MOST))
    yield "", ""
    yield from diff.differing(differing(run, test))
    yield from warning.lines(judgement)
    yield from (("", f"note    {note}") for note in run.notes)
    yield "", f"folder  {made.folder}"
    yield "", f"page    {page}"
    yield "", f"repeat  {repeat_command(run)}"
    yield "", ""
    yield ("red" if regressed(found) else "bold"), verdict(test, found)


def verdict(test: AB, found: Sequence[Tested]) -> str:
    """`REGRESSION: new needs 163 instructions a packet more (+1.64 %); accepted is 1.00 %`."""
    if not found:
        return "NOTHING COUNTED: no trial of both arms is valid"
    one = worst(found)
    by, accepted = one.difference.value, number.quantity(test.allow, "ratio")
    word_ = "REGRESSION" if regressed(found) else "OK"
    if not by:
        return f"{word_}: new needs as many instructions a packet as old; accepted is {accepted}"
    than = "more" if by > 0 else "fewer"
    amount = f"{number.plain(abs(by), 0)} instructions a packet {than}"
    return f"{word_}: new needs {amount} ({exact.share(one.ratio)} %); accepted is {accepted}"


def rows(test: AB, found: Sequence[Tested]) -> Iterator[dict[str, object]]:
    """A row for each point, as JSON has it."""
    for one in found:
        yield {
            "plan": one.new.plan,
            "point": one.new.point,
            "old": one.old.instructions.value,
            "new": one.new.instructions.value,
            "difference": one.difference.value,
            "difference_lo": one.difference.lo,
            "difference_hi": one.difference.hi,
            "ratio": one.ratio,
            "allow": test.allow,
            "verdict": one.word,
            "old_same": one.old.same,
            "new_same": one.new.same,
            "repeats": one.new.instructions.n,
            "boots": one.new.boots,
            "functions": [
                {
                    "function": part.function,
                    "difference": part.by,
                    "old": part.old,
                    "new": part.new,
                    "old_calls": part.old_calls,
                    "new_calls": part.new_calls,
                }
                for part in one.moved
            ],
        }


def _points(found: Sequence[Tested]) -> Table:
    body = tuple(
        (
            _at(one),
            exact.count(one.old.instructions),
            exact.count(one.new.instructions),
            exact.added(one.difference),
            exact.share(one.ratio),
            exact.same(one.old),
            exact.same(one.new),
            one.word,
        )
        for one in found
    )
    head = ("what", "old", "new", "change", "change, %", "old the same in", "new the same in")
    caption = "instructions of one packet"
    return Table(caption, (*head, "verdict"), body, frozenset({1, 2, 3, 4}))


def _at(one: Tested) -> str:
    return traffic.load(one.new.definition)
