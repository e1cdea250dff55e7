# SPDX-License-Identifier: Apache-2.0
"""The tables of a first answer: the gateway at full speed, what steps cost, what overload does.

A table is of one condition, and its numbers are those of the sentence above it. Only what a reader
compares has its interval: the knee, a delay, what a feature costs. The rest of the intervals are in
the tables of `rates` and `ladder`.
"""

from collections.abc import Iterator

from gatemark.report.brief.full_speed import full_speed
from gatemark.report.brief.overload import overload
from gatemark.report.words import number
from gatemark.report.words.brief import NAMES, US, Brief, Row
from gatemark.report.words.number import PERCENT
from gatemark.report.words.table import NONE
from gatemark.stats.change.ladder import PACKET
from gatemark.stats.judgement import Judgement, Ladder
from gatemark.stats.math.interval import Interval
from gatemark.stats.speed import is_free


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
