# SPDX-License-Identifier: Apache-2.0
"""The plan of an A/B test: that of one question, with `old` and `new` in the place of its arms."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final, cast, get_args

from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan.expand import check
from gatemark.plan.feature import DIRECT
from gatemark.plan.misfit import check_features
from gatemark.plan.model import NEW, OLD, Arm, Path, Plan, Probe
from gatemark.plan.toml import nearest

BOOTS: Final = 6  # of each arm: the fewest with which an interval of pairs has 95 %
TURN_MS: Final = 20.0  # as quick/speed: long enough for warm caches
PATHS: Final = tuple(path for path in get_args(Path) if path != DIRECT)


def setup(word: str) -> Arm:
    """A setup as the command line has it: `nat+filter:100`. Raises UsageError."""
    path, *features = (part.strip() for part in word.split("+"))
    if path not in PATHS:
        fix = nearest(path, list(PATHS))
        known = f"a setup is a path, {', '.join(PATHS)}, and features: nat+filter:100"
        raise UsageError(f"'{word}': no path '{path}'{fix}; {known}")
    arm = Arm(path=cast(Path, path), features=tuple(features))
    try:
        check_features(arm)
    except UsageError as error:
        raise UsageError(f"'{word}': {error}") from None
    return arm


def own(plan: Plan) -> Arm:
    """The plan's own first setup of a gateway. Raises UsageError where it has none."""
    for arm in plan.arm:
        if arm.path != DIRECT:
            return arm
    raise UsageError(f"--plan {plan.name}: it measures no gateway, so nothing can be compared")


def versus(plan: Plan, old: Arm, new: Arm, boots: int, *, turns: bool = False) -> Plan:
    """The plan with these two arms, measured over so many boots; 0: as many as it says, or six.

    `turns`: the station can have both gateways at once. They take turns then, where the plan's
    workload can be sent so. Raises UsageError where an arm does not fit.
    """
    boots = boots or plan.repeat.boots or BOOTS
    sides = replace(old, name=OLD, at={}), replace(new, name=NEW, at={})
    if turns:
        with suppress(UsageError):
            return among(plan, sides, boots, turn_ms=TURN_MS)
    return among(plan, sides, boots)


def among(plan: Plan, arms: Sequence[Arm], boots: int, *, turn_ms: float = 0.0) -> Plan:
    """The plan with these arms, which have names, measured over so many boots.

    The tester alone stays. Probes, twins, a gate of the spread and expectations go: what is
    compared comes of the outside pass, and its noise from the boots. Raises UsageError where an
    arm does not fit.
    """
    alone = tuple(arm for arm in plan.arm if arm.path == DIRECT)
    repeat = replace(plan.repeat, boots=boots, spread=0.0, twin=False, turn_ms=turn_ms)
    made = replace(
        plan,
        arm=(*alone, *arms),
        repeat=repeat,
        probe=Probe(),
        expect=(),
    )
    try:
        check(made)
    except UsageError as error:
        raise UsageError(f"--plan {plan.name}: {error}") from None
    return made
