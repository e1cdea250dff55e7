# SPDX-License-Identifier: Apache-2.0
"""Traffic and the factors of a point in words: `↑ up, TCP, 8 KiB writes, 4 streams`."""

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Final

from gatemark.judge.subject import About
from gatemark.kind.connections.plan import HELD, RATE
from gatemark.kind.fill.plan import FILL
from gatemark.store.record import Definition
from gatemark.tell.words import number
from gatemark.unit import MTU_BYTES

OURS = "gatemark"  # who makes the traffic if no known tool does
TIMING = ("repeats", "pass_ms")  # words of a kernel that are told nowhere
WORDS = "words"  # owner of a factor that is a word of a kernel
LINE = "line."  # in front of the emulated line's factors
ARROW = {
    "up": "↑ up",
    "down": "↓ down",
    "both": "↕ both",
    "send": "→ gateway sends",
    "receive": "← gateway receives",
}
DIRECTION = {"up": "LAN to WAN", "down": "WAN to LAN", "both": "both directions at once"}
GOALS = {0.0: "NDR", 0.005: "PDR"}  # by the loss that they allow
FAMILY = {"ipv4": "IPv4", "ipv6": "IPv6"}
DOES = {
    "route": "routing",
    "nat": "NAT",
    "switch": "bridging",
    "hairpin": "hairpinning",
    "endpoint": "the gateway itself",
}
# Factors that `load` tells.
LOAD = {"driver", "direction", "kind", "family", "l4", "flows", "streams"}
LOAD |= {"frame_bytes", "payload_bytes", "write_bytes", "socket_buffer_bytes"}
# Where a size is a factor, what it is a size of: of one, as a title or an axis has it, of many.
SIZES = {
    "write_bytes": ("write", "writes"),
    "payload_bytes": ("datagram", "datagrams"),
    "frame_bytes": ("frame", "frames"),
    "socket_buffer_bytes": ("socket buffer", "socket buffers"),
}


def way(direction: str) -> str:
    """A direction with its arrow: `↑ up`."""
    return ARROW.get(direction, direction)


def heading(direction: str) -> str:
    """A direction as a panel's heading: `↑ up: LAN to WAN`, `→ gateway sends`."""
    if direction in ARROW and direction not in DIRECTION:
        return ARROW[direction]
    return f"{way(direction)}: {DIRECTION.get(direction, direction)}"


def does(setup: str) -> str:
    """A setup as what it does: `routing`, `NAT`, `NAT + filter:100`."""
    path, *features = setup.split(" + ")
    return " + ".join((DOES.get(path, path), *features))


def protocol(name: str) -> str:
    """A protocol as people write it: `IPv4`, `TCP`; other words stay."""
    return FAMILY.get(name, name.upper() if name in ("tcp", "udp") else name)


def size(count: float) -> str:
    """A size in bytes: `8 KiB`, `1 MiB`, else `1450 B`."""
    for step, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= step and count % step == 0:
            return f"{count / step:g} {unit}"
    return f"{count:g} B"


def sized(factor: str, count: float) -> str:
    """Traffic of one size: `8 KiB writes`, `1450 B datagrams`."""
    _, many = SIZES[factor]
    if factor == "socket_buffer_bytes" and not count:
        return "socket buffers tuned by the kernel"
    return f"{size(count)} {many}"


def several(count: float, what: str) -> str:
    """`1 flow`, `4 flows`."""
    return f"{count:.0f} {what}{'' if count == 1 else 's'}"


def streams(count: int) -> str:
    """`1 stream`, `4 streams`."""
    return several(count, "stream")


def connections(definition: Definition) -> str:
    """Connections or flows of a definition about them: `64 at once`, `1000 flows, idle`."""
    if definition.quantity == FILL:
        work = f"{definition.active_pps:g} packets/s over all" if definition.active_pps else "idle"
        return f"{definition.flows} flows, {work}"
    count = "as many as it goes" if definition.connections is None else f"{definition.connections}"
    if definition.quantity == RATE:
        return f"{count} connection{'' if count == '1' else 's'} at once"
    if definition.quantity != HELD:
        return ""
    if definition.active_pps:
        return f"{count} connections, {definition.active_pps:g} messages/s over all"
    return f"{count} connections"


