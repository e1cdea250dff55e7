# SPDX-License-Identifier: Apache-2.0
"""The search for the best setting of a gateway, with a quarter of the trials of all of them. Pure.

    first block    every combination once
    halving        the better part again, in blocks of their own, until two are left or trials are
    pairs          the best and the gateway as it is, one right after the other, up to 12 times

A combination's rank comes of its own trials and of what each of its settings did in all others of
the first block: effects that add up are known from many trials there (Jamieson and Talwalkar, 2016,
have the halving; Box, Hunter and Hunter, Statistics for Experimenters, the sums). The gateway as it
is stands in each block.

The gain is read off the pairs alone. They were measured after the best was chosen, so that chance
in the choice is not in the gain. The pairs are looked at more than once: to give up from six on,
where the interval holds no gain that is worth it; to advise at ten and at twelve, at a level so low
that a gateway compared with itself gets advice less than once in 400 searches.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, expm1, log, log1p
from statistics import fmean, median
from typing import Final, NamedTuple

from gatemark.judge.math import signed
from gatemark.judge.math.interval import Interval
from gatemark.plan.feature import DIRECT
from gatemark.plan.model import JOIN, Plan
from gatemark.store.record import Record
from gatemark.store.run import Tune

RATE, DELAY, CPU, SHARE = "rate", "delay", "cpu", "share"
# share: of the work on the busiest CPU. 1 is better: more; -1: less.
SENSE: Final = {RATE: 1, DELAY: -1, CPU: -1, SHARE: -1}
PAIRS: Final = 12  # of the last two: what each combination of a whole grid gets as well
FEWEST: Final = 6  # pairs that have a 95 % interval
LOOKS: Final = (10, PAIRS)  # numbers of pairs at which it may be advised
P_MOST: Final = 0.002  # of each look, two-sided: ten pairs of one sign
SPARE: Final = 2  # blocks more where pairs were invalid
QUARTER: Final = 4
OWN: Final = 2  # trials of its own that weigh as much as the sum of its settings' effects
FEW: Final = 3  # trials, below which other quantities only count where they are much worse
MUCH: Final = 0.5
FLOOR: Final = 1e-4  # of a load: nothing is infinitely better

Values = Mapping[str, float]
Measured = dict[str, dict[int, dict[str, float]]]  # arm -> block -> quantity -> value


class Advice(NamedTuple):
    """The outcome of a search."""

    best: str  # the arm; "": nothing could be measured
    gains: dict[str, Interval]  # of each quantity, by pairs: a ratio, above 0 is better
    worth: bool  # whether it is worth to be set
    worse: tuple[str, ...]  # quantities that it makes worse by more than is allowed
    pairs: int  # that the gains are of
    trials: int  # that were measured of gateways
    whole: int  # that the whole grid would take
    able: int  # combinations that this gateway has
    skipped: int  # that it has not
    seen: dict[str, Interval]  # of the gateway as it is, in the pairs: medians


def measured(plan: Plan, records: Iterable[Record], *, by_shape: bool = False) -> Measured:
    """Return what was measured of each arm with a gateway, block by block."""
    values_of: Measured = {}
    kind = "instrumented" if by_shape else "outside"
    for record in records:
        if record.plan != plan.name or record.pass_ != kind or record.status != "ok":
            continue
        if record.definition.path == DIRECT:
            continue
        values = values_of.setdefault(record.arm, {}).setdefault(record.repeat, {})
        values |= _shape(record) if by_shape else _read(record)
    return values_of


def _read(record: Record) -> dict[str, float]:
    """The rate at overload; at a rate that all carry delay and load."""
    if not record.point.get("rate_pps"):
        return {RATE: record.values.get(record.definition.headline, 0.0)}
    named = {DELAY: "delay_p50_ns", CPU: "cpu_busy"}
    return {key: record.values[name] for key, name in named.items() if name in record.values}


def _shape(record: Record) -> dict[str, float]:
    """Instructions a packet of the busiest CPU, where one CPU of the machine is all CPUs'."""
    if not record.point.get("rate_pps") or "instructions_busiest" not in record.values:
        return {}
    return {SHARE: record.values["instructions_busiest"]}


