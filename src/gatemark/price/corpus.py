# SPDX-License-Identifier: Apache-2.0
"""Generated packets that show whether two sets of rules let the same through.

Addresses, ports and flags are those that the rules name, their neighbours, and some of none. Each
packet bears its number, and what counts is where it came out and to which address and port. Both
rulesets get the same packets in the same order, after connections were forgotten.
"""

import random
import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Final

from gatemark.price.gateway import Walker
from gatemark.price.traffic import GATES, Ends
from gatemark.workload import packet
from gatemark.workload.packet import ACK, SYN, Segment

MANY: Final = 10_000
BATCH: Final = 50  # packets that are under way at once: no queue holds fewer
PORTS: Final = re.compile(r"\b(?:dport|sport)\s+(?:!=\s*)?(\{[^}]*\}|[\w-]+)")
ADDRESSES: Final = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?\b")
COMMON: Final = (22, 53, 80, 123, 443, 1194, 8080, 25, 40000)
FLAGS: Final = (SYN, ACK, SYN | ACK, ACK | 0x01, 0x04, 0, 0x29)  # with FIN; RST; none; Xmas
FIRST: Final = 0x60000000  # sequence number of packet 0
AGAIN: Final = 0.3  # of the packets: one that was sent before, the other way or again

Where = tuple[str, str, int]  # side that it came out at, its address and port there


@dataclass(frozen=True, slots=True)
class Sent:
    """A generated packet."""

    role: str
    frame: bytes
    token: bytes


def corpus(rules: str, ends: Ends, many: int, seed: int) -> list[Sent]:
    """Make so many packets of IPv4."""
    chance = random.Random(seed)  # noqa: S311 - the same packets each time
    addresses, ports = _addresses(rules), _ports(rules)
    lan, wan = ends.client["ipv4"], ends.server["ipv4"]
    flows: list[tuple[str, packet.End, packet.End]] = []
    made = []
    for number in range(many):
        if flows and chance.random() < AGAIN:
            role, source, sink = chance.choice(flows)
            if chance.random() < 0.5:
                role, source, sink = ("wan0" if role == "lan0" else "lan0"), sink, source
        else:
            role = chance.choice(("lan0", "lan0", "wan0"))
            near, far = (lan, wan) if role == "lan0" else (wan, lan)
            gate = ends.ports[GATES[role]].address("ipv4")
            source = (
                chance.choice((near, near, *addresses)),
                chance.choice((*ports, 30000 + number % 20000)),
            )
            sink = (chance.choice((far, far, far, gate, *addresses)), chance.choice(ports))
            flows.append((role, source, sink))
        gate_mac = ends.ports[GATES[role]].mac
        macs = ends.ports[role].mac, gate_mac
        if chance.random() < 0.5:
            frame = packet.udp(macs, source, sink, packet.payload(number, 18))
            token = packet.mark(number)
        else:
            segment = Segment(FIRST + number, 1, chance.choice(FLAGS))
            frame = packet.tcp(macs, source, sink, segment)
            token = struct.pack("!I", FIRST + number)
        made.append(Sent(role, frame, token))
    return made


def _addresses(rules: str) -> list[str]:
    """Addresses that rules name, inside and beside their networks, but for those of no host."""
    names = []
    for text in ADDRESSES.findall(rules):
        try:
            network = ip_network(text, strict=False)
        except ValueError:
            continue
        names += [str(at) for at in (network[0], network[-1], network[-1] + 1)]
    return [*dict.fromkeys(name for name in names if _is_host(name))][:400]


def _is_host(name: str) -> bool:
    address = ip_address(name)
    assert isinstance(address, IPv4Address)
    return not (address.is_multicast or address.is_loopback or address.packed[0] in (0, 255))


def _ports(rules: str) -> list[int]:
    numbers = list(COMMON)
    for taken in PORTS.findall(rules):
        for text in re.findall(r"\d+", taken):
            numbers += [int(text), int(text) + 1]
    return [*dict.fromkeys(number for number in numbers if 0 < number < 65536)]


def fates(walker: Walker, packets: Sequence[Sent]) -> list[frozenset[Where]]:
    """Send all; where each came out. Those of a batch are under way at once.

    Raises StationError where the gateway does not answer.
    """
    came: list[set[Where]] = [set() for _ in packets]
    tokens = {sent.token: at for at, sent in enumerate(packets)}

    for begin in range(0, len(packets), BATCH):
        for sent in packets[begin : begin + BATCH]:
            walker.sides.send(sent.role, sent.frame)
        for role, frame in walker.sides.fenced(walker.ends.ports):
            if (at := tokens.get(_token(frame))) is not None:
                came[at].add((role, *_sink(frame)))
    return [frozenset(where) for where in came]


def _token(frame: bytes) -> bytes:
    if data := packet.carried(frame, packet.UDP):
        return data[-len(packet.mark(0)) :]
    return packet.carried(frame, packet.TCP)[4:8]


def _sink(frame: bytes) -> packet.End:
    """The address and port that a frame of IPv4 is for."""
    return str(IPv4Address(frame[30:34])), int.from_bytes(frame[36:38], "big")


def differing(old: Iterable[frozenset[Where]], new: Iterable[frozenset[Where]]) -> int:
    """Packets that came out otherwise."""
    return sum(a != b for a, b in zip(old, new, strict=True))


def through(came: Iterable[frozenset[Where]]) -> int:
    """Packets that came out anywhere."""
    return sum(map(bool, came))