def traffic(definition: Definition, but: Container[str] = ()) -> str:
    """The traffic in words: `64-byte frames, UDP over IPv4, 1 flow, trials of 1 s`.

    `but` are factors that vary and are left out.
    """
    if definition.kernel:
        return kernel(definition)
    of = f"replay of {definition.trace}" if definition.trace else definition.l4.upper()
    over = FAMILY.get(definition.family, definition.family)
    layers = [text for name, text in (("l4", of), ("family", over)) if name not in but]
    sized = _is_sized(definition)
    parts = (_udp if sized else _OF[definition.l4])(definition)
    if many := connections(definition):
        parts = iter([("connections", many)])
    words = [text for name, text in parts if name not in but]
    first = words[:1] if sized and "frame_bytes" not in but else []
    turns = f" in turns of {definition.turn_ms:g} ms" if definition.turn_ms else ""
    last = [f"trials of {definition.duration_s:g} s{turns}"] if definition.duration_s else []
    last += [f"driven by {definition.driver}"] if definition.driver != OURS else []
    last += [f"over a line ({definition.line})"] if definition.line else []
    protocol = [" over ".join(layers)] if layers else []
    return ", ".join([*first, *protocol, *words[len(first) :], *last])


def kernel(definition: Definition) -> str:
    """A kernel with its words: `lpm, mix uniform, structure tbm4, O3, 2 instances`."""
    words = [
        word.replace("=", " ")
        for word in definition.kernel.split()
        if word.partition("=")[0] not in TIMING
    ]
    many = [f"{definition.instances} instances"] if definition.instances > 1 else []
    return ", ".join([*words, definition.level, *many])


def point_words(point: About) -> str:
    """What a point sent, through a slowdown and over a line: `↑ up, 64 B, slowed`."""
    slowed = ", slowed" if point.definition.slow_to_pps else ""
    line = f", line {point.definition.line}" if point.definition.line else ""
    return load(point.definition) + slowed + line


def at(about: About, but: Container[str] = ()) -> str:
    """What a point sent, with the level of each factor that this does not have, but of some."""
    sent = point_words(about)
    factors = (factor(*own) for own in about.point.items() if own[0] not in but)
    return ", ".join((sent, *(words for words in factors if words not in sent)))


def load(definition: Definition, payload_bytes: float = 0) -> str:
    """What was sent, in short: `↑ up, 64 B`, `↑ up, TCP, 8 KiB writes`; by whom if not by us.

    With `payload_bytes` by that: `↑ up, UDP, 64 B datagrams`.
    """
    by = [] if definition.driver == OURS else [f"by {definition.driver}"]
    return ", ".join([sent(definition, payload_bytes), *by])


def sent(definition: Definition, payload_bytes: float = 0) -> str:
    """The same whoever sent it."""
    if definition.kernel:
        return kernel(definition)
    parts = [way(definition.direction)]
    if many := connections(definition):
        parts += [many]
    elif not _is_sized(definition) and definition.l4 == "tcp":
        parts += ["TCP", *(text for _, text in _writes(definition))]
        parts += (
            [streams(definition.streams)] if definition.streams and definition.streams > 1 else []
        )
    elif definition.l4 == "http":
        parts += ["HTTP/2", *(text for name, text in _http(definition) if name != "congestion")]
    elif definition.trace:
        parts += [definition.trace, *(text for _, text in _trace(definition))]
    elif payload_bytes:
        parts += ["UDP", sized("payload_bytes", payload_bytes)]
    else:
        parts += ["TCP"] if definition.l4 == "tcp" else []
        parts += [f"{definition.frame_bytes} B"] if definition.frame_bytes else []
    parts += [f"{definition.flows} flows"] if definition.flows > 1 and not many else []
    if definition.quantity == "throughput":
        parts.append(GOALS.get(definition.loss_criterion or 0.0, "some loss"))
    parts += [FAMILY.get(definition.family, "")] if definition.family != "ipv4" else []
    return ", ".join(parts + (["with offload"] if definition.offload else []))


def point(factors: Mapping[str, object]) -> str:
    """A point's factors in short: `offered 20 k packets/s, ↑ up`; a dash where there are none."""
    return ", ".join(factor(name, level) for name, level in factors.items()) or number.DASH


