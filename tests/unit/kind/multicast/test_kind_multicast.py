# SPDX-License-Identifier: Apache-2.0
"""A group: its times and shares from planted arrivals, its packets among others."""

import socket
import struct

import pytest
from judge.conftest import Trial, run
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.judge.judgement import Judgement
from gatemark.kind.multicast.load import GROUP, NUMBER, PORT, Seen, number_of
from gatemark.kind.multicast.plan import KIND, MULTICAST
from gatemark.kind.multicast.result import times
from gatemark.plan.kind import faults
from gatemark.plan.model import Workload
from gatemark.store.record import Definition
from gatemark.tell.answer import listed

MS = 1_000_000


def seen(arrives: range, flooded: int = 0) -> Seen:
    """A packet a millisecond for 5 s, joined after 1 s and left after 2 s; each takes 1 ms."""
    sent = [at * MS for at in range(5000)]
    came = {number: sent[number] + MS for number in (*range(flooded), *arrives)}
    return Seen(sent, came, joined_ns=1000 * MS, left_ns=2000 * MS)


def frame(group: str = GROUP, port: int = PORT) -> bytes:
    ipv4 = bytes(16) + socket.inet_aton(group)
    return bytes(12) + b"\x08\x00" + ipv4 + struct.pack("!4H", 7, port, 16, 0) + NUMBER.pack(42)


def judged(**values: float) -> Judgement:
    """A run of one trial with such values."""
    definition = Definition(path="switch", quantity=MULTICAST, l4="udp")
    trial = replace(Trial().record(), definition=definition, values=values)
    return judge(run([trial]), [trial])


def test_times_run_from_joining_and_leaving() -> None:
    values = times(seen(range(1010, 2300)))
    assert values["join_ns"] == 11 * MS
    assert values["leave_ns"] == 300 * MS
    assert values["forwarded_share"] == pytest.approx(1.0)


def test_a_group_that_is_flooded_has_no_times() -> None:
    values = times(seen(range(1000, 5000), flooded=1000))
    assert values == {"flooded_share": 1.0, "forwarded_share": 1.0}


def test_a_group_that_never_stops_has_not_been_left() -> None:
    assert "leave_ns" not in times(seen(range(1010, 5000)))


def test_what_never_comes_is_not_forwarded() -> None:
    assert times(seen(range(0))) == {"flooded_share": 0.0, "forwarded_share": 0.0}


@pytest.mark.parametrize(
    ("packet", "number"),
    [(frame(), 42), (frame("239.1.1.1"), None), (frame(port=1), None), (frame()[:40], None)],
)
def test_packets_of_others_have_no_number(packet: bytes, number: int | None) -> None:
    assert number_of(packet) == number


@pytest.mark.parametrize(("share", "limit"), [(1.0, "none"), (0.5, "unknown")])
def test_a_group_that_came_whole_was_not_held_back(share: float, limit: str) -> None:
    (point,) = judged(forwarded_share=share).points
    assert (point.limit, point.why) == (limit, f"members got {100 * share:g} % of the group")


def test_its_table_has_the_values_that_are_there() -> None:
    assert KIND.listed
    table = listed.table(KIND.listed, [*judged(forwarded_share=0.5, join_ns=5e6).points])
    assert table.head[2:] == ("to members, %", "join, ms")
    assert table.rows[0][2:] == ("50.0", "5.00")


@pytest.mark.parametrize("keys", [{"rate_pps": 1e6}, {"family": "ipv6"}, {"direction": "both"}])
def test_what_cannot_be_sent_is_refused(keys: dict[str, object]) -> None:
    assert [*faults(Workload(kind="multicast", **keys))]  # type: ignore[arg-type]
