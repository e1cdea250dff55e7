# SPDX-License-Identifier: Apache-2.0
"""From a plan to its points: factors crossed, checked before anything is built."""

import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, get_args, get_type_hints

import msgspec
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.kind.kinds import KINDS
from gatemark.kind.outage.plan import OUTAGE
from gatemark.plan import device, driver, workloads
from gatemark.plan.feature import DIRECT, commands, on_line
from gatemark.plan.kind import RULES, faults
from gatemark.plan.level import spread_out
from gatemark.plan.line.keys import AQMS, LINE, LINE_FACTORS, line_at, overlap
from gatemark.plan.line.sane import line_faults
from gatemark.plan.misfit import check_features, misfit
from gatemark.plan.mix import mean_bytes
from gatemark.plan.model import (
    L4,
    TWIN,
    WHOLE,
    Arm,
    Connecting,
    Direction,
    Driver,
    Factor,
    Family,
    Figure,
    FlowPorts,
    Goal,
    Kernel,
    Level,
    Path,
    Plan,
    Profile,
    Search,
    SenderPort,
    SinkPort,
    Workload,
)
from gatemark.plan.probe import PROBES
from gatemark.plan.search import misfits, search_faults
from gatemark.plan.toml import nearest
from gatemark.plan.words import COREMARK, SOURCE, WORDS, is_word, merged
from gatemark.unit import frame_bytes, payload_bytes

LATE_S: Final = 1  # that an action may begin after its `at`
# Words that a key takes, for the message where it has another.
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "path": get_args(Path),
    "direction": get_args(Direction),
    "family": get_args(Family),
    "l4": get_args(L4),
    "kind": KINDS,
    "command": get_args(Kernel),
    "level": get_args(Level),
    "figure": get_args(Figure),
    "driver": get_args(Driver),
    "flow_ports": get_args(FlowPorts),
    "sender_port": get_args(SenderPort),
    "sink_port": get_args(SinkPort),
    "connecting": get_args(Connecting),
    "profile": get_args(Profile),
    "goals": get_args(Goal),
    "of": get_args(Goal),
    "aqm": AQMS,
}

# What a sweep may vary: every key of the workload.
FACTORS: Final[tuple[str, ...]] = tuple(Workload.__struct_fields__)

# Keys that mean something for some kinds alone; a key that is not here does for all.
OF_KIND: Final = {kind: frozenset(rules.keys.split()) for kind, rules in RULES.items()}

# Two words for one thing: the second one would win in silence.
PAIRS: Final = (
    ("frame_bytes", "payload_bytes"),
    ("mix", "frame_bytes"),
    ("mix", "payload_bytes"),
    ("rate_pps", "rate_bps"),
)

MOST_BOOTS: Final = 100
LEAST_SLOWED_PPS, MOST_SLOWED_PPS = 1000, 500_000


def factors(plan: Plan) -> tuple[str, ...]:
    """Return the factors, point to point: the sweep's, then those of the cases."""
    return tuple(dict.fromkeys([*plan.sweep, *itertools.chain(*plan.case)]))


def points(plan: Plan) -> list[dict[str, Factor]]:
    """The plan's points: the sweep's factors crossed, each crossed with the cases."""
    names = list(plan.sweep)
    crossed = [
        dict(zip(names, levels, strict=True)) for levels in itertools.product(*plan.sweep.values())
    ]
    return [point | case for point in crossed for case in (plan.case or ({},))]


def of_arm(plan: Plan, arm: Arm) -> list[dict[str, Factor]]:
    """The points that an arm is measured at: all, or those that its `at` names."""
    return [point for point in points(plan) if _has(arm, point)]


def _has(arm: Arm, point: dict[str, Factor]) -> bool:
    """Return True if an arm is measured at a point."""
    return arm.at.items() <= point.items()


def workload_at(plan: Plan, point: dict[str, Factor]) -> Workload:
    """The plan's own workload with the factors of one point put in, sizes and rates worked out.

    What was given as `payload_bytes` and `rate_bps` is in `frame_bytes` and `rate_pps` as well.
    Raises UsageError.
    """
    return _at(plan.workload, point, workloads.MAIN)


def beside_at(plan: Plan, point: dict[str, Factor]) -> dict[str, Workload]:
    """The other workloads likewise, by name. Raises UsageError."""
    return {name: _at(load, point, name) for name, load in plan.beside.items()}


