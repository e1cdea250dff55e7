# SPDX-License-Identifier: Apache-2.0
"""What a setup may be: paths, features and directions that go together. Pure words, no I/O."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from gatemark.error import UsageError
from gatemark.plan.crowd import is_crowd
from gatemark.plan.mix import frames
from gatemark.plan.model import Arm, Command, Workload, programs
from gatemark.plan.toml import nearest
from gatemark.unit import LARGEST_FRAME_BYTES

DIRECT: Final = "direct"  # the tester alone
ENDPOINT: Final = "endpoint"
OWN: Final = ("send", "receive")  # directions of the gateway itself
NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]*")


class Argument(NamedTuple):
    """A part of a feature's word behind a colon: a number, one of some words, or a name."""

    name: str  # as the form shows it
    least: int = 0
    most: int = 0
    words: tuple[str, ...] = ()  # none: a number
    default: str = ""  # where it is left out; "": it may not be
    is_name: bool = False  # of a table of the plan

    def takes(self, said: str) -> bool:
        """Whether it may be so."""
        if self.words:
            return said in self.words
        if self.is_name:
            return NAME.fullmatch(said) is not None
        return said.isascii() and said.isdigit() and self.least <= int(said) <= self.most

    @property
    def choice(self) -> str:
        """What it may be, in words."""
        if self.words:
            return f"{self.name} one of {', '.join(self.words)}"
        if self.is_name:
            return f"{self.name} of small letters, digits and dashes"
        return f"{self.name} from {self.least} to {self.most}"


class Feature(NamedTuple):
    """What a feature's word may be."""

    paths: tuple[str, ...]  # where it means something
    arguments: tuple[Argument, ...] = ()  # in order; those with a default stand last
    bridged: bool = False  # on the path switch too, with BRIDGED
    apart: tuple[str, ...] = ()  # features that it contradicts


BRIDGED: Final = "bridge-netfilter"
IP_PATHS: Final = ("route", "nat", ENDPOINT)
FORWARDING: Final = ("route", "nat")
PATHS: Final = ("switch", *IP_PATHS)
PORTS_OWN: Final = ("xdp", "steering")  # work on what a test port itself receives
NETFILTER: Final = ("conntrack", "notrack", "filter", BRIDGED, "offload", "mss")  # use its hooks
FEATURES: Final[dict[str, Feature]] = {
    "conntrack": Feature(IP_PATHS, bridged=True),
    "buckets": Feature(IP_PATHS, (Argument("N", 512, 1_048_576),)),
    "conntrack-max": Feature(IP_PATHS, (Argument("N", 1024, 10_000_000),)),
    "conntrack-timeout": Feature(IP_PATHS, (Argument("S", 1, 3600),)),
    "notrack": Feature(("route", ENDPOINT), bridged=True),  # an untracked packet is not translated
    "filter": Feature(
        IP_PATHS,
        (
            Argument("N", 1, 10_000),
            Argument("BY", words=("nft", "set", "map", "legacy"), default="nft"),
        ),
        bridged=True,
    ),
    "netfilter-absent": Feature(("switch", "route", ENDPOINT), apart=NETFILTER),
    BRIDGED: Feature(("switch",)),
    "offload": Feature(FORWARDING, (Argument("BY", words=("software", "hardware")),)),
    "xdp": Feature(("route",)),
    "steering": Feature(
        PATHS,
        (Argument("TO", words=("rps", "softirq", "threaded", "one", "all")),),
    ),
    "shape": Feature(
        PATHS,
        (
            Argument("BY", words=("tbf", "htb", "fq_codel", "cake")),
            Argument("MBIT", 1, 100_000, default="100"),
        ),
    ),
    "mss": Feature(FORWARDING),
    "vlan": Feature(FORWARDING),
    "pppoe": Feature(FORWARDING, apart=("vlan", "wireguard", *PORTS_OWN)),
    "wireguard": Feature(FORWARDING, apart=("vlan", *PORTS_OWN)),
    "capture": Feature(
        PATHS,
        (
            Argument("TOOL", words=("tcpdump", "dumpcap", "netsniff-ng")),
            Argument("SNAPLEN", 16, 65_535),
            Argument("TO", words=("null", "disk"), default="null"),
        ),
    ),
    "flow-export": Feature(PATHS, (Argument("TOOL", words=("softflowd", "nfpcapd")),)),
    "command": Feature(PATHS, (Argument("NAME", is_name=True),)),
}
TUNNELS: Final = ("pppoe", "wireguard")  # the way to the WAN port leads through these
TRACKING: Final = ("conntrack", "offload")  # features that have the kernel track connections
UPWARDS: Final = ("vlan",)  # the WAN host takes what they make of a packet, but makes no such
LONGEST: Final = {"pppoe": LARGEST_FRAME_BYTES - 8}  # frames with FCS, of what is never cut


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
        if arm.path not in _paths(name, names):
            beside = f", and beside {BRIDGED} on switch" if FEATURES[name].bridged else ""
            raise UsageError(
                f"`features`: {name} has no effect on the path {arm.path}: "
                f"it works on {', '.join(FEATURES[name].paths)}{beside}"
            )
        if apart := {*FEATURES[name].apart} & {*names}:
            raise UsageError(
                f"`features`: {name} and {min(apart)} contradict each other; leave one out"
            )
    if len(set(names)) < len(names):
        raise UsageError(f"`features`: {max(names, key=names.count)} is there twice; leave one out")


