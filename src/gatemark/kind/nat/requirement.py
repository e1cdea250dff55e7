# SPDX-License-Identifier: Apache-2.0
"""The requirements of RFC 4787, 5382, 5508 and 6888, and what of a trial tells each.

Many are not asked: of those the reason stands in place of a judgement.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.judge.judgement import PointResult
from gatemark.kind.nat.plan import LOOKS, NAT
from gatemark.store.record import Record

Values = Mapping[str, float]
# Met or not, by a trial's values and how long it left mappings idle, s; None: it does not tell.
Judge = Callable[[Values, float], bool | None]

NS: Final = 1e9
ONE_ADDRESS = "the gateway has one address outside"
NO_HELPER = "no helper for a protocol is loaded"
SIZES = "sizes and fragments are another plan's"
SETTING = "of its configuration, not of its packets"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement, with what judges it or why it is not asked."""

    rfc: int
    number: int
    words: str  # what is required
    is_must: bool = True
    read: tuple[str, ...] = ()  # values that show it
    judge: Judge | None = None
    reason: str = ""  # why it is not asked

    @property
    def name(self) -> str:
        """Return it as people cite it: `RFC 4787 REQ-1`."""
        return f"RFC {self.rfc} REQ-{self.number}"

    def met(self, values: Values, idle_s: float) -> bool | None:
        """Return whether a trial met it; None: not asked, or too short to tell."""
        if self.judge is None or any(name not in values for name in self.read):
            return None
        return self.judge(values, idle_s)


def _each(*names: str) -> Judge:
    return lambda values, _: all(values[name] == 1 for name in names)


def _none(*names: str) -> Judge:
    return lambda values, _: not any(values[name] for name in names)


def _lives(least_s: float, *names: str) -> Judge:
    """Met if all are alive for so long; not known if none died and the trial is shorter."""

    def judge(values: Values, idle_s: float) -> bool | None:
        alive_s = min(values[name] for name in names) / NS
        if alive_s >= least_s:
            return True
        return False if has_died(alive_s, idle_s) else None

    return judge


def _tcp_lives(values: Values, idle_s: float) -> bool | None:
    """Not met if an open one dies early, too; if it does not, a trial is no two hours."""
    if _lives(7440.0, "nat_tcp_open_ns")(values, idle_s) is False:
        return False
    return _lives(240.0, "nat_tcp_opening_ns", "nat_tcp_half_ns")(values, idle_s)


def has_died(alive_s: float, idle_s: float) -> bool:
    """Return whether a mapping that was last seen alive then was dead at a later look."""
    return alive_s < idle_s - idle_s / (2 * LOOKS)


def _steady(values: Values, _: float) -> bool:
    """Met if a mapping is reused in the same way where another client has the port."""
    return values["nat_udp_reused_rival"] == values["nat_udp_reused_host"]


def _asked(
    rfc: int, number: int, words: str, judge: Judge, *read: str, must: bool = True
) -> Requirement:
    return Requirement(rfc, number, words, must, read, judge)


def _unasked(rfc: int, number: int, words: str, reason: str, *, must: bool = True) -> Requirement:
    return Requirement(rfc, number, words, must, reason=reason)


def _all(rfc: int, number: int, words: str, *read: str, must: bool = True) -> Requirement:
    return _asked(rfc, number, words, _each(*read), *read, must=must)


def _idle(rfc: int, number: int, words: str, least_s: float, *read: str) -> Requirement:
    return _asked(rfc, number, words, _lives(least_s, *read), *read)


