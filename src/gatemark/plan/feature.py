# SPDX-License-Identifier: Apache-2.0
"""The features of a gateway: each as a plan writes it, and what it means.

All properties of a feature stand in its entry of FEATURES; the file of gateway/feature/ that has
the entry's name applies it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan.line.tunnel import HEADROOM_BYTES, KINDS, TUNNEL
from gatemark.plan.model import Arm, Command
from gatemark.plan.shaper import shape
from gatemark.plan.toml import nearest
from gatemark.unit import LARGEST_FRAME_BYTES, MOST_PACKET_BYTES, MTU_BYTES

DIRECT: Final = "direct"  # the tester alone
ENDPOINT: Final = "endpoint"
LEGACY: Final = "legacy"  # an argument: by iptables-legacy
NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]*")
NUMBER: Final = re.compile(r"\d{1,12}(?:\.(\d+))?", re.ASCII)


class Argument(NamedTuple):
    """A part of a feature's word behind a colon: a number, one of some words, or a name."""

    name: str  # as the form shows it
    least: float = 0
    most: float = 0
    words: tuple[str, ...] = ()  # none: a number
    default: str = ""  # where it is left out; "": it may not be
    is_name: bool = False  # of a table of the plan
    decimals: int = 0  # digits behind its point, at most
    ways: bool = False  # a number for what goes up and one for what goes down: 15/90
    share: bool = False  # or a share of the plan's line: 95%
    pattern: str = ""  # a regexp in place of all of this
    shown: str = ""  # what that takes, in words

    def takes(self, text: str) -> bool:
        """Return whether it may be so."""
        if self.pattern:
            return re.fullmatch(self.pattern, text, re.ASCII) is not None
        if self.words:
            return text in self.words
        if self.is_name:
            return NAME.fullmatch(text) is not None
        if self.share and text.endswith("%"):
            return self._is_number(text[:-1], 1, 100)
        each = text.split("/", 1) if self.ways else [text]
        return all(self._is_number(number, self.least, self.most) for number in each)

    def _is_number(self, text: str, least: float, most: float) -> bool:
        if not (match := NUMBER.fullmatch(text)):
            return False
        return len(match[1] or "") <= self.decimals and least <= float(text) <= most

    @property
    def sample(self) -> str:
        """A value that is allowed."""
        if self.default or self.words:
            return self.default or self.words[0]
        return self.name.lower() if self.pattern else f"{self.least:.0f}"

    @property
    def choice(self) -> str:
        """Return the choice in words."""
        if self.words or self.shown:
            return f"{self.name} one of {', '.join(self.words)}{self.shown}"
        if self.is_name:
            return f"{self.name} of small letters, digits and dashes"
        more = f", {self.decimals} decimals at most" if self.decimals else ""
        more += ", or UP/DOWN" if self.ways else ""
        more += ", or 1% to 100% of the line" if self.share else ""
        return f"{self.name} from {self.least:g} to {self.most:.0f}{more}"


class Option(NamedTuple):
    """A further part of a feature's word, wherever it stands behind the arguments."""

    key: str
    value: Argument | None = None  # None: the key alone; else KEY=VALUE

    def takes(self, text: str) -> bool:
        """Return whether a part of a word is this option."""
        key, given, value = text.partition("=")
        if key != self.key or bool(given) is not bool(self.value):
            return False
        return self.value is None or self.value.takes(value)

    @property
    def form(self) -> str:
        """The text that a plan has of it: `wan`, `queue=N`."""
        return f"{self.key}={self.value.name}" if self.value else self.key