def _paths(name: str, names: list[str]) -> tuple[str, ...]:
    """Where a feature means something, beside these others."""
    bridged = FEATURES[name].bridged and BRIDGED in names
    return (*FEATURES[name].paths, *(("switch",) if bridged else ()))


def tracks(arm: Arm) -> bool:
    """Whether the gateway keeps a table of connections for it."""
    return arm.path == "nat" or any(parts(one)[0] in TRACKING for one in arm.features)


def is_tunnel(feature: str) -> bool:
    """Whether the way to the WAN port leads through it."""
    return parts(feature)[0] in TUNNELS


def commands(arm: Arm, known: Mapping[str, Command]) -> dict[str, Command]:
    """The commands that an arm's features name, by name. Raises UsageError for an unknown one."""
    said = [parts(feature) for feature in arm.features]
    names = [words[0] for name, words in said if name == "command"]
    for name in names:
        if name not in known:
            mend = nearest(name, list(known)) if known else '; write one with run = "..."'
            raise UsageError(f"`features`: no [command.{name}] in this plan{mend}")
    return {name: known[name] for name in names}


def _of_kind(arm: Arm, load: Workload) -> str:
    if load.kind == "fill" and not tracks(arm):
        return (
            "`kind` = flows: fills a table of connections; write path nat, or a feature conntrack"
        )
    return _unplayable(arm, load) if load.kind == "replay" else ""


def _unplayable(arm: Arm, load: Workload) -> str:
    if arm.path == ENDPOINT:
        return "`kind` = replay: the gateway itself cannot be a side of it; leave out path endpoint"
    if arm.path == "nat" and load.direction == "down":
        return "`direction` = down: through nat a replay needs what goes up as well; write both"
    return ""


def _lost_by_restart(arm: Arm) -> Iterator[str]:
    if arm.path not in ("route", "nat"):
        yield f"`restart_s`: a gateway is restarted on the paths route and nat, not on {arm.path}"
    for running in programs(arm.features):
        yield f"`restart_s`: {running} would not outlive a restart; leave one of them out"


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


def _too_long(arm: Arm, load: Workload) -> str:
    if load.kind not in ("udp", "walk"):  # TCP learns what fits; a trace's packets are lost
        return ""
    for name in (parts(feature)[0] for feature in arm.features):
        longest = LONGEST.get(name, LARGEST_FRAME_BYTES)
        if max(frames(load)) > longest:
            key = "mix" if load.mix else "payload_bytes" if load.payload_bytes else "frame_bytes"
            return (
                f"`{key}` = {getattr(load, key)}: with {name} a frame with FCS has {longest} bytes "
                "at most, and test packets are never cut into fragments"
            )
    return ""


def misfit(arm: Arm, load: Workload) -> str:
    """Why this workload does not fit this arm; empty where it does."""
    return next(_misfits(arm, load), "")


def _misfits(arm: Arm, load: Workload) -> Iterator[str]:
    yield from filter(None, (_of_kind(arm, load), _one_way(arm, load), _too_long(arm, load)))
    if load.restart_s:
        yield from _lost_by_restart(arm)
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
    if arm.path == ENDPOINT and load.l4 == "tcp":
        yield (
            "`l4` = tcp: the gateway itself answers a segment by another packet, whose "
            "instructions would be in the number; write udp, or leave out path endpoint"
        )
    if arm.path != ENDPOINT and load.direction in OWN:
        yield f"`direction` = {load.direction}: on the path {arm.path} write up, down or both"
