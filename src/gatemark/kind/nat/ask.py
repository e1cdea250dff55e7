# SPDX-License-Identifier: Apache-2.0
"""The questions that packets ask of NAT, each with ports of its own, so that none spoils another.

Two clients inside send to two hosts outside. A mapping, which is what a client is called outside,
is learnt from the packet that came out. What has not come after some patience, twice, does not
come.
"""

import time
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from gatemark.error import InvalidTrialError
from gatemark.kind.nat.ends import PORT_UNREACHABLE, RST, TIME_EXCEEDED, Ends, Seen
from gatemark.station.wiring import FAR_HOSTS, FIRST_CLIENT, Wire
from gatemark.workload.ends import LAN, LEAST_S, NS_A_S, WAN
from gatemark.workload.packet import ACK, ICMP, SYN, TCP, UDP, End

FIRST_PORT: Final = 30_000  # inside
PORT, OTHER_PORT = 4000, 4001  # outside
TWICE: Final = 2  # what is lost by chance does not come the first time
CROWD_PORT: Final = 10_000  # of the first of many flows
MANY: Final = 1200  # flows: more than 1024, the least that a table or a range of ports is set to
STREAM_S: Final = 2.5  # Linux calls it a stream after 2 s (nf_conntrack_proto_udp.c)
AT_ONCE, PACE_S = 16, 0.005  # so many of them, then so long none
FEW: Final = MANY // 20  # that do not come are lost by chance
TRIES: Final = 16  # ports, half of them odd, of which it is told how they are chosen


@dataclass(slots=True)
class Answers:
    """Values by name, and the packets that show them."""

    values: dict[str, float] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)

    def note(self, name: str, value: float, words: str) -> None:
        """Keep a value with the packets that show it."""
        self.values[name] = float(value)
        self.shown[name] = words