class Feature(NamedTuple):
    """A feature: how a plan writes it, and what it means for plans, gateways and figures."""

    paths: tuple[str, ...]  # where it has an effect
    arguments: tuple[Argument, ...] = ()  # in order; those with a default stand last
    options: tuple[Option, ...] = ()  # behind all of these, each once
    bridged: bool = False  # on the path switch too, beside BRIDGED
    apart: tuple[str, ...] = ()  # features that it contradicts
    netfilter: bool = False  # uses netfilter's hooks
    tracks: bool = False  # has the kernel track connections
    tool: str = ""  # that sets it on the gateway: nft, tc
    at_port: bool = False  # works on what a test port itself receives: in a tunnel it sees nothing
    driver: bool = False  # a BPF program in the ports' drivers: an agent holds it
    tunnel: bool = False  # the way to the WAN port leads through it
    upwards: bool = False  # the WAN host takes what it makes of a packet, but makes no such
    longest_bytes: int = LARGEST_FRAME_BYTES  # of a frame with FCS: test packets are never cut
    program: bool = False  # runs on the gateway while a trial does, and sets nothing
    counts: bool = False  # its first argument is a number of things that cost alike
    shapes: bool = False  # its rate is a bottleneck, and no cost
    marks: bool = False  # writes DSCP: a changed mark is its work, and no fault
    talks: bool = False  # sends packets of its own by the test ports