def schedule(able: int) -> tuple[int, ...]:
    """Return how many arms besides the base each block between the first and the pairs has."""
    left = PAIRS * able // QUARTER - able - 2 * PAIRS
    for part in (2, 3, 4):
        sizes = _halved(able - 1, part)
        if sum(sizes) + len(sizes) <= left:
            return sizes
    sizes = ()
    while (size := min(ceil((sizes[-1] if sizes else able - 1) / 3), left - 1)) >= 2:
        sizes, left = (*sizes, size), left - size - 1
        if size == 2:
            break
    return sizes


def _halved(arms: int, part: int) -> tuple[int, ...]:
    sizes: tuple[int, ...] = ()
    while arms > 2:
        arms = max(2, ceil(arms / part))
        sizes = (*sizes, arms)
    return sizes


def following(tune: Tune, plan: Plan, records: Sequence[Record], blocks: int) -> tuple[str, ...]:
    """Return the arms of the next block, behind so many; none: the search is over."""
    trials_of = measured(plan, records, by_shape=tune.by_shape)
    if 1 not in trials_of.get(tune.base, {}) or len(_able(trials_of)) < 2:
        return ()
    if tune.whole:
        return tuple(_able(trials_of)) if blocks < PAIRS else ()
    sizes = schedule(len(_able(trials_of)))
    if blocks <= len(sizes):
        return (tune.base, *ranking(tune, trials_of, blocks)[: sizes[blocks - 1]])
    first = len(sizes) + 1
    ranked = ranking(tune, trials_of, first)
    if not ranked:
        return ()
    logs = gains(tune, trials_of, ranked[0], first)[goal(tune)]
    if blocks - first >= PAIRS + SPARE or verdict(tune, logs) is not None:
        return ()
    return (tune.base, ranked[0])


def _able(trials_of: Measured) -> list[str]:
    """The arms that the first block measured."""
    return [arm for arm, blocks in trials_of.items() if 1 in blocks]


def goal(tune: Tune) -> str:
    """The quantity that is to gain."""
    return SHARE if tune.by_shape else tune.prefer


def verdict(tune: Tune, logs: Sequence[float]) -> bool | None:
    """Return whether the gain of these pairs is worth it; None: more of them are needed."""
    n = len(logs)
    if n < FEWEST:
        return None
    gain = signed.middle(logs)
    least = log1p(tune.least)
    if gain.hi < least:
        return False
    is_look = n in LOOKS or n > PAIRS
    if is_look and signed.p_value(logs) <= P_MOST and gain.lo > least:
        return True
    return False if n >= PAIRS else None


def ranking(tune: Tune, trials_of: Measured, blocks: int) -> list[str]:
    """Return the arms but the base, the best first, by what the blocks so far say."""
    sums = effects(tune, trials_of)
    others = [arm for arm in _able(trials_of) if arm != tune.base]
    for block in range(blocks, 0, -1):  # of one whose trials were all invalid the one before counts
        if last := [arm for arm in others if block in trials_of[arm]]:
            return sorted(last, key=lambda arm: -_worth(tune, trials_of, arm, blocks, sums))
    return []


def _worth(
    tune: Tune, trials_of: Measured, arm: str, blocks: int, sums: Mapping[str, float]
) -> float:
    """Return by how much an arm is better than the base, as a log, less what is worse."""
    name = goal(tune)
    before = range(1, blocks + 1)  # the pairs never change what was chosen for them
    own = _logs(trials_of[arm], name, before)
    base = _logs(trials_of[tune.base], name, before)
    if not own or not base:
        return float("-inf")
    n = len(own)
    gain = (n * (median(own) - median(base)) + OWN * sums.get(arm, 0.0)) / (n + OWN)
    slack = log1p(tune.allow if n >= FEW else MUCH)
    for other in SENSE:
        ours, theirs = (_logs(trials_of[each], other, before) for each in (arm, tune.base))
        if other != name and ours and theirs:
            gain -= max(0.0, median(theirs) - median(ours) - slack)
    return gain


