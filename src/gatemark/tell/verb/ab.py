# SPDX-License-Identifier: Apache-2.0
"""An A/B test in print: the verdict, both arms with the change between them, what else differs."""

from collections.abc import Iterator
from pathlib import Path

from gatemark.judge.ab import differing
from gatemark.judge.change.diff import Diff
from gatemark.plan.model import NEW, OLD
from gatemark.store.run import AB, Run
from gatemark.tell.fact import warned
from gatemark.tell.group.source import Source
from gatemark.tell.verb import diff
from gatemark.tell.words import number
from gatemark.tell.words.run import counts, repeat_command
from gatemark.tell.words.screen import Line
from gatemark.tell.words.table import FAMILY


def lines(made: Source, test: AB, result: Diff, page: Path) -> Iterator[Line]:
    """What the terminal says; `found` is the test as `diff` has two runs."""
    run, judgement = made.run, made.judgement
    yield from diff.shapes(result)
    yield "bold", judgement.sentence
    yield "dim", "; ".join((*sides(test), counts(judgement)))
    yield from (("yellow", f"missing  {lack}") for lack in run.station.missing)
    yield from diff.changes(result)
    yield "", ""
    allowed = number.quantity(test.allow, "ratio")
    yield "dim", f"a change up to {allowed} is accepted; p and verdict are of boots in pairs"
    yield "dim", FAMILY
    yield from diff.differing(result.conditions)
    yield from warned.lines(judgement)
    yield "", ""
    yield from (("", f"note    {note}") for note in run.notes)
    yield "", f"folder  {made.folder}"
    yield "", f"page    {page}"
    yield "", f"repeat  {repeat_command(run)}"


def differs(run: Run, test: AB) -> list[str]:
    """What else differs between the arms, as the inventory of each has it."""
    return [text for _, text in diff.differing(differing(run, test))]


def sides(test: AB) -> list[str]:
    """What is old and what is new: `old: nat`, `new: nat+filter:100`."""
    words = []
    for arm in (OLD, NEW):
        side = test.side(arm)
        on = "" if side.name == side.station_file else f" on {side.station.name}"
        by = f", by `{test.switch.replace('{arm}', arm)}`" if test.switch else ""
        words.append(f"{arm}: {side.name}{on}{by}")
    return words