def loads_at(plan: Plan, point: dict[str, Factor]) -> dict[str, Workload]:
    """All workloads by name, the plan's own first. Raises UsageError."""
    return {workloads.MAIN: workload_at(plan, point), **beside_at(plan, point)}


def _at(base: Workload, point: dict[str, Factor], name: str) -> Workload:
    levels: dict[str, Any] = workloads.own(point, name)
    if not name and (swept := workloads.own(point, WORDS)):
        levels["words"] = base.words | swept
    data = msgspec.to_builtins(base) | levels
    try:
        load = msgspec.convert(data, Workload)
    except msgspec.ValidationError as error:
        raise UsageError(plain(str(error), data)) from None
    if load.kind == "udp":
        load = replace(load, settle_s=0.0)
    if load.kind == "algorithm":  # of the gateway itself, whichever way a plan may have swept
        load = replace(load, direction="send")
    if load.payload_bytes:
        load = replace(load, frame_bytes=frame_bytes(load.payload_bytes, load.family, load.l4))
    if load.rate_bps:
        bits = 8 * max(1, payload_bytes(mean_bytes(load), load.family))
        load = replace(load, rate_pps=load.rate_bps / bits)
    return load


NOUNS: Final = {  # of TOML, by msgspec's words
    "int": "whole number",
    "float": "number",
    "str": "text (write it in quotes)",
    "bool": "true or false",
    "array": "list",
    "object": "table",
}


def plain(message: str, data: Any = None) -> str:
    """msgspec's fault in words: `repeat.times: 'two' is no whole number`; `data` has the value."""
    match = re.fullmatch(r"(.*) - at `\$?\.?(.*)`", message, re.S)
    if not match:
        return message
    why, place = match.groups()
    if types := re.fullmatch(r"Expected `(.+?)`, got `(.+?)`", why):
        wanted = [NOUNS.get(kind, kind) for kind in types[1].split(" | ") if kind != "null"]
        noun = " or ".join(wanted) if len(wanted) < 3 else "single value"
        why = f"{_value(data, place, types[2])} is no {noun}"
    elif missing := re.fullmatch(r"Object missing required field (`.+`)", why):
        why = f"{missing[1]} is missing"
    elif word := re.fullmatch(r"Invalid enum value '?(.*?)'?", why):
        choices = CHOICES.get(place.rpartition(".")[2], ())
        fix = nearest(word[1], list(choices)) if choices else ""
        why = f"{word[1]!r} is none of its words{fix}"
    return f"{place}: {why}" if place else why


def _value(data: Any, place: str, kind: str) -> str:
    """Return the text at a place, as it was written; else what kind it is."""
    try:
        for key, at in re.findall(r"([^.\[\]]+)|\[(\d+)\]", place):
            data = data[int(at) if at else key]
    except (LookupError, TypeError):
        data = None
    if isinstance(data, bool):
        return str(data).lower()
    if isinstance(data, str | int | float):
        return f"{data!r:.60}"
    return f"a {NOUNS.get(kind, kind).partition(' (')[0]}"


def check(plan: Plan, given: Mapping[str, Collection[str]] = MappingProxyType({})) -> None:
    """UsageError unless every point of the plan can be asked for; the message names the key.

    `given`: the keys of each workload that somebody wrote, also those that are as by default.
    """
    if not plan.arm:
        raise UsageError("a plan needs a [setup] or at least one [[arm]]")
    _check_arms(plan)
    _check_counts(plan)
    _check_levels(plan)
    for reason in (*search_faults(plan), *device.misfits(plan), *turns_faults(plan)):
        raise UsageError(reason)
    for name in plan.beside:
        if reason := workloads.name_fault(name):
            raise UsageError(reason)
    for point in points(plan):
        loads = loads_at(plan, point)
        load = loads[workloads.MAIN]
        if plan.gateway.devices and load.kind != "udp":
            raise UsageError(f"`devices` of [gateway] are for kind udp, and not {load.kind}")
        fits = (*misfits(plan, load), *turns_misfit(plan, load), *workloads.faults(plan, loads))
        over = (*line_faults(plan, line_at(plan, point), loads), *_late(plan, point, load))
        for reason in (*_sendable(plan, loads, point, given), *fits, *over):
            raise UsageError(reason)


def _late(plan: Plan, point: dict[str, Factor], load: Workload) -> Iterator[str]:
    """The commands that would act when the traffic is over."""
    for arm in plan.arm:
        for name, command in commands(arm, plan.command).items() if _has(arm, point) else ():
            at_s = max(command.at_s, default=0)
            if load.kind == OUTAGE and at_s + LATE_S >= load.duration_s:
                yield (
                    f"`duration_s` = {load.duration_s:g}: [command.{name}] acts `at {at_s}`, or a "
                    f"second later; write {at_s + 2 * LATE_S:g} or more"
                )


