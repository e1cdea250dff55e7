# SPDX-License-Identifier: Apache-2.0
"""The order of trials: randomised blocks, so that arms and points are interleaved (A B A B)."""

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from gatemark.plan.deviate import deviations
from gatemark.plan.expand import arm_at, arms, beside_at, factors, of_arm, workload_at
from gatemark.plan.feature import DIRECT, commands
from gatemark.plan.line.keys import line_at
from gatemark.plan.model import Arm, Factor, Plan, Search, TrialSpec, Turn, Workload
from gatemark.plan.search import GOAL, SHARE, base, terms
from gatemark.plan.shaper import shaping

Passing = Literal["warmup", "outside", "instrumented"]
Group = list[TrialSpec]  # trials that stay together


def order(plans: Sequence[Plan], seed: int, *, by_path: bool = False) -> tuple[TrialSpec, ...]:
    """Every trial of a run in running order; the same seed gives the same order.

    Plans run one after the other. Within a plan each repeat is a block that holds every point of
    every arm once, shuffled on its own: slow drift of the machine then meets all arms equally.
    Blocks of warm-up trials come before them. The instrumented pass follows the outside pass, so
    that no probe disturbs it.

    `by_path`: a block's trials of one path follow one another, for a gateway that changes its path
    in seconds. The paths of a block are in an order of its own.

    With boots a block holds one boot of every arm, in an order of its own, and within a boot each
    repeat, or warm-up, holds every point once. Arms that take turns are booted together.
    """
    rng = random.Random(seed)  # noqa: S311  not for secrets
    trials: list[TrialSpec] = []
    for plan in plans:
        if plan.repeat.boots:
            trials += _booted_together(plan, rng) if plan.repeat.turn_ms else _booted(plan, rng)
            continue
        for block in _blocks(plan):
            trials += _shuffled(block, rng, by_path=by_path)
    return numbered(trials)


def further(
    plan: Plan,
    repeat: int,
    only: Sequence[dict[str, Factor]],
    seed: int,
    *,
    by_path: bool = False,
) -> list[TrialSpec]:
    """One more block of a plan's outside pass: every arm at these points, shuffled.

    The same seed and repeat give the same order, so a resumed run goes on as it would have.
    """
    wanted = [base(point) for point in only]
    block = [
        trials for trials in _block(plan, repeat, "outside") if base(trials[0].point) in wanted
    ]
    rng = random.Random(f"{seed}/{plan.name}/{repeat}")  # noqa: S311
    return _shuffled(block, rng, by_path=by_path)


def block_of(
    plan: Plan, repeat: int, names: Sequence[str], seed: int, *, by_path: bool = False
) -> list[TrialSpec]:
    """One more block of some of a plan's arms, with its probes: every point, shuffled."""
    among = [arm for arm in plan.arm if arm.name in names]
    pass_: Passing = "instrumented" if plan.probe.use else "outside"
    rng = random.Random(f"{seed}/{plan.name}/{repeat}")  # noqa: S311
    return _shuffled(_block(plan, repeat, pass_, among), rng, by_path=by_path)


def numbered(block: Sequence[TrialSpec]) -> tuple[TrialSpec, ...]:
    """Trials with their places in the order."""
    return tuple(msgspec.structs.replace(trial, sequence=at) for at, trial in enumerate(block))


def _shuffled(block: list[Group], rng: random.Random, *, by_path: bool = False) -> list[TrialSpec]:
    rng.shuffle(block)
    if by_path:
        paths = list(dict.fromkeys(group[0].arm.path for group in block))
        block.sort(key=lambda group: paths.index(group[0].arm.path))
    return list(itertools.chain(*block))


def _booted(plan: Plan, rng: random.Random) -> Iterator[TrialSpec]:
    """Boot by boot. The tester alone has none: it is measured after the first one of each block."""
    alone = [arm for arm in plan.arm if arm.path == DIRECT]
    for boot in range(1, plan.repeat.boots + 1):
        gateways = [arm for arm in arms(plan) if arm.path != DIRECT]
        rng.shuffle(gateways)
        for place, arm in enumerate(gateways):
            yield from _in_boot(plan, boot, [arm], rng)
            if place == 0:
                yield from _shuffled(_block(plan, boot, "outside", alone), rng)


def _booted_together(plan: Plan, rng: random.Random) -> Iterator[TrialSpec]:
    """Boot by boot, each of all arms: the tester alone takes its turns among them."""
    for boot in range(1, plan.repeat.boots + 1):
        yield from _in_boot(plan, boot, arms(plan), rng)