BRIDGED: Final = "bridge-netfilter"
ABSENT: Final = "netfilter-absent"
IP_PATHS: Final = ("route", "nat", ENDPOINT)
FORWARDING: Final = ("route", "nat")
HAIRPIN: Final = "hairpin"  # from the LAN to the LAN, by the address outside
TRANSLATED: Final = ("nat", HAIRPIN)  # the gateway keeps a table of connections for it
PATHS: Final = ("switch", *IP_PATHS, HAIRPIN)
SHAPE_OPTIONS: Final = (
    *(Option(side) for side in shape.SIDES),
    Option("frame"),
    Option("queue", Argument("N", 1, 100_000)),
    Option("first", Argument("FLOW", pattern=shape.FIRST, shown=shape.FIRST_WORDS)),
    Option("overhead", Argument("N", 0, 256)),
    Option("mpu", Argument("N", 0, 256)),
    *(Option(word) for word in (*shape.CELLS, *shape.LINKS, *shape.OF_CAKE)),
)
# One entry for each file of gateway/feature/ or feature/openwrt/, which has the entry's name.
FEATURES: Final[dict[str, Feature]] = {
    "conntrack": Feature(IP_PATHS, bridged=True, netfilter=True, tracks=True, tool="nft"),
    "buckets": Feature(IP_PATHS, (Argument("N", 512, 1_048_576),)),
    "conntrack-max": Feature(IP_PATHS, (Argument("N", 1024, 10_000_000),)),
    "conntrack-timeout": Feature(IP_PATHS, (Argument("S", 1, 3600),)),
    "masquerade": Feature(
        ("nat",),
        (Argument("HOW", words=("random", "fully-random", "persistent", "few")),),
        tool="nft",
    ),
    # Not on nat: an untracked packet is not translated.
    "notrack": Feature(("route", ENDPOINT), bridged=True, netfilter=True, tool="nft"),
    "filter": Feature(
        IP_PATHS,
        (
            Argument("N", 1, 10_000),
            Argument("BY", words=("nft", "set", "map", LEGACY), default="nft"),
        ),
        bridged=True,
        netfilter=True,
        tool="nft",
        counts=True,
    ),
    "fw4-without": Feature(
        FORWARDING,
        (
            Argument("CHAIN", pattern="[a-z][a-z0-9_]{0,30}", shown="fw4's, empty, or everything"),
            Argument("N", 0, 999, default="0"),
        ),
        tool="fw4",
    ),
    ABSENT: Feature(("switch", "route", ENDPOINT)),
    BRIDGED: Feature(("switch",), netfilter=True),
    "snooping": Feature(("switch",), (Argument("S", 1, 125),), talks=True),
    "igmp-proxy": Feature(FORWARDING, program=True, talks=True),
    "offload": Feature(
        FORWARDING,
        (Argument("BY", words=("software", "hardware")),),
        netfilter=True,
        tracks=True,
        tool="nft",
    ),
    "flow-timeout": Feature(
        FORWARDING, (Argument("S", 1, 3600),), netfilter=True, tracks=True, tool="nft"
    ),
    "xdp": Feature(("route",), at_port=True, driver=True),
    "steering": Feature(
        PATHS,
        (Argument("TO", words=("rps", "softirq", "threaded", "one", "all")),),
        at_port=True,
    ),
    "irq": Feature(PATHS, (Argument("TO", words=("first", "last", "spread")),), at_port=True),
    "gro": Feature(
        PATHS,
        (Argument("HOW", words=("list", "udp", "on", "off")),),
        at_port=True,
        apart=("xdp",),  # that forwards before anything is merged
        tool="ethtool",
    ),
    "defer": Feature(PATHS, (Argument("US", 1, 1000),), at_port=True),
    "queue": Feature(
        PATHS,
        (Argument("BY", words=("pfifo", "pfifo_fast", "fq_codel", "none")),),
        apart=("xdp", "shape"),
        tool="tc",
    ),
    "shape": Feature(
        PATHS,
        (
            Argument("BY", words=shape.BY),
            Argument("MBIT", 0.01, 100_000, default="100", decimals=3, ways=True, share=True),
        ),
        options=SHAPE_OPTIONS,
        apart=("xdp",),  # what that forwards is in no queue
        tool="tc",
        shapes=True,
    ),
    "mss": Feature(FORWARDING, netfilter=True, tool="nft"),
    "mtu": Feature(FORWARDING, (Argument("N", 1280, 1500),)),
    "jumbo": Feature(FORWARDING, (Argument("N", 1501, MOST_PACKET_BYTES),)),
    "pmtu-silent": Feature(FORWARDING, netfilter=True, tool="nft"),
    "dscp": Feature(FORWARDING, (Argument("N", 0, 63),), netfilter=True, tool="nft", marks=True),
    "classify-lite": Feature(FORWARDING, netfilter=True, tracks=True, tool="nft"),
    "vlan": Feature(FORWARDING, upwards=True),
    "pppoe": Feature(
        FORWARDING,
        apart=("vlan", "wireguard"),
        tunnel=True,
        longest_bytes=LARGEST_FRAME_BYTES - 8,
    ),
    "wireguard": Feature(FORWARDING, apart=("vlan",), tunnel=True),
    TUNNEL: Feature(
        FORWARDING,
        (Argument("KIND", words=KINDS),),
        options=(
            Option("mtu", Argument("N", 1280, 1500)),
            Option("path", Argument("N", 1280, 1500)),
        ),
        apart=("vlan", "pppoe", "wireguard", "jumbo", "mtu"),
        longest_bytes=LARGEST_FRAME_BYTES - HEADROOM_BYTES,
    ),
    "capture": Feature(
        PATHS,
        (
            Argument("TOOL", words=("gatemark", "tcpdump", "dumpcap", "netsniff-ng")),
            Argument("SNAPLEN", 16, 65_535),
            Argument("TO", words=("null", "disk"), default="null"),
        ),
        program=True,
    ),
    "flow-export": Feature(
        PATHS,
        (Argument("TOOL", words=("gatemark", "softflowd", "nfpcapd", "pmacctd")),),
        program=True,
    ),
    "inspect": Feature(PATHS, (Argument("TOOL", words=("ndpiReader",)),), program=True),
    "classify": Feature(
        PATHS,
        (Argument("BY", words=("jumping", "sliding")),),
        options=(
            Option("flows", Argument("N", 64, 1_048_576)),
            Option("new", Argument("N", 1, 1_048_576)),
            Option("guard", Argument("N", 1_000, 1_000_000_000)),
        ),
        apart=("xdp",),  # what that forwards passes no hook of tc
        program=True,
    ),
    "act": Feature(
        FORWARDING,
        (Argument("N", 1, 10_000), Argument("BY", words=("set", "rules"), default="set")),
        netfilter=True,
        tool="nft",
    ),
    "dns": Feature(
        FORWARDING,
        (Argument("SERVER", words=("dnsmasq",)),),
        options=(
            Option("cache", Argument("N", 0, 10_000)),
            Option("forward", Argument("N", 1, 10_000)),
        ),
        program=True,
    ),
    "dhcp": Feature(
        FORWARDING,
        (Argument("SERVER", words=("dnsmasq", "kea")),),
        options=(Option("lease", Argument("S", 120, 86_400)), Option("file")),
        program=True,
    ),
    "ra": Feature(
        FORWARDING,
        (Argument("SERVER", words=("radvd",)),),
        options=(Option("every", Argument("S", 4, 1800)),),
        program=True,
        talks=True,
    ),
    "pd": Feature(
        FORWARDING,
        (Argument("CLIENT", words=("dhcpcd",)),),
        program=True,
        talks=True,
    ),
    "command": Feature(PATHS, (Argument("NAME", is_name=True),), program=True),
}