def _logs(of_arm: Mapping[int, Values], name: str, blocks: Iterable[int]) -> list[float]:
    """An arm's values of a quantity as logs, higher is better."""
    values = [of_arm[b][name] for b in blocks if name in of_arm.get(b, {})]
    return [SENSE[name] * log(max(FLOOR, value)) for value in values]


def effects(tune: Tune, trials_of: Measured) -> dict[str, float]:
    """Return each arm's gain over the base as the sum of its settings' effects, as logs.

    Of the first block alone, in which all combinations stand.
    """
    name = goal(tune)
    logs = {arm: own for arm in _able(trials_of) for own in _logs(trials_of[arm], name, (1,))}
    if not logs:
        return {}
    settings: dict[str, frozenset[str]] = {
        arm: frozenset() if arm == tune.base else frozenset(arm.split(JOIN)) for arm in logs
    }
    at = {its: logs[arm] for arm, its in settings.items()}
    changes: dict[str, list[float]] = {}  # against the arm that leaves that one setting out
    for its, own in at.items():
        for setting in its:
            if its - {setting} in at:
                changes.setdefault(setting, []).append(own - at[its - {setting}])
    effect = {setting: fmean(each) for setting, each in changes.items()}
    return {arm: sum(effect.get(setting, 0.0) for setting in its) for arm, its in settings.items()}


def gains(tune: Tune, trials_of: Measured, best: str, first: int) -> dict[str, list[float]]:
    """Return the log ratios of the pairs behind block `first`, of each quantity."""
    base, arm = trials_of.get(tune.base, {}), trials_of.get(best, {})
    blocks = [block for block in sorted(base) if block > first and block in arm]
    return {
        name: [
            SENSE[name] * (log(max(FLOOR, arm[b][name])) - log(max(FLOOR, base[b][name])))
            for b in blocks
            if name in arm[b] and name in base[b]
        ]
        for name in SENSE
    }


def advice(tune: Tune, plan: Plan, records: Sequence[Record]) -> Advice:
    """Return what a search came to."""
    trials_of = measured(plan, records, by_shape=tune.by_shape)
    able = len(_able(trials_of))
    trials = sum(len(blocks) for blocks in trials_of.values())
    grid = sum(1 for arm in plan.arm if arm.path != DIRECT)
    nothing = Advice("", {}, False, (), 0, trials, able * PAIRS, able, grid - able, {})
    if 1 not in trials_of.get(tune.base, {}) or able < 2:
        return nothing
    first = 0 if tune.whole else len(schedule(able)) + 1
    ranked = ranking(tune, trials_of, first or PAIRS)
    if not ranked:
        return nothing
    logs = gains(tune, trials_of, ranked[0], first)
    of_goal = logs[goal(tune)]
    ratios = {name: _ratio(values) for name, values in logs.items() if values}
    worse = tuple(
        name
        for name, each in ratios.items()
        if name != goal(tune) and log1p(each.hi) < -log1p(tune.allow)
    )
    seen = {
        name: signed.middle(
            [
                trials_of[tune.base][b][name]
                for b in trials_of[tune.base]
                if b > first and name in trials_of[tune.base][b]
            ]
        )
        for name in ratios
    }
    return nothing._replace(
        best=ranked[0],
        gains=ratios,
        worth=bool(verdict(tune, of_goal)) and not worse,
        worse=worse,
        pairs=len(of_goal),
        seen=seen,
    )


def _ratio(logs: Sequence[float]) -> Interval:
    middle = signed.middle(logs)
    return Interval(expm1(middle.value), expm1(middle.lo), expm1(middle.hi), middle.n, middle.level)