EVICTED: Final = ("nat_once_evicted", "nat_answered_evicted", "nat_stream_evicted")
REUSED: Final = ("nat_udp_reused_port", "nat_udp_reused_host", "nat_udp_reused_rival")
REQUIREMENTS: Final = (
    _all(4787, 1, "one mapping for all destinations (UDP)", *REUSED),
    _unasked(4787, 2, "a client keeps its outside address", ONE_ADDRESS, must=False),
    _asked(
        4787,
        3,
        "no port of two clients at once (UDP)",
        _none("nat_port_shared"),
        "nat_port_shared",
    ),
    _all(4787, 4, "even ports stay even, odd ones odd", "nat_parity_kept", must=False),
    _idle(4787, 5, "a mapping lives two minutes (UDP)", 120.0, "nat_udp_once_ns"),
    _all(4787, 6, "packets from inside keep it alive", "nat_refreshed"),
    _unasked(4787, 7, "inside and outside networks do not collide", SETTING),
    _all(
        4787,
        8,
        "who was asked may answer from any port (UDP)",
        "nat_udp_from_port",
        must=False,
    ),
    _all(
        4787,
        9,
        "hairpinning, from an address outside (UDP)",
        "nat_udp_hairpin",
        "nat_hairpin_outside",
    ),
    _unasked(4787, 10, "helpers for UDP's protocols are off", NO_HELPER, must=False),
    _asked(
        4787,
        11,
        "it does not change its ways",
        _steady,
        "nat_udp_reused_host",
        "nat_udp_reused_rival",
    ),
    _all(4787, 12, "an ICMP error ends no mapping (UDP)", "nat_error_survived"),
    _unasked(4787, 13, "what is too long is told", SIZES),
    _unasked(4787, 14, "fragments in any order", SIZES),
    _all(
        5382,
        1,
        "one mapping for all destinations (TCP)",
        "nat_tcp_reused_port",
        "nat_tcp_reused_host",
        "nat_tcp_reused_rival",
    ),
    _all(5382, 2, "opening segments that cross", "nat_tcp_crossed"),
    _all(
        5382,
        3,
        "who was asked may answer from any port (TCP)",
        "nat_tcp_from_port",
        must=False,
    ),
    _all(5382, 4, "no answer for 6 s to an unasked segment", "nat_tcp_silent"),
    _asked(
        5382,
        5,
        "half-open and half-closed ones live four minutes, open ones two hours",
        _tcp_lives,
        "nat_tcp_opening_ns",
        "nat_tcp_half_ns",
        "nat_tcp_open_ns",
    ),
    _unasked(5382, 6, "helpers for TCP's protocols are off", NO_HELPER, must=False),
    _asked(
        5382, 7, "no port of two clients at once (TCP)", _none("nat_tcp_shared"), "nat_tcp_shared"
    ),
    _all(
        5382,
        8,
        "hairpinning, from an address outside (TCP)",
        "nat_tcp_hairpin",
        "nat_tcp_hairpin_outside",
    ),
    _all(5382, 9, "ICMP errors about TCP come in", "nat_tcp_error_in", must=False),
    _all(5382, 10, "an ICMP error ends no mapping (TCP)", "nat_tcp_error_survived"),
    _all(5508, 1, "echo requests and their answers", "nat_echo"),
    _idle(5508, 2, "an echo's mapping lives a minute", 60.0, "nat_echo_ns"),
    _asked(
        5508,
        3,
        "an error with a wrong checksum is dropped",
        _none("nat_error_wrong"),
        "nat_error_wrong",
        must=False,
    ),
    _all(5508, 4, "ICMP errors from outside are translated", "nat_error_in"),
    _all(5508, 5, "ICMP errors from inside are translated", "nat_error_out"),
    _asked(
        5508,
        6,
        "an error neither ends nor refreshes an echo's mapping",
        lambda values, _: values["nat_echo_survived"] == 1 and not values["nat_echo_refreshed"],
        "nat_echo_survived",
        "nat_echo_refreshed",
    ),
    _all(5508, 7, "hairpinned ICMP errors, where it hairpins", "nat_hairpin_error"),
    _all(5508, 8, "who gets no mapping is told", "nat_crowd_told", must=False),
    _unasked(5508, 9, "errors that it makes itself come from the right address", ONE_ADDRESS),
    _all(
        5508,
        10,
        "unreachable, time exceeded and echoes pass",
        "nat_error_in",
        "nat_error_time",
        "nat_echo",
    ),
    _unasked(6888, 1, "RFC 4787, 5382 and 5508 are met", "each has its own lines"),
    _unasked(6888, 2, "a client keeps its outside address", ONE_ADDRESS),
    _unasked(6888, 3, "any addresses outside can be given", SETTING, must=False),
    _unasked(6888, 4, "ports of a client can be bounded", SETTING),
    _unasked(6888, 5, "state of a client can be bounded", SETTING, must=False),
    _unasked(6888, 6, "translation can be turned off by destination", SETTING),
    _all(6888, 7, "anybody may answer (UDP)", "nat_udp_from_host", must=False),
    _all(6888, 8, "a port rests for two minutes", "nat_port_rested", must=False),
    _unasked(6888, 9, "clients may ask for mappings (PCP)", SETTING),
    _unasked(6888, 10, "it can be managed", SETTING, must=False),
    _asked(
        6888,
        11,
        "no mapping ends to make room for another",
        _none(*EVICTED),
        *EVICTED,
    ),
    _unasked(6888, 12, "destinations are not logged", SETTING, must=False),
    _unasked(6888, 13, "ports are well used", SETTING, must=False),
    _unasked(6888, 14, "little is logged", SETTING, must=False),
    _asked(
        6888,
        15,
        "ports are hard to guess: none is the client's own",
        lambda values, _: values["nat_port_kept"] == 0,
        "nat_port_kept",
        must=False,
    ),
)


@dataclass(frozen=True, slots=True)
class Tally:
    """The requirements that a setup's trials tell of."""

    met: Sequence[Requirement]  # in all trials that tell
    missed: Sequence[Requirement]

    @property
    def words(self) -> str:
        """Return how many are met: `14 of 23`."""
        return f"{len(self.met)} of {len(self.met) + len(self.missed)}"


def tally(records: Sequence[Record]) -> Tally:
    """Return what a setup's records tell."""
    every = {
        each: {each.met(record.values, record.definition.duration_s) for record in records}
        for each in REQUIREMENTS
    }
    return Tally(
        [each for each, judged in every.items() if judged - {None} == {True}],
        [each for each, judged in every.items() if False in judged],
    )


def tallies(points: Iterable[PointResult], records: Iterable[Record]) -> dict[str, Tally]:
    """Return what each setup's sound trials tell, by arm, in the order of the plan."""
    arms: dict[str, list[Record]] = {p.arm: [] for p in points if p.definition.quantity == NAT}
    for record in records:
        if record.arm in arms and record.status == "ok":
            arms[record.arm].append(record)
    return {arm: tally(trials) for arm, trials in arms.items() if trials}


def share_met(values: Values, idle_s: float) -> float | None:
    """The share of those that were asked that a trial met; None: none was asked."""
    every = [each.met(values, idle_s) for each in REQUIREMENTS]
    judged = [met for met in every if met is not None]
    return sum(judged) / len(judged) if judged else None
