# SPDX-License-Identifier: Apache-2.0
"""Instructions of one packet in words and tables: modes, steps, the functions that make a step."""

from collections.abc import Iterable, Sequence

from gatemark.judge.change.exact import Moved, dearest, is_exact, moved, pair, ratio
from gatemark.judge.change.ladder import INSTRUCTIONS
from gatemark.judge.judgement import Executed, Judgement, Ladder, Mode, Step
from gatemark.judge.math.interval import Interval
from gatemark.store.record import AtRate, Record, Scalar
from gatemark.tell.group import study, sweep
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import PERCENT
from gatemark.tell.words.table import NONE, Table

VERDICTS = {"slower": "costs", "faster": "saves", "no change": "nothing"}
MOST_FUNCTIONS = 40  # of a point at a rate
TOLD = 2  # other modes, and functions, in a row
NOTHING: tuple[None, None] = (None, None)  # of an arm that is no step
TURNED = {(True, False): "new", (False, True): "gone"}  # was it not there, is it there no more


def tables(judgement: Judgement) -> list[Table]:
    """One for each plan: what each arm executes for a packet, and what it adds to another."""
    plans = dict.fromkeys(arm.plan for arm in judgement.executed)
    return [_table(judgement, plan) for plan in plans]


def folds(judgement: Judgement) -> list[tuple[str, Table]]:
    """What each step is made of, with its anchor; an A/A step is made of nothing."""
    tables = []
    for ladder in filter(is_exact, judgement.ladders):
        for step in ladder.steps:
            both = pair(judgement.executed, ladder, step)
            if both and (parts := moved(*both)):
                words = (ladder.plan, *map(str, ladder.point.values()), step.arm)
                caption = f"{step.arm} against {step.against}{_at(ladder)}: {adds(ladder, step)}"
                tables.append(
                    (sweep.plain("-".join(("functions", *words))), functions(caption, parts))
                )
    return tables


def functions(caption: str, changes: Sequence[Moved], most: int = 0) -> Table:
    """Functions by the size of their difference; beyond `most` (0: none) as one row."""
    shown = changes[:most] if most else changes
    rows = [
        (
            change.function,
            signed(change.by),
            f"{change.old}",
            f"{change.new}",
            _calls(change),
            TURNED.get((not change.old, not change.new), ""),
        )
        for change in shown
    ]
    if rest := changes[len(shown) :]:
        by = sum(change.by for change in rest)
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


def adds(ladder: Ladder, step: Step) -> str:
    """What a step adds, in words: `+163 instructions a packet (+1.6 %)`."""
    difference = step.costs[INSTRUCTIONS].difference
    return f"{added(difference)} instructions a packet ({share(ratio(ladder, step))} %)"


def same(walk: Executed) -> str:
    """In how many repeats it was the very same number: `3 of 3`, `5 of 6, in 2 of 3 boots`."""
    text = f"{walk.same} of {walk.instructions.n}"
    return f"{text}, in {walk.same_boots} of {walk.boots} boots" if walk.boots > 1 else text


def verdict(step: Step) -> str:
    """What is known of a step: costs, saves, nothing; an A/A step has to be zero."""
    cost = step.costs[INSTRUCTIONS]
    if step.twin:
        return "A/A, not zero" if cost.difference.value else "A/A, zero"
    return VERDICTS.get(cost.verdict, "repeats disagree")


def finding(ladder: Ladder) -> str:
    """The title of its figure: the dearest step."""
    dear = [(s, s.costs[INSTRUCTIONS]) for s in ladder.steps if not s.twin]
    dear = [(s, c) for s, c in dear if c.verdict == "slower"]
    if not dear:
        return "No step costs an instruction"
    step, _ = max(dear, key=lambda pair: pair[1].difference.value)
    more = f", the dearest of {len(dear)} steps that cost" if len(dear) > 1 else ""
    return f"{step.arm} costs {adds(ladder, step)} against {step.against}{more}"


