# SPDX-License-Identifier: Apache-2.0
"""Instructions of one packet in words and tables: modes, steps, the functions that make a step."""

from collections.abc import Sequence

from gatemark.report.group import study, sweep
from gatemark.report.words import number, traffic
from gatemark.report.words.number import PERCENT, Scale
from gatemark.report.words.table import NONE, Table
from gatemark.stats.change.exact import Moved, dearest, is_exact, moved, pair, ratio
from gatemark.stats.change.ladder import INSTRUCTIONS
from gatemark.stats.judgement import Executed, Judgement, Ladder, Mode, Step
from gatemark.stats.math.interval import Interval
from gatemark.store.record import Scalar

COUNT = Scale(1.0, "instructions")
VERDICTS = {"slower": "costs", "faster": "saves", "no change": "nothing"}
TOLD = 2  # other modes, and functions, in a row
NOTHING: tuple[None, None] = (None, None)  # of an arm that is no step
TURNED = {(True, False): "new", (False, True): "gone"}  # was it not there, is it there no more


def tables(judgement: Judgement) -> list[Table]:
    """One for each plan: what each arm executes for a packet, and what it adds to another."""
    plans = dict.fromkeys(one.plan for one in judgement.executed)
    return [_table(judgement, plan) for plan in plans]


def folds(judgement: Judgement) -> list[tuple[str, Table]]:
    """What each step is made of, with its anchor; an A/A step is made of nothing."""
    found = []
    for one in filter(is_exact, judgement.ladders):
        for step in one.steps:
            both = pair(judgement.executed, one, step)
            if both and (parts := moved(*both)):
                words = (one.plan, *map(str, one.point.values()), step.arm)
                caption = f"{step.arm} against {step.against}{_at(one)}: {adds(one, step)}"
                found.append(
                    (sweep.plain("-".join(("functions", *words))), functions(caption, parts))
                )
    return found


def functions(caption: str, found: Sequence[Moved], most: int = 0) -> Table:
    """Functions by the size of their difference; beyond `most` (0: all are told) as one row."""
    shown = found[:most] if most else found
    rows = [
        (
            one.function,
            signed(one.by),
            f"{one.old}",
            f"{one.new}",
            _calls(one),
            TURNED.get((not one.old, not one.new), ""),
        )
        for one in shown
    ]
    if rest := found[len(shown) :]:
        by = sum(one.by for one in rest)
        rows.append((f"{len(rest)} others", signed(by), NONE, NONE, NONE, ""))
    head = ("function", "instructions more", "before", "after", "calls", "")
    return Table(caption, head, tuple(rows), frozenset({1, 2, 3}))


def count(i: Interval) -> str:
    """A number of instructions, and the range of the repeats where they differ."""
    text = number.plain(i.value, 0)
    if i.lo == i.hi:
        return text
    return f"{text} ({number.plain(i.lo, 0)}{number.DASH}{number.plain(i.hi, 0)})"


def signed(value: float) -> str:
    """`+163`, with a real minus sign."""
    return f"+{value:.0f}" if value > 0 else number.plain(value, 0)


def added(i: Interval) -> str:
    """What a step adds: `+163`, `+163 (+160 to +170)`."""
    if i.lo == i.hi:
        return signed(i.value)
    return f"{signed(i.value)} ({signed(i.lo)} to {signed(i.hi)})"


def share(part: float) -> str:
    """A difference as per cent of what it is from: `+2.13`."""
    text = number.plain(part / PERCENT.factor, 2)
    return f"+{text}" if part > 0 else text


def adds(one: Ladder, step: Step) -> str:
    """What a step adds, in words: `+163 instructions a packet (+1.6 %)`."""
    difference = step.costs[INSTRUCTIONS].difference
    return f"{added(difference)} instructions a packet ({share(ratio(one, step))} %)"


def same(one: Executed) -> str:
    """In how many repeats it was the very same number: `3 of 3`, `5 of 6, in 2 of 3 boots`."""
    text = f"{one.same} of {one.instructions.n}"
    return f"{text}, in {one.same_boots} of {one.boots} boots" if one.boots > 1 else text


def verdict(step: Step) -> str:
    """What is known of a step: costs, saves, nothing; an A/A step has to be zero."""
    cost = step.costs[INSTRUCTIONS]
    if step.twin:
        return "A/A, not zero" if cost.difference.value else "A/A, zero"
    return VERDICTS.get(cost.verdict, "repeats disagree")


def finding(one: Ladder) -> str:
    """The title of its figure: the dearest step."""
    found = [(s, s.costs[INSTRUCTIONS]) for s in one.steps if not s.twin]
    found = [(s, c) for s, c in found if c.verdict == "slower"]
    if not found:
        return "No step costs an instruction"
    step, _ = max(found, key=lambda pair: pair[1].difference.value)
    more = f", the dearest of {len(found)} steps that cost" if len(found) > 1 else ""
    return f"{step.arm} costs {adds(one, step)} against {step.against}{more}"


def _table(judgement: Judgement, plan: str) -> Table:
    mine = [one for one in judgement.executed if one.plan == plan]
    steps = {
        (step.arm, _key(one.point)): (one, step)
        for one in judgement.ladders
        if one.plan == plan and is_exact(one)
        for step in one.steps
    }
    names = study.varying(mine)
    rows = []
    for one in mine:
        ladder, step = steps.get((one.arm, _key(one.point)), NOTHING)
        at = ", ".join(traffic.factor(n, one.point[n]) for n in names if n in one.point)
        rows.append(((one.arm, at) if names else (one.arm,)) + _row(judgement, one, ladder, step))
    head = ("arm", "point") if names else ("arm",)
    more = ("instructions", "against", "adds", "adds, %", "verdict", "dearest functions")
    last = ("the same in", "walks in the mode, %", "other modes")
    first = len(head)
    numeric = frozenset({first, first + 2, first + 3, first + 7})
    caption = f"{plan}: instructions of one packet, {traffic.traffic(mine[0].definition, names)}"
    return Table(caption, head + more + last, tuple(rows), numeric)


def _row(
    judgement: Judgement, one: Executed, ladder: Ladder | None, step: Step | None
) -> tuple[str, ...]:
    told = (NONE, NONE, NONE, NONE, NONE)
    if ladder and step:
        both = pair(judgement.executed, ladder, step)
        told = (
            step.against,
            added(step.costs[INSTRUCTIONS].difference),
            share(ratio(ladder, step)),
            verdict(step),
            _dearest(moved(*both)) if both else NONE,
        )
    return (
        count(one.instructions),
        *told,
        same(one),
        number.plain(100 * one.share, 0),
        "; ".join(_mode(one, other) for other in one.others[:TOLD]) or NONE,
    )


def _dearest(found: Sequence[Moved]) -> str:
    return ", ".join(f"{name} {signed(by)}" for name, by in dearest(found, TOLD)[:TOLD]) or NONE


def _mode(one: Executed, other: Mode) -> str:
    """`+1234 timer tick (12 %)`."""
    by = other.instructions - one.instructions.value
    what = other.cause or next(iter(other.more), "") or "not known"
    return f"{signed(by)} {what} ({number.plain(100 * other.walks / max(1, one.walks), 0)} %)"


def _calls(one: Moved) -> str:
    if one.old_calls == one.new_calls:
        return f"{one.new_calls}"
    return f"{one.old_calls} → {one.new_calls}"


def _key(point: dict[str, Scalar]) -> tuple[tuple[str, Scalar], ...]:
    return tuple(sorted(point.items()))


def _at(one: Ladder) -> str:
    return f", {traffic.point(one.point)}" if one.point else ""
