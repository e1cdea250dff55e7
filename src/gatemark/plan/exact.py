# SPDX-License-Identifier: Apache-2.0
"""A plan asked exactly: the same setups and sizes, in instructions of one packet instead of time.

A plan of look-ups or matchers is asked for the instructions of one of their operations.

gatemark run ladder --exact --station qemu-mips
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan.ab import versus
from gatemark.plan.expand import OF_KIND, check, factors, points, workload_at
from gatemark.plan.feature import DIRECT
from gatemark.plan.model import Arm, Factor, Gateway, Plan, Probe, Repeat, Workload

KEPT: Final = ("direction", "family", "frame_bytes", "payload_bytes")  # of the workload
TIMES: Final = 3  # the same number in each: that is the claim
EXACT: Final = "exact"  # the figure
LADDER: Final = "ladder"  # the figure whose arms are steps; of others each stands against the first
COUNTS: Final = "instructions"  # the probe
RATES: Final = frozenset({"rate_pps", "rate_bps"})  # instructions stand in their place
KERNELS: Final = ("lpm", "filter", "match", "gateway")  # commands that mark what they repeat


def counts(plan: Plan) -> bool:
    """Return whether a plan needs a gateway whose instructions are counted."""
    kinds = {workload_at(plan, point).kind for point in points(plan)}
    return "walk" in kinds or COUNTS in plan.probe.use or bool(plan.gateway.devices)


def of_programs(plan: Plan) -> bool:
    """Return whether it counts what programs do, and not the kernel."""
    return COUNTS in plan.probe.use and any(
        workload_at(plan, point).kind == "algorithm" for point in points(plan)
    )


def is_traceable(plan: Plan) -> bool:
    """Return whether all of it is paths, which a gateway's own kernel may trace as well."""
    loads = [workload_at(plan, point) for point in points(plan)]
    return all(load.kind == "walk" and load.ordered for load in loads)


def exact(plan: Plan) -> Plan:
    """The plan in instructions.

    Raises UsageError where none of it is a packet at a time, or where another question was left.
    """
    if counts(plan):
        return plan
    arms = tuple(_walked(arm) for arm in plan.arm if arm.path != DIRECT)
    loads = [workload_at(plan, point) for point in points(plan)]
    if loads and all(load.kind == "algorithm" for load in loads):
        return _of_kernels(plan, {load.command for load in loads})
    if not arms or any(load.kind not in ("udp", "tcp") for load in loads):
        raise UsageError(
            f"--exact: {plan.name} is not of packets through a gateway; "
            "ladders, ablations, sizes and models of UDP are"
        )
    if why := _uncountable(loads):
        raise UsageError(f"--exact: {plan.name} {why}")
    walked = msgspec.convert(_kept(msgspec.to_builtins(plan.workload)), Workload)
    made = replace(
        plan,
        name=f"{plan.name}-exact",
        title=f"{plan.title}, in instructions",
        arm=arms if plan.figure == LADDER else _against_first(arms),
        gateway=Gateway(),
        workload=replace(walked, kind="walk"),
        sweep={name: levels for name, levels in plan.sweep.items() if name in KEPT},
        case=_once(case for case in plan.case if not _uncountable([workload_at(plan, case)])),
        repeat=Repeat(times=TIMES, twin=plan.repeat.twin),
        probe=Probe(),
        search=None,
        expect=(),  # they are of rates and delays
        figure=EXACT if len(arms) + plan.repeat.twin > 1 else "auto",
        variants=(),
        variant="",
    )
    _check_question(plan, made)
    check(made)
    return made


def _uncountable(loads: Sequence[Workload]) -> str:
    """Why no packet of these is counted by itself; nothing where one is."""
    if all(load.kind == "tcp" for load in loads):
        return (
            "is of TCP connections, and packets are counted one at a time; "
            "counting/protocols has segments of TCP"
        )
    if all(load.mix for load in loads):
        return (
            "sends a mix of sizes, and packets are counted one at a time; "
            "counting/sizes has one size after the other"
        )
    return ""


def _check_question(plan: Plan, made: Plan) -> None:
    """UsageError where what it asks is not among what a single packet has."""
    dropped = [name for name in factors(plan) if name not in KEPT]
    is_alone = len(made.arm) + made.repeat.twin == 1
    if dropped and not factors(made) and (is_alone or not RATES.issuperset(dropped)):
        raise UsageError(
            f"--exact: {plan.name} varies {', '.join(dropped)}, which one packet at a time does "
            "not have; counting/features compares setups"
        )


def _of_kernels(plan: Plan, commands: set[str]) -> Plan:
    """Each kernel as it is, and its instructions in a pass of its own."""
    if others := commands - {*KERNELS}:
        raise UsageError(
            f"--exact: of {plan.name}, {', '.join(sorted(others))} is not counted; "
            f"{', '.join(KERNELS)} are, as in algorithms/lpm"
        )
    made = replace(
        plan,
        name=f"{plan.name}-exact",
        title=f"{plan.title}, in instructions",
        probe=Probe(use=(COUNTS,), times=TIMES),
        repeat=replace(plan.repeat, times=max(TIMES, plan.repeat.times)),
        variants=(),
        variant="",
    )
    check(made)
    return made


def between(plan: Plan, old: Arm, new: Arm, boots: int) -> Plan:
    """The plan of an A/B test in instructions; 0 boots: both arms interleaved in one boot."""
    made = versus(replace(plan, figure=EXACT), old, new, max(1, boots))
    return replace(made, repeat=replace(made.repeat, boots=boots))


def _walked(arm: Arm) -> Arm:
    """The arm at those of its points that a walk has too."""
    return replace(arm, at={name: level for name, level in arm.at.items() if name in KEPT})


def _against_first(arms: tuple[Arm, ...]) -> tuple[Arm, ...]:
    first, *others = arms
    base = first.name or first.setup
    return (first, *(replace(arm, against=arm.against or base) for arm in others))


def _once(cases: Iterable[dict[str, Factor]]) -> tuple[dict[str, Factor], ...]:
    """Cases that differ in what a walk has."""
    distinct: list[dict[str, Factor]] = []
    for case in map(_kept, cases):
        if case and case not in distinct:
            distinct.append(case)
    return tuple(distinct)


def _kept(keys: dict[str, Factor]) -> dict[str, Factor]:
    both = keys.get("direction") == "both"
    kept = {name: value for name, value in keys.items() if name in KEPT}
    return kept | ({"direction": "up"} if both else {})


assert set(KEPT[2:]) < OF_KIND["walk"]