def factor(name: str, level: object) -> str:
    """One factor with its level in short; that of another workload has its name first."""
    if name.startswith(LINE):
        return _line(name.removeprefix(LINE), level)
    owner, _, key = name.rpartition(".")
    if owner:
        whose = "" if owner == WORDS else f"{owner.replace('.', ' ')}: "
        return f"{whose}{factor(key, level)}"
    if name in _WORDS:
        return _WORDS[name](str(level))
    if name in _COUNTED and isinstance(level, int | float):
        return _COUNTED[name](level)
    if name in SIZES and isinstance(level, int | float):
        return sized(name, level)
    return f"{name.replace('_', ' ')} {level}"


def _line(key: str, level: object) -> str:
    """A factor of the emulated line: `line 15 Mbit/s`, `line up, buffer packets 50`."""
    way, dot, key = key.rpartition(".")
    if key == "rate_bps" and isinstance(level, int | float):
        text = number.nominal(level, "bit/s") if level else "no rate"
        return f"line {way} {text}" if dot else f"line {text}"
    return f"line{f' {way}' if dot else ''}, {key.replace('_', ' ')} {level}"


def _offered(rate: float, unit: str) -> str:
    return f"offered {number.nominal(rate, unit)}" if rate else "as fast as it goes"


# Of goals whose names are no abbreviation.
GOAL_WORDS: Final[dict[str, str]] = {"held": "highest rate held"}
_WORDS: dict[str, Callable[[str], str]] = {
    "direction": way,
    "kind": str.upper,
    "family": lambda level: FAMILY.get(level, level),
    "l4": str.upper,
    "frame_bytes": lambda level: f"{level} B",
    "goal": lambda goal: GOAL_WORDS.get(goal, goal.upper()),
}
_COUNTED: dict[str, Callable[[float], str]] = {
    "rate_pps": lambda rate: _offered(rate, "packets/s"),
    "mbit": lambda rate: f"shaped to {rate:g} Mbit/s",
    "rate_bps": lambda rate: _offered(rate, "bit/s"),
    "streams": lambda count: streams(int(count)),
    "flows": lambda count: several(count, "flow"),
    "connections": lambda count: several(count, "connection"),
    "share": lambda share: f"{100 * share:g} % of throughput",
    "start_s": lambda start: f"from {start:g} s on",
}


def _is_sized(definition: Definition) -> bool:
    """Whether it is of packets by size: UDP, or single segments, but not TCP by its writes."""
    return definition.l4 == "udp" or definition.frame_bytes is not None


def _udp(definition: Definition) -> Iterator[tuple[str, str]]:
    size_ = f"{definition.frame_bytes}-byte frames" if definition.frame_bytes else "mixed sizes"
    yield "frame_bytes", size_
    yield "flows", several(definition.flows, "flow")


def _trace(definition: Definition) -> Iterator[tuple[str, str]]:
    if definition.speed != 1:
        speed = f"{definition.speed:g} times as fast" if definition.speed else "at an even rate"
        yield "speed", speed
    if definition.clones > 1:
        yield "clones", f"{definition.clones} clones"
    if definition.packet_most != MTU_BYTES:
        yield "packet_most", f"packets of up to {definition.packet_most} bytes"


def _tcp(definition: Definition) -> Iterator[tuple[str, str]]:
    yield from _writes(definition)
    yield "streams", streams(definition.streams or 1)
    if definition.congestion:
        yield "congestion", definition.congestion


def _http(definition: Definition) -> Iterator[tuple[str, str]]:
    if not definition.tls:
        yield "tls", "without TLS"
    yield "interval_s", f"intervals of {definition.interval_s:g} s"
    if definition.congestion:
        yield "congestion", definition.congestion


_OF: dict[str, Callable[[Definition], Iterator[tuple[str, str]]]] = {
    "tcp": _tcp,
    "replay": _trace,
    "http": _http,
}


def _writes(definition: Definition) -> Iterator[tuple[str, str]]:
    if definition.write_bytes:
        yield "write_bytes", sized("write_bytes", definition.write_bytes)
    if definition.socket_buffer_bytes:
        name = "socket_buffer_bytes"
        yield name, sized(name, definition.socket_buffer_bytes)