def form(name: str) -> str:
    """A feature as a plan writes it: filter:N."""
    arguments = (f"[:{a.name}]" if a.default else f":{a.name}" for a in FEATURES[name].arguments)
    return "".join((name, *arguments, "[:WORD...]" if FEATURES[name].options else ""))


def samples(name: str) -> dict[str, str]:
    """A feature in each of its kinds, by the word that distinguishes them: shape:cake by cake.

    None of what takes a user's own name.
    """
    arguments = FEATURES[name].arguments
    if any(argument.is_name for argument in arguments):
        return {}
    choice = next((argument for argument in arguments if argument.words), None)
    return {
        word: ":".join((name, *(word if a is choice else a.sample for a in arguments)))
        for word in (choice.words if choice else ("",))
    }


def parts(feature: str) -> tuple[str, tuple[str, ...]]:
    """A feature's name and its arguments: `filter:100` is ("filter", ("100",)). Raises UsageError.

    What may be left out is there with its default; options stand behind, as they were given.
    """
    name, *given = feature.split(":")
    if name not in FEATURES:
        forms = ", ".join(map(form, FEATURES))
        fix = nearest(name, list(FEATURES))
        raise UsageError(f"`features`: no feature '{feature}'{fix}; known are: {forms}")
    arguments, options = FEATURES[name].arguments, FEATURES[name].options
    given, further = given[: len(arguments)], given[len(arguments) :]
    if further and not options:
        takes = f"write {form(name)}" if arguments else f"{name} takes nothing behind it"
        raise UsageError(f"`features`: '{feature}': {takes}")
    complete = [*given, *(argument.default for argument in arguments[len(given) :])]
    if not all(a.takes(text) for a, text in zip(arguments, complete, strict=True)):
        choices = "; ".join(argument.choice for argument in arguments)
        raise UsageError(f"`features`: '{feature}': write {form(name)} with {choices}")
    _check_options(feature, further, options)
    return name, (*complete, *further)


def _check_options(feature: str, given: list[str], options: tuple[Option, ...]) -> None:
    for text in given:
        key = text.partition("=")[0]
        known = next((option for option in options if option.key == key), None)
        if known is None:
            forms = ", ".join(option.form for option in options)
            fix = nearest(key, [option.key for option in options])
            raise UsageError(f"`features`: '{feature}': no word '{text}'{fix}; known are: {forms}")
        if not known.takes(text):
            choice = f" with {known.value.choice}" if known.value else " alone"
            raise UsageError(f"`features`: '{feature}': write {known.form}{choice}")
    keys = [text.partition("=")[0] for text in given]
    if twice := [key for key in keys if keys.count(key) > 1]:
        raise UsageError(f"`features`: '{feature}': {twice[0]} is there twice; leave one out")


def properties(features: Iterable[str]) -> list[Feature]:
    """The entries of features as a plan writes them. Raises UsageError."""
    return [FEATURES[parts(feature)[0]] for feature in features]


def tracks(arm: Arm) -> bool:
    """Return whether the gateway keeps a table of connections for it."""
    return arm.path in TRANSLATED or any(its.tracks for its in properties(arm.features))