class Asker:
    """All questions but those of time."""

    def __init__(self, ends: Ends, wire: Wire, answers: Answers) -> None:
        self.ends = ends
        self.answers = answers
        near, far = wire.near, wire.far
        self.clients = [near.neighbour("ipv4", FIRST_CLIENT + n) for n in range(2)]
        self.hosts = [far.neighbour("ipv4", FAR_HOSTS[-2 - n]) for n in range(2)]
        self._ports = iter(range(FIRST_PORT, 60_000, 2))

    def all(self) -> None:
        """Ask everything. Raises InvalidTrialError where no packet comes through at all."""
        self._patience()
        for protocol, word in ((UDP, "udp"), (TCP, "tcp")):
            self._reused(protocol, word)
            self._let_in(protocol, word)
            self._hairpin(protocol, word)
        self._ports_kept()
        self._rivals()
        self._errors()
        self._more_errors()
        self._crossed()
        self._echo()

    def port(self) -> int:
        """A source port that no question has had; even."""
        return next(self._ports)

    def out(self, protocol: int, client: End, host: End, flags: int = SYN) -> End | None:
        """Send from a client to a host; returns what the client is called outside."""
        # An echo's port is its identifier, which the gateway may change.
        is_it = partial(_is_to, protocol=protocol, sink=host if protocol != ICMP else None)
        for _ in range(TWICE):
            since = self.ends.say(LAN, protocol, client, host, flags)
            seen = self.ends.wait(WAN, lambda s: is_it(s) and s.sink[0] == host[0], since)
            if seen:
                return seen.source
        return None

    def comes(self, protocol: int, host: End, to: End, client: End, flags: int = SYN) -> bool:
        """Send from a host to a mapping; return whether the client gets it."""
        is_it = partial(_is_to, protocol=protocol, sink=client)
        for _ in range(TWICE):
            since = self.ends.say(WAN, protocol, host, to, flags)
            if self.ends.wait(LAN, lambda s: is_it(s) and s.source[0] == host[0], since):
                return True
        return False

    def opened(self, protocol: int, client: End, host: End) -> End:
        """The mapping of a packet that has to come out. Raises InvalidTrialError."""
        if mapping := self.out(protocol, client, host):
            return mapping
        words = f"{_end(client)} to {_end(host)}"
        raise InvalidTrialError(f"no packet came out of NAT: {words}; does a rule drop it?")

    def _patience(self) -> None:
        """Take the time of the first packet as a measure for the others."""
        began = time.monotonic()
        mapping = self.opened(UDP, (self.clients[0], self.port()), (self.hosts[0], PORT))
        self.ends.trust(time.monotonic() - began)
        self.ends.outside = mapping[0]

    def _reused(self, protocol: int, word: str) -> None:
        client, (near, far) = (self.clients[0], self.port()), self.hosts
        first = self.opened(protocol, client, (near, PORT))
        for name, host in (("port", (near, OTHER_PORT)), ("host", (far, PORT))):
            then = self.opened(protocol, client, host)
            words = (
                f"{_end(client)} is {_end(first)} to {near}:{PORT} and {_end(then)} to {_end(host)}"
            )
            self.answers.note(f"nat_{word}_reused_{name}", then == first, words)

    def _let_in(self, protocol: int, word: str) -> None:
        """Ask each with a mapping of its own: what is not let in may leave an entry in the way."""
        near, far = self.hosts
        for name, host in (("port", (near, OTHER_PORT)), ("host", (far, PORT))):
            client = self.clients[0], self.port()
            mapping = self.opened(protocol, client, (near, PORT))
            is_in = self.comes(protocol, host, mapping, client)
            words = f"{_end(host)} to {_end(mapping)}, which had sent to {near}:{PORT}: "
            self.answers.note(f"nat_{word}_from_{name}", is_in, words + _came(is_in))

    def _hairpin(self, protocol: int, word: str) -> None:
        near, far = ((client, self.port()) for client in self.clients)
        mapping = self.opened(protocol, far, (self.hosts[0], PORT))
        since = self.ends.say(LAN, protocol, near, mapping, SYN)
        is_it = partial(_is_to, protocol=protocol, sink=far)
        seen = self.ends.wait(LAN, is_it, since)
        words = f"{_end(near)} to {_end(mapping)}, which is {_end(far)}: {_came(bool(seen))}"
        self.answers.note(f"nat_{word}_hairpin", bool(seen), words)
        from_outside = seen is not None and seen.source[0] == mapping[0]
        words = f"it came from {_end(seen.source)}" if seen else "it did not come"
        prefix = "nat" if protocol == UDP else "nat_tcp"
        self.answers.note(f"{prefix}_hairpin_outside", from_outside, words)

    def _ports_kept(self) -> None:
        kept = 0
        changes: list[str] = []
        for _ in range(TRIES):
            own = self.port() + len(changes) % 2
            mapping = self.opened(UDP, (self.clients[0], own), (self.hosts[0], PORT))
            kept += mapping[1] == own
            changes.append(f"{own} is {mapping[1]}")
        self.answers.note("nat_port_kept", kept / TRIES, "; ".join(changes))

    def _rivals(self) -> None:
        """A second client with a port that the first has, towards the same host."""
        same, words = [], []
        for own in (self.port() + n % 2 for n in range(TRIES)):
            host = self.hosts[0], PORT
            self.opened(UDP, (self.clients[0], own), host)
            second = self.opened(UDP, (self.clients[1], own), host)
            words.append(f"the second client's {own} is {second[1]}")
            if second[1] != own:
                same.append(own % 2 == second[1] % 2)
        if same:
            self.answers.note("nat_parity_kept", sum(same) / len(same), "; ".join(words))
        for protocol, name in ((UDP, "nat_port_shared"), (TCP, "nat_tcp_shared")):
            self._shared(protocol, name)

    def _shared(self, protocol: int, name: str) -> None:
        """The same port of both clients, to another host first, where nothing is in the way.

        The other way round Linux reuses what it had to choose for the first host.
        """
        own = self.port()
        first, rival = ((client, own) for client in self.clients)
        near, far = self.hosts
        taken = self.opened(protocol, first, (near, PORT))
        there = self.opened(protocol, rival, (far, PORT))
        here = self.opened(protocol, rival, (near, PORT))
        words = (
            f"{_end(first)} is {_end(taken)} to {near}; {_end(rival)} is {_end(there)} to {far} "
            f"and then {_end(here)} to {near}"
        )
        self.answers.note(name, taken in (here, there), words)
        word = "udp" if protocol == UDP else "tcp"
        self.answers.note(f"nat_{word}_reused_rival", here == there, words)

    def _errors(self) -> None:
        for protocol, prefix in ((UDP, "nat_"), (TCP, "nat_tcp_")):
            client, host = (self.clients[0], self.port()), (self.hosts[0], PORT)
            mapping = self.opened(protocol, client, host)
            since = self.ends.error(WAN, host[0], (protocol, mapping, host))
            about = client, host
            came = self._error_at(LAN, about, since)
            words = f"{host[0]} tells {_end(mapping)} that {_end(host)} is not there: {_came(came)}"
            self.answers.note(f"{prefix}error_in", came, words)
            alive = self.comes(protocol, host, mapping, client, SYN | ACK)
            self.answers.note(
                f"{prefix}error_survived", alive, f"{words}; then {_end(host)} {_came(alive)}"
            )
        client, host = (self.clients[0], self.port()), (self.hosts[0], PORT)
        mapping = self.opened(UDP, client, host)
        if self.comes(UDP, host, mapping, client):
            since = self.ends.error(LAN, client[0], (UDP, host, client))
            came = self._error_at(WAN, (host, mapping), since)
            words = f"{_end(client)} tells {_end(host)} that it is not there: {_came(came)}"
            self.answers.note("nat_error_out", came, words)

    def _error_at(self, side: str, about: tuple[End, End], since: int) -> bool:
        seen = self.ends.wait(side, lambda s: s.protocol == ICMP and s.about == about, since)
        return seen is not None

    def _more_errors(self) -> None:
        """Errors of another type, with a wrong checksum, about an echo, back through a hairpin."""
        client, host = (self.clients[0], self.port()), (self.hosts[0], PORT)
        about = UDP, self.opened(UDP, client, host), host
        for name, kind, is_sound in (
            ("nat_error_time", TIME_EXCEEDED, True),
            ("nat_error_wrong", PORT_UNREACHABLE, False),
        ):
            since = self.ends.error(WAN, host[0], about, kind, is_sound=is_sound)
            came = self._error_at(LAN, (client, host), since)
            what = "times out" if is_sound else "is not there, with a wrong checksum"
            words = f"{host[0]} tells {_end(about[1])} that {_end(host)} {what}: {_came(came)}"
            self.answers.note(name, came, words)
        near, far = ((each, self.port()) for each in self.clients)
        mapping = self.opened(UDP, far, host)
        since = self.ends.say(LAN, UDP, near, mapping)
        if seen := self.ends.wait(LAN, partial(_is_to, protocol=UDP, sink=far), since):
            since = self.ends.error(LAN, far[0], (UDP, seen.source, far))
            came = self._error_at(LAN, (near, mapping), since)
            words = f"{_end(far)} tells {_end(seen.source)} that it is not there: {_came(came)}"
            self.answers.note("nat_hairpin_error", came, words)

    def crowded(self) -> None:
        """Open more flows to one host than a small range of ports, or a small table, has room for.

        Of those before them one is not answered, one is, and one is a stream: which ends to make
        room? It is asked last of all, as nothing may be opened for a while after it.
        """
        host, crowd = (self.hosts[0], PORT), (self.hosts[1], OTHER_PORT)
        first = [(self.clients[0], self.port()) for _ in range(3)]
        mappings = [self.opened(UDP, client, host) for client in first]
        for each in (1, 2):
            self.comes(UDP, host, mappings[each], first[each])
        time.sleep(STREAM_S)
        self.opened(UDP, first[2], host)
        self.comes(UDP, host, mappings[2], first[2])
        asked = {(self.clients[1], CROWD_PORT + each) for each in range(MANY)}
        since = time.monotonic_ns()
        for number, client in enumerate(sorted(asked) * TWICE):
            self.ends.say(LAN, UDP, client, crowd)
            if number % AT_ONCE == 0:
                self.ends.read(PACE_S)
                time.sleep(PACE_S)
        last = -1
        while len(self.ends.seen[WAN]) > last:  # a slow gateway is at it still
            last = len(self.ends.seen[WAN])
            came = {s.source for s in self.ends.since(WAN, since) if _is_to(s, UDP, crowd)}
        alive = [self.comes(UDP, host, *each) for each in zip(mappings, first, strict=True)]
        refused = MANY - len(came)
        words = f"{MANY} flows to {_end(crowd)}: {len(came)} mappings"
        self.answers.note("nat_crowd_refused", refused / MANY, words)
        if refused < FEW and all(alive):
            return  # nothing ran out
        if refused >= FEW:
            informed = sum(s.about is not None and s.about[1] == crowd for s in self.ends.seen[LAN])
            self.answers.note("nat_crowd_told", informed > 0, f"{words}; {informed} were told")
        for name, is_alive in zip(("once", "answered", "stream"), alive, strict=True):
            text = f"{words}; one before them, {name}, is {'alive' if is_alive else 'dead'}"
            self.answers.note(f"nat_{name}_evicted", not is_alive, text)

    def _crossed(self) -> None:
        """Both sides open the same connection at once (RFC 9293, section 3.5)."""
        client, host = (self.clients[0], self.port()), (self.hosts[0], PORT)
        mapping = self.opened(TCP, client, host)
        came = self.comes(TCP, host, mapping, client, SYN)
        words = f"SYN of {_end(client)} and SYN of {_end(host)} cross: {_came(came)}"
        self.answers.note("nat_tcp_crossed", came, words)

    def _echo(self) -> None:
        client, host = (self.clients[0], self.port()), (self.hosts[0], 0)
        if (mapping := self.out(ICMP, client, host)) is None:
            self.answers.note("nat_echo", 0, f"{client[0]} to {host[0]}: did not come out")
            return
        came = self.comes(ICMP, (host[0], mapping[1]), mapping, client)
        self.answers.note("nat_echo", came, f"{host[0]} answers {client[0]}: {_came(came)}")
        self.ends.error(WAN, host[0], (ICMP, mapping, (host[0], mapping[1])))
        alive = self.comes(ICMP, (host[0], mapping[1]), mapping, client)
        words = f"{host[0]} tells {mapping[0]} that it is not there; its answer then {_came(alive)}"
        self.answers.note("nat_echo_survived", alive, words)