def _in_boot(
    plan: Plan, boot: int, among: Sequence[Arm], rng: random.Random
) -> Iterator[TrialSpec]:
    """The warm-ups and repeats of one boot of these arms."""
    passes: tuple[tuple[Passing, int], ...] = (
        ("warmup", plan.repeat.warmup),
        ("outside", plan.repeat.times),
    )
    for pass_, times in passes:
        for repeat in range(times * (boot - 1) + 1, times * boot + 1):
            for spec in _shuffled(_block(plan, repeat, pass_, among), rng):
                yield msgspec.structs.replace(spec, boot=boot)


def is_first(plan: Plan, point: dict[str, Factor]) -> bool:
    """Return True if the plan asks for all repeats of a point before the others'."""
    return any(first.items() <= point.items() for first in plan.repeat.first)


def _blocks(plan: Plan) -> Iterator[list[Group]]:
    for repeat in range(1, plan.repeat.warmup + 1):
        yield _block(plan, repeat, "warmup")
    for first in (True, False):
        for repeat in range(1, plan.repeat.times + 1):
            block = _block(plan, repeat, "outside")
            yield [trials for trials in block if is_first(plan, trials[0].point) is first]
    if plan.probe.use:
        for repeat in range(1, plan.probe.times + 1):
            yield _block(plan, repeat, "instrumented")


def _block(
    plan: Plan, repeat: int, pass_: Passing, among: Sequence[Arm] | None = None
) -> list[Group]:
    """Every point of every arm, or of some; what comes of one search stays together.

    A search is warmed up by plain trials at its point, as fast as the tester can.
    """
    groups = [
        (
            _of_search(plan, plan.search, arm, point, repeat, pass_)
            if plan.search and pass_ != "warmup"
            else [_spec(plan, arm, point, repeat, pass_)]
        )
        for arm in (arms(plan) if among is None else among)
        for point in of_arm(plan, arm)
    ]
    return [group for group in groups if group]


def _spec(
    plan: Plan, arm: Arm, point: dict[str, Factor], repeat: int, pass_: Passing, *goal: str
) -> TrialSpec:
    """One trial; `found` are words besides the levels of the plan's factors."""
    return TrialSpec(
        trial="/".join([plan.name, arm.name, *_levels(plan, point), *goal, str(repeat), pass_]),
        plan=plan.name,
        arm=arm_at(plan, arm, base(point)),
        gateway=plan.gateway,
        line=line_at(plan, base(point)) if arm.line else None,
        workload=_seen(plan, workload_at(plan, base(point))),
        beside=beside_at(plan, base(point)) if arm.beside else {},
        point=point,
        repeat=repeat,
        pass_=pass_,
        probes=plan.probe.use if pass_ == "instrumented" else (),
        keep=plan.keep,
        commands=commands(arm, plan.command),
        deviations=deviations(plan),
        turn=Turn(ms=plan.repeat.turn_ms if pass_ != "instrumented" else 0.0),
    )


def _seen(plan: Plan, load: Workload) -> Workload:
    """A sink whose packets are to be captured counts above the kernel's hooks, not at XDP."""
    by_ring = plan.keep.pcapng and load.sink_port == "auto"
    return msgspec.structs.replace(load, sink_port="ring") if by_ring else load


def _of_search(
    plan: Plan, search: Search, arm: Arm, point: dict[str, Factor], repeat: int, pass_: Passing
) -> Group:
    """The outcomes of one search, by goal, and the trials at shares of what it found.

    In the instrumented pass: a trial at the rate that was found too fast for each goal.
    """
    full = shaping.terms_of(terms(search), arm, workload_at(plan, base(point)))
    name = "/".join([plan.name, arm.name, *_levels(plan, point), str(repeat), "search"])
    sought: list[tuple[str, Factor, float]] = [
        (GOAL, goal, full.trial_s) for goal in full.goals if pass_ == "outside" or goal != "burst"
    ]
    if pass_ == "outside":
        sought += [(SHARE, share, full.share_s) for share in full.shares]
    made = []
    for factor, level, lasts_s in sought:
        spec = _spec(plan, arm, point | {factor: level}, repeat, pass_, str(level))
        load = msgspec.structs.replace(spec.workload, duration_s=lasts_s)
        made.append(msgspec.structs.replace(spec, workload=load, search=full, seeks=name))
    return made


def _levels(plan: Plan, point: dict[str, Factor]) -> list[str]:
    """One word for each factor of the plan, so that no two points share a name."""
    return [str(point.get(factor, "-")) for factor in factors(plan)]
