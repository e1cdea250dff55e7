# SPDX-License-Identifier: Apache-2.0
"""The order of trials: randomised blocks, so that arms and points are interleaved (A B A B)."""

import random
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from gatemark.plan.expand import arms, factors, points, workload_at
from gatemark.plan.model import Factor, Plan, TrialSpec


def order(plans: Sequence[Plan], seed: int) -> tuple[TrialSpec, ...]:
    """Every trial of a run in running order; the same seed gives the same order.

    Plans run one after the other. Within a plan each repeat is a block that holds every point of
    every arm once, shuffled on its own: slow drift of the machine then meets all arms alike. The
    probed pass follows the outside pass, so that no probe disturbs it.
    """
    rng = random.Random(seed)  # noqa: S311  not for secrets
    trials: list[TrialSpec] = []
    for plan in plans:
        for block in _blocks(plan):
            rng.shuffle(block)
            trials += block
    return tuple(
        msgspec.structs.replace(trial, sequence=place) for place, trial in enumerate(trials)
    )


def further(
    plan: Plan, repeat: int, only: Sequence[dict[str, Factor]], seed: int
) -> list[TrialSpec]:
    """One more block of a plan's outside pass: every arm at these points, shuffled.

    The same seed and repeat give the same order, so a resumed run goes on as it would have.
    """
    block = [trial for trial in _block(plan, repeat, "outside") if trial.point in only]
    random.Random(f"{seed}/{plan.name}/{repeat}").shuffle(block)  # noqa: S311  not for secrets
    return block


def _blocks(plan: Plan) -> Iterator[list[TrialSpec]]:
    for repeat in range(1, plan.repeat.times + 1):
        yield _block(plan, repeat, "outside")
    if plan.probe.use:
        for repeat in range(1, plan.probe.times + 1):
            yield _block(plan, repeat, "probed")


def _block(plan: Plan, repeat: int, pass_: Literal["outside", "probed"]) -> list[TrialSpec]:
    return [
        TrialSpec(
            trial="/".join([plan.name, arm.name, *_levels(plan, point), str(repeat), pass_]),
            plan=plan.name,
            arm=arm,
            gateway=plan.gateway,
            workload=workload_at(plan, point),
            point=point,
            repeat=repeat,
            pass_=pass_,
            probes=plan.probe.use if pass_ == "probed" else (),
            deviations=plan.deviations,
        )
        for arm in arms(plan)
        for point in points(plan)
    ]


def _levels(plan: Plan, point: dict[str, Factor]) -> list[str]:
    """One word for each factor of the plan, so that no two points share a name."""
    return [str(point.get(factor, "-")) for factor in factors(plan)]
