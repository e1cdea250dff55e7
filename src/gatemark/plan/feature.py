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


class Argument(NamedTuple):
    """A part of a feature's word behind a colon: a number within bounds, or one of some words."""

    name: str  # as the form shows it
    least: int = 0
    most: int = 0
    words: tuple[str, ...] = ()  # none: a number
    default: str = ""  # where it is left out; "": it may not be

    def takes(self, said: str) -> bool:
        """Whether it may be so."""
        if self.words:
            return said in self.words
        return said.isascii() and said.isdigit() and self.least <= int(said) <= self.most

    @property
    def choice(self) -> str:
        """What it may be, in words."""
        if self.words:
            return f"{self.name} one of {', '.join(self.words)}"
        return f"{self.name} from {self.least} to {self.most}"


class Feature(NamedTuple):
    """What a feature's word may be."""

    paths: tuple[str, ...]  # where it means something
    arguments: tuple[Argument, ...] = ()  # in order; those with a default stand last


IP_PATHS: Final = ("route", "nat", ENDPOINT)
FEATURES: Final[dict[str, Feature]] = {
    "conntrack": Feature(IP_PATHS),
    "filter": Feature(IP_PATHS, (Argument("N", 1, 10_000),)),
    "vlan": Feature(("route", "nat")),
    "wireguard": Feature(("route",)),
}
UPWARDS: Final = ("vlan",)  # the WAN host takes what they make of a packet, but makes no such


def form(name: str) -> str:
    """A feature as a plan writes it: filter:N."""
    arguments = (f"[:{a.name}]" if a.default else f":{a.name}" for a in FEATURES[name].arguments)
    return "".join((name, *arguments))


def parts(feature: str) -> tuple[str, tuple[str, ...]]:
    """A feature's name and what it says: `filter:100` is ("filter", ("100",)). Raises UsageError.

    What may be left out is there with its default.
    """
    name, *said = feature.split(":")
    if name not in FEATURES:
        forms = ", ".join(form(one) for one in FEATURES)
        mend = nearest(name, list(FEATURES))
        raise UsageError(f"`features`: no feature '{feature}'{mend}; known are: {forms}")
    arguments = FEATURES[name].arguments
    if len(said) > len(arguments):
        takes = f"write {form(name)}" if arguments else f"{name} takes nothing behind it"
        raise UsageError(f"`features`: '{feature}': {takes}")
    found = [*said, *(one.default for one in arguments[len(said) :])]
    if not all(one.takes(text) for one, text in zip(arguments, found, strict=True)):
        choices = "; ".join(one.choice for one in arguments)
        raise UsageError(f"`features`: '{feature}': write {form(name)} with {choices}")
    return name, tuple(found)


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


def _one_way(arm: Arm, load: Workload) -> str:
    names = [parts(feature)[0] for feature in arm.features]
    if not (one := next((name for name in UPWARDS if name in names), "")):
        return ""
    nothing = f"with {one} nothing comes back from the WAN side"
    if load.kind != "udp":
        return f"`kind` = {load.kind}: {nothing}; write udp"
    if load.driver != "gatemark":
        return f"`driver` = {load.driver}: {nothing}, and it asks for an answer; leave it out"
    return "" if load.direction == "up" else f"`direction` = {load.direction}: {nothing}; write up"


def misfit(arm: Arm, load: Workload) -> str:
    """Why this workload does not fit this arm; empty where it does."""
    return next(_misfits(arm, load), "")


def _misfits(arm: Arm, load: Workload) -> Iterator[str]:
    replayed = _unplayable(arm, load) if load.kind == "replay" else ""
    yield from filter(None, (replayed, _one_way(arm, load)))
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