def talks(arm: Arm) -> bool:
    """Return whether the gateway sends packets of its own, as it asks for members of a group."""
    return any(its.talks for its in properties(arm.features))


def longest_bytes(features: Iterable[str]) -> int:
    """The longest IP packet that the tester's ports have to send and take."""
    known = [parts(feature) for feature in features]
    return next((int(given[0]) for name, given in known if name == "jumbo"), MTU_BYTES)


def is_tunnel(feature: str) -> bool:
    """Return whether the way to the WAN port leads through it."""
    return FEATURES[parts(feature)[0]].tunnel


def shaped_bps(features: Iterable[str]) -> tuple[int, int] | None:
    """The rates that the first shaper among them holds up and down to, bit/s; 0: it lets them be.

    None without a shaper, or where its word names no rate of its own: it shapes to the line.
    """
    for feature in features:
        if FEATURES.get(feature.partition(":")[0], Feature(())).shapes and feature.count(":") > 1:
            asked = shape.parse(parts(feature)[1])
            return None if asked.line_share else (asked.up_bps, asked.down_bps)
    return None


def unrated(feature: str) -> str:
    """The feature's word without its rate: what two rates of one shaper have in common."""
    name, *further = feature.split(":")
    return ":".join((name, *further[:1], *further[2:]))


def unnumbered(feature: str) -> str:
    """The feature's word without its numbers: what filter:10 and filter:100 have in common."""
    name, given = parts(feature)
    arguments = FEATURES[name].arguments
    kept = [text for argument, text in zip(arguments, given, strict=False) if argument.words]
    return ":".join((name, *kept, *given[len(arguments) :]))


def on_line(arm: Arm, line_bps: tuple[float, float] | None) -> Arm:
    """The arm with its shapers' shares of the plan's line (up, down) worked out; its name stays.

    Raises UsageError where it asks for a share and there is no line.
    """
    return replace(arm, features=tuple(_on_line(feature, line_bps) for feature in arm.features))


def _on_line(feature: str, line_bps: tuple[float, float] | None) -> str:
    name, arguments = parts(feature)
    if not FEATURES[name].shapes or not arguments[1].endswith("%"):
        return feature
    if line_bps is None:
        raise UsageError(
            f"`features`: '{feature}': {arguments[1]} of which line? Write [line] with a rate, or "
            "the shaper's rate in Mbit/s"
        )
    return shape.on_line(arguments, *line_bps)


def shaped_ways(features: Iterable[str]) -> set[str]:
    """Directions that shapers among these features hold to a rate, or to the line: up, down."""
    known = (f for f in features if (own := FEATURES.get(f.partition(":")[0])) and own.shapes)
    return {shape.WAYS[side] for feature in known for side in _sides(feature)}


def _sides(feature: str) -> tuple[str, ...]:
    """The ports that a shaper is at; a word without a rate names no port."""
    return shape.parse(parts(feature)[1]).sides if feature.count(":") > 1 else shape.SIDES


def writes_dscp(features: Iterable[str]) -> bool:
    """Return whether one of these writes DSCP; a feature of no known name does not."""
    names = {name for name, feature in FEATURES.items() if feature.marks}
    return any(feature.partition(":")[0] in names for feature in features)


def programs(features: Iterable[str]) -> tuple[str, ...]:
    """The features that are programs, in order; a feature of no known name is none."""
    names = {name for name, feature in FEATURES.items() if feature.program}
    return tuple(feature for feature in features if feature.partition(":")[0] in names)


def commands(arm: Arm, known: Mapping[str, Command]) -> dict[str, Command]:
    """The commands that an arm's features name, by name. Raises UsageError for an unknown one."""
    features = [parts(feature) for feature in arm.features]
    names = [arguments[0] for name, arguments in features if name == "command"]
    for name in names:
        if name not in known:
            fix = nearest(name, list(known)) if known else '; write one with run = "..."'
            raise UsageError(f"`features`: no [command.{name}] in this plan{fix}")
    return {name: known[name] for name in names}
