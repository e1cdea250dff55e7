# SPDX-License-Identifier: Apache-2.0
"""The life of mappings: many of each kind are left idle, and each is looked at once, at a time.

    opened   look 1   look 2   look 3  ...        a look is a packet from outside, which would keep
      |--------|        |        |                its mapping alive: so each look has its own
    alive    came     came     did not come       lives from look 2 to look 3

All kinds wait at the same time, so this takes as long as the longest.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from gatemark.kind.nat.ask import PORT, STREAM_S, Answers, Asker
from gatemark.kind.nat.ends import RST
from gatemark.kind.nat.plan import LOOKS
from gatemark.kind.nat.requirement import has_died
from gatemark.workload.ends import LAN, NS_A_S, WAN
from gatemark.workload.packet import ACK, ICMP, SYN, TCP, UDP, End

FIN: Final = 0x01
REFRESH_S: Final = 10.0  # half of what mappings live at least
REFRESHES: Final = 12  # packets from inside meanwhile, of a mapping that is kept alive


@dataclass(slots=True)
class Look:
    """One mapping, and when it is looked at."""

    name: str  # of its value
    protocol: int
    client: End
    host: End
    mapping: End
    flags: int  # of the segment that looks
    opened_ns: int = 0
    at_ns: int = 0  # when it is due, then when it was
    came: bool = False

    @property
    def age_s(self) -> float:
        """Return the time that it was idle: opening the others may have kept the look waiting."""
        return (self.at_ns - self.opened_ns) / NS_A_S

    def is_due(self, now_ns: int) -> bool:
        """Return whether it is to be looked at."""
        return self.at_ns <= now_ns


def watched(asker: Asker, answers: Answers, idle_s: float) -> None:
    """Open them, leave them idle, look at them, and keep the values."""
    begun = [_begun(asker) for _ in range(LOOKS)]
    time.sleep(STREAM_S)
    looks = [
        _opened(asker, name, kind, _due_s(idle_s, number + 1), ends)
        for number in reversed(range(LOOKS))  # who is soon looked at is opened last
        for name, kind, ends in (
            *((name, kind, _ends(asker)) for name, kind in KINDS.items()),
            (STREAM, _answered, begun[number]),
        )
    ]
    kept = _opened(asker, "nat_refreshed", _once, idle_s, _ends(asker))
    echo = _opened(asker, "nat_echo_refreshed", _echo, idle_s, _ends(asker))
    _look(asker, [*looks, kept, echo], kept, echo, idle_s)
    for name in (*KINDS, STREAM):
        of_kind = [look for look in looks if look.name == name]
        answers.note(name, *_alive(of_kind))
    once_s = answers.values["nat_udp_once_ns"] / NS_A_S
    every_s = _refresh_s(idle_s)
    if has_died(once_s, idle_s) and once_s > every_s:
        words = f"a packet from inside each {every_s:.3g} s for {idle_s:.3g} s: "
        words += "alive" if kept.came else "dead"
        answers.note("nat_refreshed", kept.came, words)
    if has_died(answers.values["nat_echo_ns"] / NS_A_S, idle_s):
        words = f"an error about an echo each {every_s:.3g} s for {idle_s:.3g} s: "
        words += "alive" if echo.came else "dead"
        answers.note("nat_echo_refreshed", echo.came, words)
    dead = [look for look in looks if look.name == "nat_tcp_reset_ns" and not look.came]
    if dead:
        _rested(asker, answers, dead[0])


def _rested(asker: Asker, answers: Answers, ended: Look) -> None:
    """Ask whether another client gets the port of a connection that was reset and is gone."""
    then = asker.opened(TCP, (asker.clients[1], ended.client[1]), ended.host)
    after_s = (time.monotonic_ns() - ended.opened_ns) / NS_A_S
    words = f"port {ended.mapping[1]} was another's until a reset {after_s:.3g} s before: "
    words += "it is given again" if then == ended.mapping else f"{then[1]} is given"
    answers.note("nat_port_rested", then != ended.mapping, words)


def _look(asker: Asker, looks: list[Look], kept: Look, echo: Look, idle_s: float) -> None:
    """Send each look when it is due, and see which of them come."""
    ends = asker.ends
    waiting = sorted(looks, key=lambda look: look.at_ns)
    every_ns = round(_refresh_s(idle_s) * NS_A_S)
    again_ns = time.monotonic_ns() + every_ns
    while waiting and not ends.ended.is_set():
        now_ns = time.monotonic_ns()
        if again_ns <= now_ns < kept.at_ns - every_ns // 2:
            ends.say(LAN, kept.protocol, kept.client, kept.host)
            ends.error(WAN, echo.host[0], (ICMP, echo.mapping, echo.host))
            again_ns += every_ns
        while waiting and waiting[0].is_due(now_ns):
            look = waiting.pop(0)
            look.at_ns = ends.say(WAN, look.protocol, look.host, look.mapping, look.flags)
        ends.read(0.02)
    for look in looks:
        look.came = _came(asker, look)


def _came(asker: Asker, look: Look) -> bool:
    """Return whether a look came; the last ones have only just been sent."""
    late_s = asker.ends.patience_s - (time.monotonic_ns() - look.at_ns) / NS_A_S
    return (
        asker.ends.wait(
            LAN,
            lambda s: (s.protocol, s.sink) == (look.protocol, look.client) and s.about is None,
            look.at_ns,
            max(1e-3, late_s),
        )
        is not None
    )


def _alive(looks: list[Look]) -> tuple[float, str]:
    """The age until which all came, ns, and in words; a mapping that is dead stays dead."""
    by_age = sorted(looks, key=lambda look: look.age_s)
    alive = list(takewhile(lambda look: look.came, by_age))
    alive_s = alive[-1].age_s if alive else 0.0
    dead = by_age[len(alive) :]
    last = f", not after {dead[0].age_s:.3g} s" if dead else ", the last look"
    return alive_s * NS_A_S, f"alive after {alive_s:.3g} s{last}"


def _due_s(idle_s: float, number: int) -> float:
    """The time of a look, from the first on: by squares, so that 10 s of 260 are seen as well."""
    return float(idle_s * (number / LOOKS) ** 2)


def _refresh_s(idle_s: float) -> float:
    """The time between two packets that keep a mapping alive."""
    return min(REFRESH_S, idle_s / REFRESHES)


Opening = Callable[[Asker, End, End], tuple[int, End, int]]  # protocol, mapping, flags of a look


def _ends(asker: Asker) -> tuple[End, End]:
    return (asker.clients[0], asker.port()), (asker.hosts[0], PORT)


def _begun(asker: Asker) -> tuple[End, End]:
    """Begin a stream of packets both ways; returns its client and host."""
    ends = _ends(asker)
    _answered(asker, *ends)
    return ends


def _opened(
    asker: Asker, name: str, opening: Opening, after_s: float, ends: tuple[End, End]
) -> Look:
    client, host = ends
    protocol, mapping, flags = opening(asker, client, host)
    if protocol == ICMP:
        host = host[0], mapping[1]
    now_ns = time.monotonic_ns()
    due_ns = now_ns + round(after_s * NS_A_S)
    return Look(name, protocol, client, host, mapping, flags, now_ns, due_ns)


def _once(asker: Asker, client: End, host: End) -> tuple[int, End, int]:
    return UDP, asker.opened(UDP, client, host), 0


def _answered(asker: Asker, client: End, host: End) -> tuple[int, End, int]:
    mapping = asker.opened(UDP, client, host)
    asker.comes(UDP, host, mapping, client)
    return UDP, mapping, 0


def _opening(asker: Asker, client: End, host: End) -> tuple[int, End, int]:
    return TCP, asker.opened(TCP, client, host), SYN | ACK


def _open(asker: Asker, client: End, host: End) -> tuple[int, End, int]:
    mapping = asker.opened(TCP, client, host)
    asker.comes(TCP, host, mapping, client, SYN | ACK)
    asker.out(TCP, client, host, ACK)
    return TCP, mapping, ACK


def _half(asker: Asker, client: End, host: End) -> tuple[int, End, int]:
    """Closed from inside, and acknowledged."""
    _, mapping, flags = _open(asker, client, host)
    asker.out(TCP, client, host, FIN | ACK)
    asker.comes(TCP, host, mapping, client, ACK)
    return TCP, mapping, flags


def _reset(asker: Asker, client: End, host: End) -> tuple[int, End, int]:
    _, mapping, flags = _open(asker, client, host)
    asker.out(TCP, client, host, RST | ACK)
    return TCP, mapping, flags


def _echo(asker: Asker, client: End, host: End) -> tuple[int, End, int]:
    mapping = asker.out(ICMP, client, host)
    return ICMP, mapping or client, 0


STREAM: Final = "nat_udp_stream_ns"
KINDS: Final[dict[str, Opening]] = {
    "nat_udp_once_ns": _once,
    "nat_udp_answered_ns": _answered,
    "nat_tcp_opening_ns": _opening,
    "nat_tcp_open_ns": _open,
    "nat_tcp_half_ns": _half,
    "nat_tcp_reset_ns": _reset,
    "nat_echo_ns": _echo,
}