def _table(judgement: Judgement, plan: str) -> Table:
    executed = [arm for arm in judgement.executed if arm.plan == plan]
    steps = {
        (step.arm, _key(ladder.point)): (ladder, step)
        for ladder in judgement.ladders
        if ladder.plan == plan and is_exact(ladder)
        for step in ladder.steps
    }
    names = study.varying(executed)
    rows = []
    for arm in executed:
        ladder, step = steps.get((arm.arm, _key(arm.point)), NOTHING)
        at = ", ".join(traffic.factor(n, arm.point[n]) for n in names if n in arm.point)
        rows.append(((arm.arm, at) if names else (arm.arm,)) + _row(judgement, arm, ladder, step))
    head = ("arm", "point") if names else ("arm",)
    more = ("instructions", "against", "adds", "adds, %", "verdict", "dearest functions")
    last = ("the same in", "walks in the mode, %", "other modes")
    first = len(head)
    numeric = frozenset({first, first + 2, first + 3, first + 7})
    caption = (
        f"{plan}: instructions of one packet, {traffic.traffic(executed[0].definition, names)}"
    )
    return Table(caption, head + more + last, tuple(rows), numeric)


def _row(
    judgement: Judgement, walk: Executed, ladder: Ladder | None, step: Step | None
) -> tuple[str, ...]:
    cells = (NONE, NONE, NONE, NONE, NONE)
    if ladder and step:
        both = pair(judgement.executed, ladder, step)
        cells = (
            step.against,
            added(step.costs[INSTRUCTIONS].difference),
            share(ratio(ladder, step)),
            verdict(step),
            _dearest(moved(*both)) if both else NONE,
        )
    return (
        count(walk.instructions),
        *cells,
        same(walk),
        number.plain(100 * walk.share, 0),
        "; ".join(_mode(walk, other) for other in walk.others[:TOLD]) or NONE,
    )


def _dearest(changes: Sequence[Moved]) -> str:
    return ", ".join(f"{name} {signed(by)}" for name, by in dearest(changes, TOLD)[:TOLD]) or NONE


def _mode(walk: Executed, other: Mode) -> str:
    """`+1234 timer tick (12 %)`."""
    by = other.instructions - walk.instructions.value
    what = other.cause or next(iter(other.more), "") or "not known"
    return f"{signed(by)} {what} ({number.plain(100 * other.walks / max(1, walk.walks), 0)} %)"


def _calls(change: Moved) -> str:
    if change.old_calls == change.new_calls:
        return f"{change.new_calls}"
    return f"{change.old_calls} → {change.new_calls}"


def _key(point: dict[str, Scalar]) -> tuple[tuple[str, Scalar], ...]:
    return tuple(sorted(point.items()))


def _at(ladder: Ladder) -> str:
    return f", {traffic.point(ladder.point)}" if ladder.point else ""


def at_rate(records: Iterable[Record]) -> list[tuple[str, Table]]:
    """A table for each arm and point, of its first trial that counted, with its anchor."""
    tables: dict[str, Table] = {}
    for record in records:
        seen = record.evidence.at_rate
        if record.status == "ok" and seen and seen.packets:
            words = (record.plan, record.arm, *map(str, record.point.values()))
            tables.setdefault(sweep.plain("-".join(("at-rate", *words))), _at_rate(record, seen))
    return list(tables.items())


def _at_rate(record: Record, seen: AtRate) -> Table:
    rest = seen.lasts_s / seen.idle_s if seen.idle_s else 0.0
    none = (0, 0)
    rows = []
    for name, (count, calls) in seen.functions.items():
        idle, idle_calls = seen.idle_functions.get(name, none)
        own, entered = count - idle * rest, calls - idle_calls * rest
        rows.append((own / seen.packets, entered / seen.packets, name))
    rows.sort(reverse=True)
    body = tuple(
        (name, number.plain(own, 1), number.plain(entered, 2))
        for own, entered, name in rows[:MOST_FUNCTIONS]
    )
    if left := rows[MOST_FUNCTIONS:]:
        own = sum(amount for amount, _, _ in left)
        body += ((f"{len(left)} others", number.plain(own, 1), NONE),)
    value = record.values.get("instructions_at_rate", 0.0)
    at = f", {traffic.point(record.point)}" if record.point else ""
    caption = f"{record.arm}{at}: {number.plain(value, 0)} instructions a packet at a rate"
    return Table(caption, ("function", "instructions", "calls"), body, frozenset({1, 2}))