def arm_at(plan: Plan, arm: Arm, point: dict[str, Factor]) -> Arm:
    """The arm at a point: a shaper's share of the line is a rate there. Raises UsageError."""
    line = line_at(plan, point)
    return on_line(arm, (line.up.rate_bps, line.down.rate_bps) if line else None)


def _sendable(
    plan: Plan,
    loads: Mapping[str, Workload],
    point: dict[str, Factor],
    given: Mapping[str, Collection[str]],
) -> Iterator[str]:
    """Why one of a point's workloads cannot be sent on one of the arms that are measured at it."""
    sent = [arm for arm in plan.arm if _has(arm, point)]
    for name, load in loads.items():
        base = plan.beside[name] if name else plan.workload
        factors = workloads.own(point, name)
        # An empty one takes away what the plan has: rate_bps = 0, mix = "".
        written = {key for key in given.get(name, ()) if getattr(base, key, None)}
        where = f" of [beside.{name}]" if name else ""
        alone = (
            *(*faults(load), *driver.faults(load)),
            *(*_strangers(load, factors), *_twice(base, {*factors, *written})),
            *filter(None, (misfit(arm, load) or driver.misfit(arm, load) for arm in sent)),
        )
        for reason in alone:
            yield reason.replace("`", f"`{name}.", 1) if where and reason[:1] == "`" else reason


def _check_arms(plan: Plan) -> None:
    arms = plan.arm
    for arm in arms:
        check_features(arm)
        commands(arm, plan.command)
        if strangers := [name for name in arm.at if name not in factors(plan)]:
            fix = nearest(strangers[0], list(factors(plan)))
            raise UsageError(f"`at` of the arm '{arm.name}': no factor '{strangers[0]}'{fix}")
        for point in of_arm(plan, arm):
            arm_at(plan, arm, point)
    names = [arm.name for arm in arms]
    if len(set(names)) < len(names):
        raise UsageError(f"`arm`: two arms are named '{max(names, key=names.count)}'; rename one")
    _check_steps(plan)
    if all(arm.path == DIRECT for arm in arms):
        if plan.repeat.twin:
            raise UsageError("`twin` of [repeat] measures a gateway twice; no arm has one")
        if plan.repeat.boots:
            raise UsageError("`boots` of [repeat] are those of a gateway; no arm has one")


def check_at(plan: Plan) -> None:
    """UsageError for what a file names and no point has; `--set` may well leave it out."""
    for arm in plan.arm:
        if not of_arm(plan, arm):
            raise UsageError(f"`at` of the arm '{arm.name}' holds at no point of [sweep]")
    for first in plan.repeat.first:
        if not any(first.items() <= point.items() for point in points(plan)):
            raise UsageError(f"`first` of [repeat]: {first} holds at no point of [sweep]")


def _check_steps(plan: Plan) -> None:
    """A step is from an arm above it that has a gateway, so that no step hangs in the air."""
    above: list[str] = []
    for arm in plan.arm:
        if arm.against and not _compares(plan):
            raise UsageError("`against` is for arms that are compared; leave it out")
        if arm.against and arm.against not in above:
            fix = nearest(arm.against, above)
            raise UsageError(f"`against` = '{arm.against}': no arm with a gateway above it{fix}")
        above += [arm.name] if arm.path != DIRECT else []
    whole = plan.figure in WHOLE and plan.figure != device.FIGURE
    if whole and len(above) + plan.repeat.twin < 2:
        raise UsageError(f"`figure` = {plan.figure} needs two arms with a gateway")


def _compares(plan: Plan) -> bool:
    """Return True if an arm may choose what it is held against: as a step, or by its rates."""
    return plan.figure in ("ladder", "exact") or (plan.figure not in WHOLE and plan.compare)


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


def _unlabelled(plan: Plan) -> str:
    """Return the kinds of a plan whose flows no label can be given to; "": there is none."""
    kinds = dict.fromkeys(load.kind for load in (plan.workload, *plan.beside.values()))
    if not RULES[plan.workload.kind].is_captured:
        return plan.workload.kind
    return ", ".join(kind for kind in kinds if not RULES[kind].is_labelled)


