# SPDX-License-Identifier: Apache-2.0
"""From a plan to its points: factors crossed, checked before anything is built."""

import itertools
import re
from collections.abc import Iterator
from typing import Any, Final, get_args, get_type_hints

import msgspec

from gatemark.error import UsageError
from gatemark.plan.model import Arm, Direction, Factor, Family, Path, Plan, Workload
from gatemark.plan.toml import nearest
from gatemark.unit import LARGEST_FRAME_BYTES, SMALLEST_FRAME_BYTES

# Words that a key takes, for the message where it has another.
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "path": get_args(Path),
    "direction": get_args(Direction),
    "family": get_args(Family),
    "kind": ("udp",),
}

# What a sweep may vary: every key of the workload.
FACTORS: Final[tuple[str, ...]] = tuple(Workload.__struct_fields__)

MOST_FLOWS: Final = 4096  # one guarded port each in the sink
LONGEST_TRIAL_S: Final = 600.0
MOST_PPS: Final = 50_000_000.0
FEATURES: Final[tuple[str, ...]] = ()  # features by name; paths alone for now
PROBES: Final = ("cpu", "softirq", "memory", "conntrack", "interfaces", "shaper")


def factors(plan: Plan) -> tuple[str, ...]:
    """What varies from point to point: the sweep's factors, then those of the cases."""
    return tuple(dict.fromkeys([*plan.sweep, *itertools.chain(*plan.case)]))


def points(plan: Plan) -> list[dict[str, Factor]]:
    """The plan's points: the sweep's factors crossed, each crossed with the cases."""
    names = list(plan.sweep)
    crossed = [
        dict(zip(names, levels, strict=True)) for levels in itertools.product(*plan.sweep.values())
    ]
    return [point | case for point in crossed for case in (plan.case or ({},))]


def workload_at(plan: Plan, point: dict[str, Factor]) -> Workload:
    """The plan's workload with the factors of one point put in. Raises UsageError."""
    try:
        return msgspec.convert(msgspec.to_builtins(plan.workload) | point, Workload)
    except msgspec.ValidationError as error:
        raise UsageError(plain(str(error))) from None


def plain(message: str) -> str:
    """msgspec's wording, the path in front and the mend behind: `workload.flows: Expected ...`."""
    found = re.fullmatch(r"(.*) - at `\$?\.?(.*)`", message, re.S)
    if not found:
        return message
    choices = CHOICES.get(found[2].rpartition(".")[2], ()) if "enum" in found[1] else ()
    mend = f"; known are: {', '.join(choices)}" if choices else ""
    return f"{found[2]}: {found[1]}{mend}"


def check(plan: Plan) -> None:
    """UsageError unless every point of the plan can be asked for; the message names the key."""
    if not plan.arm:
        raise UsageError("a plan needs a [setup] or at least one [[arm]]")
    _check_arms(plan.arm)
    _check_counts(plan)
    _check_levels(plan)
    for point in points(plan):
        for reason in _faults(workload_at(plan, point)):
            raise UsageError(reason)


def _check_arms(arms: tuple[Arm, ...]) -> None:
    for arm in arms:
        for feature in arm.features:
            if feature.split(":")[0] not in FEATURES:
                known = ", ".join(FEATURES) or "none yet"
                raise UsageError(f"`features`: no feature '{feature}'; known are: {known}")
    names = [arm.name for arm in arms]
    if len(set(names)) < len(names):
        raise UsageError(f"`arm`: two arms are named '{max(names, key=names.count)}'; rename one")


def _check_levels(plan: Plan) -> None:
    """Each point is there once: a trial is known by its point."""
    for name, levels in plan.sweep.items():
        if not levels:
            raise UsageError(f"`{name}` has no levels; give at least one")
        if len(set(levels)) < len(levels):
            twice = max(levels, key=levels.count)
            raise UsageError(f"`{name}` has the level {twice} twice; `times` repeats a point")
        if any(name in case for case in plan.case):
            raise UsageError(f"`{name}` is in [sweep] and in a [[sweep.case]]; leave one out")
    if any(case in plan.case[:at] for at, case in enumerate(plan.case)):
        raise UsageError("`case`: two [[sweep.case]] are alike; `times` repeats a point")


