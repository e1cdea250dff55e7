# SPDX-License-Identifier: Apache-2.0
"""What a setup may be: paths, features and directions that go together. Pure words, no I/O."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from gatemark.error import UsageError
from gatemark.plan.crowd import is_crowd
from gatemark.plan.model import Arm, Workload
from gatemark.plan.toml import nearest

DIRECT: Final = "direct"  # the tester alone
ENDPOINT: Final = "endpoint"
OWN: Final = ("send", "receive")  # directions of the gateway itself


class Feature(NamedTuple):
    """What a feature's word may be."""

    form: str  # as a plan writes it
    least: int = 0  # of the number after the colon
    most: int = 0  # 0: no number
    paths: tuple[str, ...] = ()  # where it means something


IP_PATHS: Final = ("route", "nat", ENDPOINT)
FEATURES: Final[dict[str, Feature]] = {
    "conntrack": Feature("conntrack", paths=IP_PATHS),
    "filter": Feature("filter:N", 1, 10_000, IP_PATHS),
}


def parts(feature: str) -> tuple[str, int]:
    """A feature's name and number: `filter:100` is ("filter", 100). Raises UsageError."""
    name, colon, number = feature.partition(":")
    known = FEATURES.get(name)
    if known is None:
        forms = ", ".join(one.form for one in FEATURES.values())
        mend = nearest(name, list(FEATURES))
        raise UsageError(f"`features`: no feature '{feature}'{mend}; known are: {forms}")
    if not known.most:
        if colon:
            raise UsageError(f"`features`: '{feature}': {name} takes no number")
        return name, 0
    if not number.isascii() or not number.isdigit() or not known.least <= int(number) <= known.most:
        raise UsageError(
            f"`features`: '{feature}': write {known.form} with N from {known.least} to {known.most}"
        )
    return name, int(number)


def check_features(arm: Arm) -> None:
    """UsageError unless the arm's features exist, fit its path, and are there once each."""
    names = [parts(feature)[0] for feature in arm.features]
    for name in names:
        if arm.path not in FEATURES[name].paths:
            raise UsageError(
                f"`features`: {name} has no effect on the path {arm.path}: "
                f"it works on {', '.join(FEATURES[name].paths)}"
            )
    if len(set(names)) < len(names):
        raise UsageError(f"`features`: {max(names, key=names.count)} is there twice; leave one out")


def _unplayable(arm: Arm, load: Workload) -> str:
    if arm.path == ENDPOINT:
        return "`kind` = replay: the gateway itself cannot be a side of it; leave out path endpoint"
    if arm.path == "nat" and load.direction == "down":
        return "`direction` = down: through nat a replay needs what goes up as well; write both"
    return ""


def misfit(arm: Arm, load: Workload) -> str:
    """Why this workload does not fit this arm; empty where it does."""
    return next(_misfits(arm, load), "")


def _misfits(arm: Arm, load: Workload) -> Iterator[str]:
    if load.kind == "replay" and (reason := _unplayable(arm, load)):
        yield reason
    if load.restart_s and arm.path not in ("route", "nat"):
        yield f"`restart_s`: a gateway is restarted on the paths route and nat, not on {arm.path}"
    if arm.path == DIRECT:
        return
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
    if arm.path != ENDPOINT and load.direction in OWN:
        yield f"`direction` = {load.direction}: on the path {arm.path} write up, down or both"