def _check_counts(plan: Plan) -> None:
    _check_repeats(plan)
    if not 0 <= plan.probe.times <= 1000:
        raise UsageError("`times` of [probe] must be 0 to 1000")
    if reason := slowdown_fault(plan.gateway.slow_to_pps):
        raise UsageError(f"`slow_to_pps` {reason}")
    if plan.keep.pcapng and plan.workload.kind != "udp":
        raise UsageError("`pcapng` of [keep] is for a workload of kind udp alone")
    if plan.keep.capture and (kinds := _unlabelled(plan)):
        why = f"flows of kind {kinds} have no label; leave it out"
        raise UsageError(f"`capture` of [keep] (--keep-capture): {why}")
    for probe in plan.probe.use:
        if probe not in PROBES:
            raise UsageError(f"`use`: no probe '{probe}'{nearest(probe, list(PROBES))}")


def slowdown_fault(rate_pps: int) -> str:
    """Why a gateway cannot be slowed to so many packets/s; nothing if it can."""
    if rate_pps and not LEAST_SLOWED_PPS <= rate_pps <= MOST_SLOWED_PPS:
        return f"must be {LEAST_SLOWED_PPS} to {MOST_SLOWED_PPS}, or 0 for no slowdown"
    return ""


def _check_repeats(plan: Plan) -> None:
    repeat = plan.repeat
    if not 1 <= repeat.times <= 1000:
        raise UsageError("`times` of [repeat] must be 1 to 1000")
    if not 0 <= repeat.warmup <= 1000:
        raise UsageError("`warmup` of [repeat] must be 0 (no warm-up) to 1000")
    if not 0 <= repeat.boots <= MOST_BOOTS:
        raise UsageError(f"`boots` of [repeat] must be 0 (one boot for all) to {MOST_BOOTS}")
    if repeat.boots and (repeat.spread or plan.probe.use):
        other = "`spread`" if repeat.spread else "the probes of [probe]"
        raise UsageError(f"`boots` of [repeat] and {other} exclude each other; leave one out")
    if repeat.boots and repeat.first:
        raise UsageError("`boots` and `first` of [repeat] exclude each other; leave one out")
    if not 0 <= repeat.spread <= 1:
        raise UsageError("`spread` of [repeat] must be 0 (no gate) to 1, as 0.02 for ± 2 %")
    if repeat.spread and not repeat.times <= repeat.most <= 1000:
        raise UsageError(f"`most` of [repeat] must be `times` ({repeat.times}) to 1000")


def means_nothing(key: str, kinds: Collection[str]) -> bool:
    """Return whether a key of the workload is of other kinds alone."""
    of = {kind for kind, keys in OF_KIND.items() if key in keys}
    return bool(of) and not of & set(kinds)


def _strangers(load: Workload, point: dict[str, Factor]) -> Iterator[str]:
    """Factors that mean nothing for this kind."""
    for name in point:
        if means_nothing(name, [load.kind]):
            yield f"`{name}` means nothing for kind {load.kind}; leave it out of that point"


def _twice(base: Workload, given: Collection[str]) -> Iterator[str]:
    """A size or a rate that is given in both of its words, be it as it is by default."""
    preset = Workload()
    for pair in PAIRS:
        if all(name in given or getattr(base, name) != getattr(preset, name) for name in pair):
            yield f"`{pair[0]}` and `{pair[1]}` say the same thing; leave one out"


def override(plan: Plan, settings: dict[str, Any]) -> Plan:
    """The plan with `--set` keys (`repeat.times`, `sweep.rate_pps`, ...) put in, checked again.

    A factor of `workload` that the plan sweeps cannot be set there: it would have no effect.
    """
    for key, value in settings.items():
        table, _, name = key.partition(".")
        if table == "sweep":
            plan = _with(plan, table, name, spread_out(name, value))
        elif table == LINE:
            plan = replace(plan, line=line_at(plan, {key: value}))
        else:
            plan = _with(plan, table, name, value)
    try:
        check(plan, _given(plan, settings))
    except UsageError as error:
        raise UsageError(f"--set {', '.join(settings)}: {plan.name}: {error}") from None
    return plan


def _given(plan: Plan, settings: Collection[str]) -> dict[str, set[str]]:
    """The keys of each workload that are set."""
    tables = {"workload": workloads.MAIN} | {name: name for name in plan.beside}
    split = [workloads.split(key) for key in settings]
    return {name: {key for at, key in split if at == table} for table, name in tables.items()}