class Unasked:
    """A segment that nobody asked for, and what the gateway says to it."""

    def __init__(self, asker: Asker) -> None:
        self._ends = asker.ends
        self._host = asker.hosts[1], asker.port()
        self._to = asker.ends.outside, asker.port()
        self._since = self._ends.say(WAN, TCP, self._host, self._to, SYN)

    def note(self, answers: Answers) -> None:
        """Keep whether it was silent, six seconds later or more."""
        seen = self._ends.wait(WAN, self._answers, self._since, LEAST_S)
        words = f"SYN of {_end(self._host)} to {_end(self._to)}: "
        if seen is None:
            answers.note("nat_tcp_silent", 1, f"{words}no answer")
            return
        what = "a reset" if seen.flags & RST else "a segment" if seen.protocol == TCP else "ICMP"
        after_ms = (seen.at_ns - self._since) / NS_A_S * 1e3
        answers.note("nat_tcp_silent", 0, f"{words}{what} after {after_ms:.1f} ms")

    def _answers(self, seen: Seen) -> bool:
        if seen.protocol == ICMP:
            return seen.about == (self._host, self._to)
        return seen.protocol == TCP and seen.sink == self._host


def _is_to(seen: Seen, protocol: int, sink: End | None) -> bool:
    return seen.protocol == protocol and seen.about is None and sink in (None, seen.sink)


def _came(came: bool) -> str:
    return "came" if came else "did not come"


def _end(end: End) -> str:
    return f"{end[0]}:{end[1]}"