def _check_counts(plan: Plan) -> None:
    if not 1 <= plan.repeat.times <= 1000:
        raise UsageError("`times` of [repeat] must be 1 to 1000")
    if not 0 <= plan.probe.times <= 1000:
        raise UsageError("`times` of [probe] must be 0 to 1000")
    if plan.gateway.brake_pps and not 1000 <= plan.gateway.brake_pps <= 500_000:
        raise UsageError("`brake_pps` must be 1000 to 500000, or 0 for no brake")
    for probe in plan.probe.use:
        if probe not in PROBES:
            raise UsageError(f"`use`: no probe '{probe}'; known are: {', '.join(PROBES)}")


def _faults(load: Workload) -> Iterator[str]:
    """Why this workload cannot be sent, each reason with the mend."""
    smallest = SMALLEST_FRAME_BYTES[load.family]
    if not smallest <= load.frame_bytes <= LARGEST_FRAME_BYTES:
        yield (
            f"`frame_bytes` = {load.frame_bytes} is impossible for {load.family}: a frame with FCS "
            f"and our test header has {smallest} to {LARGEST_FRAME_BYTES} bytes"
        )
    if not 1 <= load.flows <= MOST_FLOWS:
        yield f"`flows` = {load.flows}: 1 to {MOST_FLOWS}"
    if not 0 <= load.rate_pps <= MOST_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 (as fast as it goes) to {MOST_PPS:g}"
    if not 0.05 <= load.duration_s <= LONGEST_TRIAL_S:
        yield f"`duration_s` = {load.duration_s:g}: 0.05 to {LONGEST_TRIAL_S:g}"
    if not 0 <= load.burst <= 256:
        yield f"`burst` = {load.burst}: 0 (by the rate) to 256"
    if not 0 <= load.cap_pps <= MOST_PPS:
        yield f"`cap_pps` = {load.cap_pps:g}: 0 (no cap) to {MOST_PPS:g}"


def override(plan: Plan, settings: dict[str, Any]) -> Plan:
    """The plan with `--set` keys (`repeat.times`, `sweep.rate_pps`, ...) put in, checked again.

    A factor of `workload` that the plan sweeps cannot be set there: it would have no effect.
    """
    for key, value in settings.items():
        table, name = key.split(".")
        if table == "sweep":
            levels = value if isinstance(value, list) else [value]
            plan = _with(plan, table, name, levels)
        else:
            plan = _with(plan, table, name, value)
    try:
        check(plan)
    except UsageError as error:
        raise UsageError(f"--set {', '.join(settings)}: {plan.name}: {error}") from None
    return plan


def applies(plan: Plan, key: str) -> bool:
    """Whether a `--set` key means something in this plan. Raises UsageError for an unknown key."""
    table, _, name = key.partition(".")
    known = {**{t: get_type_hints(Plan)[t].__struct_fields__ for t in SETTABLE}, "sweep": FACTORS}
    if name not in known.get(table, ()):
        keys = [f"{t}.{n}" for t, names in known.items() for n in names]
        raise UsageError(f"--set {key}: no such key{nearest(key, keys)}")
    if table == "sweep":
        return name in plan.sweep
    return not (table == "workload" and name in factors(plan))


SETTABLE: Final = ("gateway", "workload", "repeat", "probe")


def _with(plan: Plan, table: str, name: str, value: Any) -> Plan:
    part = msgspec.to_builtins(getattr(plan, table)) | {name: value}
    try:
        new = msgspec.convert(part, get_type_hints(Plan)[table])
    except msgspec.ValidationError as error:
        reason = plain(str(error)).partition(": ")[2]
        raise UsageError(f"--set {table}.{name}: {reason}") from None
    return msgspec.structs.replace(plan, **{table: new})
