# SPDX-License-Identifier: Apache-2.0
"""Instructions of one packet: the mode of all walks, what the other modes are, what a step adds.

An arm has a number, and says in how many of its repeats it was that very number; a step is the
shift at which the walks of two arms lie upon each other (mode.py), and it is made of functions,
whose differences add up to it. The range over repeats stands where others have an interval.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from typing import Final

import msgspec

from gatemark.judge.change import ladder
from gatemark.judge.change.ladder import INSTRUCTIONS, Rungs
from gatemark.judge.judgement import Cost, Executed, Ladder, Mode, Step, Verdict
from gatemark.judge.math.interval import Interval, coverage
from gatemark.judge.point.group import Group
from gatemark.judge.point.mode import first, pooled, shift
from gatemark.judge.point.sweep import Judged
from gatemark.plan.model import Plan
from gatemark.store.record import Counted, Definition, Record
from gatemark.store.run import AB

EXACT: Final = "exact"  # a plan's figure
LEAST_SHARE: Final = 0.25  # of the walks, for a number that stands for all of them
MOST_MODES: Final = 5  # that are told of an arm
MOST_FUNCTIONS: Final = 20  # of a step, that are told one by one
OTHERS: Final = "others"
UNTOLD: Final = "not told"
# What makes a walk come to another number, by functions that then ran more; the first that fits.
CAUSES: Final = {
    cause: re.compile(pattern)
    for cause, pattern in {
        "timer tick": r"tick|hrtimer|clockevent|timer_interrupt|run_timer|update_process_times"
        r"|timekeeping|_timers?$|c0_compare|r4k_timer|calc_global_load|update_wall_time",
        "scheduler": r"schedul|sched_|switch_to|pick_next|try_to_wake|ttwu|enqueue_task",
        "worker thread": r"worker|process_one_work|gc_work|kthread|rcu_",
        "softirq": r"softirq",
        "memory": r"slab|kmem_cache|page_frag|alloc_page|free_page|rmqueue|page_pool|kfree|kmalloc",
        "hash": r"siphash|jhash|hash",
        "a program": r"^user space$",
    }.items()
}


class Moved(msgspec.Struct, frozen=True):
    """A function that two arms do not execute alike: instructions and calls of either."""

    function: str
    old: int
    new: int
    old_calls: int
    new_calls: int

    @property
    def by(self) -> int:
        """The difference in instructions."""
        return self.new - self.old


def counted(definition: Definition) -> bool:
    """Return whether a point is of single packets, so that its value is no rate."""
    return definition.quantity == INSTRUCTIONS


def executed(plans: Sequence[Plan], judged: Sequence[Judged]) -> tuple[Executed, ...]:
    """Every point that was counted; where arms are steps, each is told at the same mode."""
    numbers: dict[int, int] = {}  # of a group, by its identity
    for plan in plans:
        if plan.figure == EXACT:
            for rungs in ladder.rungs_of(plan, judged):
                groups = {arm: trials for arm, (trials, _) in rungs.items()}
                below = ladder.steps(plan, rungs)
                numbers |= {id(groups[a]): n for a, n in _numbers(groups, below).items()}
    counteds = (_executed(t, numbers.get(id(t))) for t, _ in judged if counted(t.definition))
    return tuple(counted for counted in counteds if counted)


def ladders(
    plans: Sequence[Plan], judged: Sequence[Judged], test: AB | None = None
) -> tuple[Ladder, ...]:
    """A ladder for each point of each plan that asks for one; the steps are those of any ladder.

    The arms of an A/B test are a step, too; with one setup they are no A/A but where nothing else
    differs either.
    """
    alike = test is None or (test.old.name == test.new.name and not test.switch)
    return tuple(
        _ladder(plan, rungs, alike=alike)
        for plan in plans
        if plan.figure == EXACT
        for rungs in ladder.rungs_of(plan, judged)
        if len(rungs) > 1
    )


def moved(old: Executed, new: Executed) -> list[Moved]:
    """Return the differences, the largest first; their sum is the difference of the two modes."""
    names = dict.fromkeys((*old.functions, *new.functions))
    every = (
        Moved(name, was, now, was_calls, now_calls)
        for name in names
        for was, was_calls in [old.functions.get(name, (0, 0))]
        for now, now_calls in [new.functions.get(name, (0, 0))]
    )
    changes = sorted(
        (change for change in every if change.by),
        key=lambda change: (-abs(change.by), change.function),
    )
    rest = round(new.instructions.value - old.instructions.value) - sum(
        change.by for change in changes
    )
    # Of a mode whose functions no walk has that was read.
    return [*changes, Moved(UNTOLD, 0, rest, 0, 0)] if rest else changes


def dearest(changes: Sequence[Moved], most: int = MOST_FUNCTIONS) -> list[tuple[str, int]]:
    """Functions with what they add, the largest; the rest is one, so that the sum stays."""
    texts = [(change.function, change.by) for change in changes[:most]]
    rest = sum(change.by for change in changes[most:])
    return [*texts, (OTHERS, rest)] if changes[most:] else texts


def pair(among: Iterable[Executed], ladder: Ladder, step: Step) -> tuple[Executed, Executed] | None:
    """Return what the two arms of a step execute: the one that it is from, and its own."""
    counteds = {
        each.arm: each for each in among if each.plan == ladder.plan and each.point == ladder.point
    }
    if step.arm not in counteds or step.against not in counteds:
        return None
    return counteds[step.against], counteds[step.arm]


def ratio(ladder: Ladder, step: Step) -> float:
    """The cost of a step, as a share of the arm that it is from."""
    arms = {ladder.arm: ladder.values, **{each.arm: each.values for each in ladder.steps}}
    below = arms[step.against][INSTRUCTIONS].value
    return step.costs[INSTRUCTIONS].difference.value / below if below else 0.0


def clear(counted: Executed) -> bool:
    """Whether its number stands out: a quarter of the walks have it, or far more than any other.

    Far more: by twice the standard deviation of the difference of two Poisson counts.
    """
    own = counted.share * counted.walks
    most = max((other.walks for other in counted.others), default=0)
    return counted.share >= LEAST_SHARE or own - most >= 2 * sqrt(own + most)


def is_exact(ladder: Ladder) -> bool:
    """Return whether a ladder is one of instructions."""
    return ladder.definition.quantity == INSTRUCTIONS


def cause(more: Mapping[str, int]) -> str:
    """Return what a walk met besides, by the functions that ran more; "" where none is known."""
    for name, pattern in CAUSES.items():
        if any(pattern.search(function) for function, by in more.items() if by):
            return name
    return ""


def _executed(trials: Group, number: int | None = None) -> Executed | None:
    """Return the sum of its walks at a mode, by itself the most frequent one."""
    results = [(r, c) for r in trials.outside if (c := r.evidence.counted) and c.modes]
    if not results:
        return None
    walks = _walks(trials)
    own = [_mode(walk) for _, walk in results]
    mode = first(walks) if number is None else number
    total = sum(walk.walks - walk.disturbed for _, walk in results)
    boots = {record.boot for record, _ in results}
    return Executed(
        subject=trials.subject,
        instructions=_interval(float(mode), [*own, mode], len(own)),
        same=own.count(mode),
        boots=len(boots),
        same_boots=len({record.boot for record, walk in results if _mode(walk) == mode}),
        walks=total,
        lost=sum(walk.lost for _, walk in results),
        share=walks[mode] / total if total else 0.0,
        others=tuple(_others(mode, walks, [walk for _, walk in results])),
        functions=_functions(mode, [walk for _, walk in results]),
    )


def _walks(trials: Group) -> Counter[int]:
    """Count the walks of all repeats together."""
    return pooled(_modes(c) for r in trials.outside if (c := r.evidence.counted))


def _modes(item: Counted) -> dict[int, int]:
    return {int(number): walks for number, walks in item.modes.items()}


def _numbers(groups: Mapping[str, Group], below: Mapping[str, str]) -> dict[str, int]:
    """Each arm's mode: the first arm's that came most often, of others that one with its step."""
    walks = {arm: counts for arm, trials in groups.items() if (counts := _walks(trials))}
    numbers: dict[str, int] = {}
    for arm, own_counts in walks.items():
        against = below.get(arm, "")
        number = first(own_counts)
        if against in numbers:
            stepped = numbers[against] + shift(walks[against], own_counts)
            number = stepped if stepped in own_counts else number
        numbers[arm] = number
    return numbers


def _functions(mode: int, results: Sequence[Counted]) -> dict[str, tuple[int, int]]:
    """Of a walk in that mode, or of the first one with what the mode ran more."""
    for walk in results:
        if _mode(walk) == mode:
            return walk.functions
    for walk in results:
        if more := walk.more.get(str(mode)):
            names = dict.fromkeys((*walk.functions, *more))
            own = {name: walk.functions.get(name, (0, 0)) for name in names}
            return {n: (c + more.get(n, 0), calls) for n, (c, calls) in own.items()}
    return results[0].functions


def _mode(item: Counted) -> int:
    """Its modes stand by how often they came."""
    return int(next(iter(item.modes)))


def _others(mode: int, walks: Counter[int], results: Sequence[Counted]) -> Iterator[Mode]:
    """Named by a repeat that had this mode as its first: the others tell of another difference."""
    numbers: dict[int, dict[str, int]] = {}
    for walk in results:
        if _mode(walk) == mode:
            for name, more in walk.more.items():
                numbers.setdefault(int(name), more)
    most = sorted(walks, key=lambda other: (-walks[other], other))
    for other in [count for count in most if count != mode][:MOST_MODES]:
        ran = numbers.get(other, {})
        yield Mode(instructions=other, walks=walks[other], cause=cause(ran), more=ran)


def _interval(value: float, among: Sequence[float], n: int) -> Interval:
    """A number that was read off, with the range of what `n` repeats say."""
    return Interval(value, min(among), max(among), n, coverage(n, 0) if n else 0.0)


def _ladder(plan: Plan, rungs: Rungs, *, alike: bool) -> Ladder:
    base, below = next(iter(rungs)), ladder.steps(plan, rungs)
    groups = {arm: trials for arm, (trials, _) in rungs.items()}
    counteds = {a: _executed(groups[a], n) for a, n in _numbers(groups, below).items()}
    modes = {arm: counted.instructions for arm, counted in counteds.items() if counted}
    made = []
    for arm, against in below.items():
        if arm in modes and against in modes:
            value = modes[arm].value - modes[against].value
            costs = {INSTRUCTIONS: _cost(value, groups[against], groups[arm])}
            step = ladder.step(rungs, arm, against, costs)
            step = msgspec.structs.replace(step, twin=step.twin and alike)
            made.append(msgspec.structs.replace(step, values={INSTRUCTIONS: modes[arm]}))
    first_, _ = rungs[base]
    twins = [abs(step.costs[INSTRUCTIONS].difference.value) for step in made if step.twin]
    return Ladder(
        subject=first_.subject,
        values={INSTRUCTIONS: modes[base]} if base in modes else {},
        steps=tuple(made),
        noise={INSTRUCTIONS: max(twins)} if twins else {},
    )


def _cost(value: float, old: Group, new: Group) -> Cost:
    """The difference of two arms' numbers, with the range of what single repeats say."""
    before, after = _by_repeat(old.outside), _by_repeat(new.outside)
    both = sorted(before.keys() & after.keys())
    blocks = [float(shift(before[repeat], after[repeat])) for repeat in both]
    difference = _interval(value, [*blocks, value], len(blocks))
    return Cost(difference=difference, p=None, mde=None, noise=0.0, verdict=_verdict(difference))


def _by_repeat(records: Iterable[Record]) -> dict[int, dict[int, int]]:
    return {
        record.repeat: _modes(walk)
        for record in records
        if (walk := record.evidence.counted) and walk.modes
    }


def _verdict(difference: Interval) -> Verdict:
    """Told where every repeat says so."""
    if not difference.value:
        return "no change"
    if difference.lo <= 0 <= difference.hi:
        return "within noise"
    return "slower" if difference.value > 0 else "faster"