def arms(plan: Plan) -> tuple[Arm, ...]:
    """The arms that are measured: those of the plan, and the first gateway's twin if it has one."""
    if not plan.repeat.twin:
        return plan.arm
    first = next(arm for arm in plan.arm if arm.path != DIRECT)
    return (*plan.arm, replace(first, name=TWIN.format(first.name)))


def applies(plan: Plan, key: str) -> bool:
    """Return whether a `--set` key means something here. Raises UsageError for an unknown key."""
    table, _, name = key.partition(".")
    if table == LINE:
        if key not in LINE_FACTORS:
            raise UsageError(f"--set {key}: no such key{nearest(key, list(LINE_FACTORS))}")
        swept = [factor for factor in factors(plan) if factor.partition(".")[0] == LINE]
        return plan.line is not None and not any(overlap(key, factor) for factor in swept)
    return _applies(plan, key, table, name)


def _applies(plan: Plan, key: str, table: str, name: str) -> bool:
    if table in plan.beside and name in FACTORS:
        kinds = {loads_at(plan, point)[table].kind for point in points(plan)}
        return not means_nothing(name, kinds) and key not in factors(plan)
    known = {**{t: struct.__struct_fields__ for t, struct in SETTABLE.items()}, "sweep": FACTORS}
    if table == "workload" and is_word(name):
        return name not in factors(plan) and _is_kernel(plan, name.partition(".")[2])
    if name in FACTORS and table not in known and not workloads.name_fault(table):
        return False
    if table == "sweep" and (workloads.split(name)[0] or name in known[table]):
        return name in plan.sweep
    if name not in known.get(table, ()):
        keys = [f"{t}.{n}" for t, names in known.items() for n in names]
        raise UsageError(f"--set {key}: no such key{nearest(key, keys)}")
    if table != "workload":
        return table != "search" or plan.search is not None
    kinds = {workload_at(plan, point).kind for point in points(plan)}
    return not means_nothing(name, kinds) and name not in factors(plan)


def _is_kernel(plan: Plan, word: str) -> bool:
    """Return whether a plan's kernels may take a word: CoreMark has but its source."""
    loads = [workload_at(plan, point) for point in points(plan)]
    commands = {load.command for load in loads if load.kind == "algorithm"}
    return any((command == COREMARK) == (word == SOURCE) for command in commands)


SETTABLE: Final[dict[str, type[msgspec.Struct]]] = {
    **{
        table: get_type_hints(Plan)[table]
        for table in ("gateway", "workload", "repeat", "probe", "keep")
    },
    "search": Search,
}


def _with(plan: Plan, table: str, name: str, value: Any) -> Plan:
    """The plan with one key of a table, or of a workload beside the first, put in."""
    kind = SETTABLE.get(table) or get_type_hints(Plan).get(table, Workload)
    before = plan.beside[table] if table in plan.beside else getattr(plan, table)
    given: dict[str, Any] = {name: value}
    if table == "workload" and is_word(name):
        given = {WORDS: {name.partition(".")[2]: value}}
    data = merged(msgspec.to_builtins(before), given)
    try:
        new = msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        reason = plain(str(error), data).partition(": ")[2]
        raise UsageError(f"--set {table}.{name}: {reason}") from None
    if table in plan.beside:
        return replace(plan, beside=plan.beside | {table: new})
    return replace(plan, **{table: new})


SHORTEST_MS, LONGEST_MS = 2.0, 100.0
KEY: Final = "`turn_ms` of [repeat]"


def turns_faults(plan: Plan) -> Iterator[str]:
    """Why they cannot; nothing where the plan does not ask for it."""
    repeat = plan.repeat
    if not repeat.turn_ms:
        return
    if not SHORTEST_MS <= repeat.turn_ms <= LONGEST_MS:
        yield f"{KEY} must be {SHORTEST_MS:g} to {LONGEST_MS:g}, or 0: one arm after the other"
    if plan.search:
        yield f"{KEY} and [search] exclude each other; leave one out"
    if any(arm.path == "endpoint" for arm in plan.arm):
        yield f"{KEY}: a gateway that sends or receives itself takes no turns; leave it out"


def turns_misfit(plan: Plan, load: Workload) -> Iterator[str]:
    """Why a point's workload cannot be sent in turns."""
    if not plan.repeat.turn_ms:
        return
    if load.kind != "udp" or load.driver != "gatemark":
        yield f"{KEY} is for kind udp, sent by our own agent; leave it out"
    if load.rate_pps or load.cap_pps or load.packets or load.restart_s:
        yield f"{KEY}: in turns it is sent as fast as it goes; leave out rate, cap, count, restart"
