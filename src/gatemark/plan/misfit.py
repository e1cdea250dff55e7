# SPDX-License-Identifier: Apache-2.0
"""Which features, paths, workloads and directions go together, and why others do not."""

from collections.abc import Iterator

from gatemark.error import UsageError
from gatemark.plan.crowd import is_crowd
from gatemark.plan.feature import (
    ABSENT,
    BRIDGED,
    DIRECT,
    ENDPOINT,
    FEATURES,
    HAIRPIN,
    parts,
    programs,
)
from gatemark.plan.kind import RULES
from gatemark.plan.line.tunnel import FAMILIES, kind_of
from gatemark.plan.mix import frames
from gatemark.plan.model import Arm, Workload
from gatemark.plan.shaper import shape

OWN = ("send", "receive")  # directions of the gateway itself


def check_features(arm: Arm) -> None:
    """UsageError unless the arm's features exist, fit its path, and are there once each."""
    names = [parts(feature)[0] for feature in arm.features]
    for name in names:
        if arm.path not in _paths(name, names):
            beside = f", and beside {BRIDGED} on switch" if FEATURES[name].bridged else ""
            raise UsageError(
                f"`features`: {name} has no effect on the path {arm.path}: "
                f"it works on {', '.join(FEATURES[name].paths)}{beside}"
            )
        if apart := [other for other in names if _contradict(name, other)]:
            raise UsageError(
                f"`features`: {name} and {min(apart)} contradict each other; leave one out"
            )
    for name, arguments in map(parts, arm.features):
        if name == "shape" and (wrong := next(shape.faults(arguments, arm.path, names), "")):
            raise UsageError(f"`features`: shape: {wrong}")
    if len(set(names)) < len(names):
        raise UsageError(f"`features`: {max(names, key=names.count)} is there twice; leave one out")


def _contradict(name: str, other: str) -> bool:
    feature, beside = FEATURES[name], FEATURES[other]
    return (
        other in feature.apart
        or (feature.tunnel and beside.at_port)
        or (name == ABSENT and beside.netfilter)
    )


def _paths(name: str, names: list[str]) -> tuple[str, ...]:
    """Where a feature means something, beside these others."""
    bridged = FEATURES[name].bridged and BRIDGED in names
    return (*FEATURES[name].paths, *(("switch",) if bridged else ()))


def _lost_by_restart(arm: Arm) -> Iterator[str]:
    if arm.path not in ("route", "nat"):
        yield f"`restart_s`: a gateway is restarted on the paths route and nat, not on {arm.path}"
    for running in programs(arm.features):
        yield f"`restart_s`: {running} would not outlive a restart; leave one of them out"


def _one_way(arm: Arm, load: Workload) -> str:
    names = [parts(feature)[0] for feature in arm.features]
    if not (name := next((name for name in names if FEATURES[name].upwards), "")):
        return ""
    if RULES[load.kind].tags:
        return ""
    nothing = f"with {name} nothing comes back from the WAN side"
    if load.kind != "udp":
        return f"`kind` = {load.kind}: {nothing}; write udp"
    if load.driver != "gatemark":
        return f"`driver` = {load.driver}: {nothing}, and it asks for an answer; leave it out"
    return "" if load.direction == "up" else f"`direction` = {load.direction}: {nothing}; write up"


def _too_long(arm: Arm, load: Workload) -> str:
    if load.kind not in ("udp", "walk"):  # TCP learns what fits; a trace's packets are lost
        return ""
    for name in (parts(feature)[0] for feature in arm.features):
        longest = FEATURES[name].longest_bytes
        if max(frames(load)) > longest:
            key = "mix" if load.mix else "payload_bytes" if load.payload_bytes else "frame_bytes"
            return (
                f"`{key}` = {getattr(load, key)}: with {name} a frame with FCS has {longest} bytes "
                "at most, and test packets are never cut into fragments"
            )
    return ""


def _other_family(arm: Arm, load: Workload) -> str:
    """A tunnel that does not carry the packets would be passed by."""
    kind, _ = kind_of(arm.features)
    if not kind or int(load.family.removeprefix("ipv")) in FAMILIES[kind]:
        return ""
    carried = " and ".join(f"ipv{version}" for version in FAMILIES[kind])
    return f"`family` = {load.family}: tunnel:{kind} carries {carried} alone; write that"


def _no_hairpin(arm: Arm, load: Workload) -> Iterator[str]:
    if arm.path != HAIRPIN:
        return
    if not RULES[load.kind].hairpins:
        able = ", ".join(kind for kind, rules in RULES.items() if rules.hairpins)
        yield f"`kind` = {load.kind}: on the path hairpin write one of {able}"
    if load.driver != "gatemark":
        yield f"`driver` = {load.driver}: the path hairpin is crossed by our own senders alone"
    if load.kind == "udp" and is_crowd(load):
        yield (
            "`clients`, `flow_ports` = random and so many `flows` are not for the path hairpin: "
            "it leads to one host"
        )


def misfit(arm: Arm, load: Workload) -> str:
    """Why this workload does not fit this arm; empty where it does."""
    return next(_misfits(arm, load), "")


def _misfits(arm: Arm, load: Workload) -> Iterator[str]:
    yield from filter(
        None, (RULES[load.kind].misfit(arm, load), _one_way(arm, load), _too_long(arm, load))
    )
    yield from filter(None, (_other_family(arm, load),))
    if load.restart_s:
        yield from _lost_by_restart(arm)
    if arm.path == DIRECT:
        return
    yield from _no_hairpin(arm, load)
    if load.offload:
        yield (
            f"`offload` is for the path direct alone: on {arm.path} a packet at the gateway "
            "would stand for many"
        )
    if arm.path == ENDPOINT and load.direction not in (*OWN, "both"):
        yield f"`direction` = {load.direction}: on the path endpoint write send, receive or both"
    if arm.path == ENDPOINT and load.kind == "udp" and (is_crowd(load) or load.mix):
        yield (
            "`clients`, `flow_ports` = random, `mix` and so many `flows` are not for the path "
            "endpoint: one end is a plain socket there"
        )
    if arm.path == ENDPOINT and load.l4 == "tcp":
        yield (
            "`l4` = tcp: the gateway itself answers a segment by another packet, whose "
            "instructions would be in the number; write udp, or leave out path endpoint"
        )
    if arm.path != ENDPOINT and load.direction in OWN:
        yield f"`direction` = {load.direction}: on the path {arm.path} write up, down or both"
