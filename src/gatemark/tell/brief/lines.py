# SPDX-License-Identifier: Apache-2.0
"""The first answer in the terminal: at most 24 lines of 80 columns. `show --all` has the rest."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from gatemark.judge.change.ladder import PACKET
from gatemark.judge.judgement import Judgement, Knee, Ladder
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.timed import MEDIAN
from gatemark.judge.speed import is_free
from gatemark.tell.answer import expect, line, search, verdict
from gatemark.tell.answer.answers import tables
from gatemark.tell.brief.full_speed import full_speed
from gatemark.tell.fact import warned
from gatemark.tell.group import latency, sweep
from gatemark.tell.group.latency import Load
from gatemark.tell.group.source import Source
from gatemark.tell.words import number, traffic
from gatemark.tell.words.brief import MS, NAMES, US, Brief, Row, limited, value
from gatemark.tell.words.fold import Folded, fold, wrap
from gatemark.tell.words.number import KPPS, PERCENT
from gatemark.tell.words.refusal import not_measured
from gatemark.tell.words.run import counts, repeat_command, resume_command
from gatemark.tell.words.screen import Line
from gatemark.tell.words.table import NONE

LINES, COLUMNS = 24, 80
HEADS: Final = 2  # lines above the rows of a brief table
NO_DEVICE: Final = "Virtual gateway: compare its setups with each other, not with devices."
BLOCK: Final = 8  # lines of a run that goes on: its progress and warnings


def lines(source: Source, page: Path | None) -> Iterator[Line]:
    """Sentence, tables, the access line, warnings, where the rest is, how to repeat it."""
    first = list(_begin(source))
    last = [*_carries(source), *_expected(source), ("", ""), *_end(source, page)]
    yield from first
    yield from _small(_tables(source), LINES - len(first) - len(last))
    yield from last


def so_far(source: Source) -> Iterator[Line]:
    """Sentence and tables of a run that goes on; nothing where nothing is known of its gateway."""
    tables = _tables(source)
    if any(table.rows for table in tables):
        first = [("", "so far:"), *_begin(source)]
        yield from first
        yield from _small(tables, LINES - len(first) - BLOCK, "at the end")


def _begin(source: Source) -> Iterator[Line]:
    yield from _wrapped("bold", source.judgement.sentence)
    for text in not_measured(source.run, source.judgement, source.records):
        yield from _wrapped("yellow", text)
    for text in verdict.lines(source):
        yield from _wrapped("bold", text)
    if source.run.station.virtual:
        yield "dim", NO_DEVICE
    for lack in source.run.station.missing:
        yield from _wrapped("yellow", f"missing: {lack}")


def _carries(source: Source) -> Iterator[Line]:
    for text in line.lines(source):
        yield from _wrapped("bold", text)


def _expected(source: Source) -> Iterator[Line]:
    if expected := expect.brief(source):
        yield "", ""
    for style, text in expected:
        yield from _wrapped(style, text)


def _small(tables: Sequence[Folded], room: int, rest: str = "--all") -> Iterator[Line]:
    """Tables within so many lines, each below an empty one; `rest`: where the others are."""
    for table in _fitting(tables, room, rest):
        yield "", ""
        yield from (("bold", text) for text in table.caption)
        yield from (("dim", text) for text in table.head)
        yield from (("", text) for row in table.rows for text in row)


def _fitting(tables: Sequence[Folded], room: int, rest: str) -> Sequence[Folded]:
    """The longest table gives up rows until all of them fit; one row of each stays."""
    over = sum(map(_height, tables)) - room
    if over > 0:
        over += 1  # for the line that counts what is left out
    left_out = 0
    while over > 0 and any(len(table.rows) > 1 for table in tables):
        longest = max(tables, key=lambda table: len(table.rows))
        over -= len(longest.rows.pop())
        left_out += 1
    if left_out:
        tables[-1].rows.append([f"{left_out} more row{'' if left_out == 1 else 's'}: {rest}"])
    return tables


def _height(table: Folded) -> int:
    return 1 + len(table.caption) + len(table.head) + sum(map(len, table.rows))


def _tables(source: Source) -> list[Folded]:
    """The verdict, and the two of a first answer; of a run that has none what it searched for.

    Where it searched for nothing: its first table.
    """
    small = [brief for brief in (verdict.brief(source), *briefs(source.judgement)) if brief.rows]
    if made := [(brief.caption, brief.lines()) for brief in small]:
        return [
            Folded(wrap(caption, COLUMNS), text[:HEADS], [[row] for row in text[HEADS:]])
            for caption, text in made
        ]
    searched = [table for _, table in search.tables(source.judgement) if table.rows]
    others = (table for name, table in tables(source) if name != expect.ANCHOR)
    return [fold(table, COLUMNS) for table in searched or islice(others, 1)]


def _wrapped(style: str, text: str) -> Iterator[Line]:
    yield from ((style, part) for part in wrap(text, COLUMNS))


def _end(source: Source, page: Path | None) -> Iterator[Line]:
    """Where everything else is, a line each."""
    codes = list(dict.fromkeys(w.code for w, _ in warned.warnings(source.judgement)))
    rest = f"all: {shlex.join(('gatemark', 'show', _name(source.folder), '--all'))}"
    yield ("yellow" if codes else ""), f"{_warned(codes, COLUMNS - len(rest))}{rest}"
    if page is not None:
        yield "", f"page: {page}"
    if source.judgement.missing:
        yield "yellow", f"{counts(source.judgement)}: {resume_command(source.folder)}"
    yield "", f"again: {repeat_command(source.run)}"


def _warned(codes: Sequence[str], room: int) -> str:
    """How many warnings there are, and their codes as far as there is room."""
    count = f"{len(codes)} warning{'' if len(codes) == 1 else 's'}"
    for most in range(len(codes), 0, -1):
        more = ", ..." if most < len(codes) else ""
        text = f"{count} ({', '.join(codes[:most])}{more}); "
        if len(text) <= room:
            return text
    return f"{count}; " if codes else ""


def _name(folder: Path | None) -> str:
    """A run by its bare name where that is enough to find it."""
    if folder is None:
        return "RUN"
    return folder.name if folder.parent.name == "gatemark-runs" else str(folder)


def briefs(judgement: Judgement) -> list[Brief]:
    """The tables that the run has: full speed, else what steps cost; then overload."""
    fast = full_speed(judgement)
    made = (fast if fast.rows else costs(judgement), overload(judgement))
    return [brief for brief in made if brief.rows]


def costs(judgement: Judgement) -> Brief:
    """A row for each step of the first ladder at full speed: the time of a packet, what it adds."""
    ladders = (ladder for ladder in judgement.ladders if PACKET in ladder.values)
    ladder = next(filter(is_free, ladders), None)
    if ladder is None:
        return Brief("", (), ())
    turns = ladder.definition.turn_ms
    return Brief(
        f"What each step adds at overload{f', in turns of {turns:g} ms' if turns else ''}",
        (NAMES, ("time a", f"packet, {US.unit}"), ("adds", "%")),
        tuple(_steps(ladder)),
    )


def _steps(ladder: Ladder) -> Iterator[Row]:
    yield ladder.arm, number.value_alone(ladder.values[PACKET], US), NONE
    for step in ladder.steps:
        if PACKET in step.values and PACKET in step.costs and not step.twin:
            where = "" if step.against == ladder.arm else f" on {step.against}"
            time = number.value_alone(step.values[PACKET], US)
            yield f"{step.arm}{where}", time, _added(step.costs[PACKET].ratio)


def _added(ratio: Interval | None) -> str:
    if ratio is None:
        return NONE
    return f"{'+' if ratio.value > 0 else ''}{number.interval(ratio, PERCENT)}"


def overload(judgement: Judgement) -> Brief:
    """A row for each sweep of the first kind of traffic, which the caption names."""
    knees = next(iter(sweep.groups(judgement)), [])
    loads = latency.loads(judgement, knees)
    return Brief(
        _caption(judgement, knees),
        (
            NAMES,
            ("no loss to", KPPS.unit),
            ("knee", KPPS.unit),
            ("kept at", "2x, %"),
            (f"p50 at{_rate(loads, 'near')}", US.unit),
            ("p99", US.unit),
            (f"p50 at{_rate(loads, 'over')}", MS.unit),
        ),
        tuple(_row(knee, loads) for knee in knees),
    )


def _caption(judgement: Judgement, knees: Sequence[Knee]) -> str:
    slowed = bool(knees) and all(knee.definition.slow_to_pps for knee in knees)
    size = knees[0].definition.frame_bytes if knees else None
    text = "Slowed to a home router's speed" if slowed else "More and more packets"
    loaded = [point for knee in knees if (point := sweep.loaded(judgement, knee))]
    held = limited({knee.arm: knee.limit for knee in knees}, loaded)
    return f"{text}{f', {size} bytes' if size else ''}{held}"


def _rate(loads: Iterable[Load], name: str) -> str:
    """The rate of a load: ` 23.5 k`."""
    rates = (sweep.offered_pps(load.point) for load in loads if load.load == name)
    return next((f" {rate / KPPS.factor:g} k" for rate in rates), "")


def _row(knee: Knee, loads: Iterable[Load]) -> Row:
    side = (knee.arm, knee.direction)
    own = {load.load: load.point for load in loads if (load.arm, load.direction) == side}
    near, twice = own.get("near"), knee.retained.get("2x")
    way = "" if knee.direction == "up" else f" {traffic.way(knee.direction)}"
    return (
        f"{knee.arm}{way}",
        number.plain(knee.no_loss_pps / KPPS.factor, 1) if knee.no_loss_pps else NONE,
        number.interval(knee.knee_pps, KPPS, at_least=knee.at_least),
        number.value_alone(twice, PERCENT) if twice else NONE,
        number.interval(near.values[MEDIAN], US) if near else NONE,
        value(near, "delay_p99_ns", US),
        value(own.get("over"), MEDIAN, MS),
    )
