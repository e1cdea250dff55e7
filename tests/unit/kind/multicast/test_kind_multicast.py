# SPDX-License-Identifier: Apache-2.0
"""A group: its times and shares from planted arrivals, its packets among others."""

import socket
import struct

import pytest
from judge.conftest import Trial, run
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.judge.judgement import Judgement
from gatemark.kind.multicast.load import NUMBER, Seen, number_of
from gatemark.kind.multicast.membership import (
    IGMP_LEAVE,
    IGMP_REPORT,
    PORT,
    group,
    is_query,
    neighbour,
    wanted,
)
from gatemark.kind.multicast.plan import KIND, MULTICAST
from gatemark.kind.multicast.result import times
from gatemark.plan.kind import faults
from gatemark.plan.model import Workload
from gatemark.store.record import Definition
from gatemark.tell.answer import listed
from gatemark.tell.fact import say

MS = 1_000_000
GROUP = group("ipv4", 0)
IGMP = bytes(12) + b"\x08\x00\x46" + bytes(8) + b"\x02" + bytes(14)  # 24 bytes of IPv4


def seen(arrives: range, flooded: int = 0) -> Seen:
    """A packet a millisecond for 5 s, joined after 1 s and left after 2 s; each takes 1 ms."""
    sent = [at * MS for at in range(5000)]
    came = {number: sent[number] + MS for number in (*range(flooded), *arrives)}
    return Seen(1, sent, came, joined_ns=1000 * MS, left_ns=2000 * MS)


def frame(group: str = GROUP, port: int = PORT) -> bytes:
    ipv4 = bytes(9) + b"\x11" + bytes(6) + socket.inet_aton(group)
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
    assert (values["flooded_share"], values["forwarded_share"]) == (0.999, 1.0)
    assert not {"join_ns", "leave_ns"} & {*values}


def test_a_group_that_never_stops_has_not_been_left() -> None:
    assert "leave_ns" not in times(seen(range(1010, 5000)))


def test_what_never_comes_is_not_forwarded() -> None:
    values = times(seen(range(0)))
    assert values.pop("group_never") == 1.0
    assert {*values.values()} == {0.0}


def test_each_of_several_groups_is_followed_by_itself() -> None:
    """The second of two groups stops half a second after it was joined."""
    both = [at for at in range(1010, 2300) if at % 2 == 0 or at < 1400]
    made = replaced(seen(range(0)), both)
    values = times(made)
    assert values["group_stopped"] == 0.5
    assert values["group_lasted_ns"] == 400 * MS
    assert "leave_ns" not in values


def replaced(made: Seen, numbers: list[int]) -> Seen:
    """Two groups, of which these packets came."""
    made.groups = 2
    made.arrived_ns = {number: made.sent_ns[number] + MS for number in numbers}
    return made


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"query_every_ns": 2e9, "query_silent_ns": 9e9}, "group.querier"),
        ({"query_every_ns": 2e9, "query_silent_ns": 1e9}, "group.forgotten"),
        ({}, "group.unasked"),
    ],
)
def test_a_group_that_stops_is_named_with_its_cause(values: dict[str, float], code: str) -> None:
    stopped = {"group_stopped": 1.0, "group_lasted_ns": 5e9, "forwarded_share": 0.4}
    (diagnosis,) = judged(**stopped, **values).diagnoses
    (finding,) = diagnosis.wrong
    assert finding.fact.code == code
    assert "100 % of the groups stop 5 s after" in say.words(finding.fact)


def test_a_group_that_never_comes_is_named() -> None:
    (diagnosis,) = judged(group_never=1.0, forwarded_share=0.0).diagnoses
    assert diagnosis.wrong[0].fact.code == "group.never"


def test_what_the_neighbour_says_is_read_as_it_is_meant() -> None:
    """A report and a leave of IGMPv2, by this module's own reader of what a router is asked."""
    assert wanted(neighbour(IGMP_REPORT, GROUP, "198.18.1.9")) == {GROUP: True}
    assert wanted(neighbour(IGMP_LEAVE, GROUP, "198.18.1.9")) == {GROUP: False}


def test_a_report_of_version_3_says_who_joins_and_who_leaves() -> None:
    """RFC 3376, section 4.2: two records, to exclude nothing and to include nothing."""
    records = b"".join(
        struct.pack("!BBH", kind, 0, 0) + socket.inet_aton(group("ipv4", at))
        for at, kind in enumerate((4, 3))
    )
    report = IGMP + bytes([0x22]) + bytes(5) + struct.pack("!H", 2) + records
    assert wanted(report) == {group("ipv4", 0): True, group("ipv4", 1): False}
    assert wanted(report[:-2]) == {}


@pytest.mark.parametrize(("kind", "asks"), [(0x11, True), (0x16, False)])
def test_a_question_for_members_is_known(kind: int, asks: bool) -> None:
    assert is_query(IGMP + bytes([kind]) + bytes(7), "ipv4") is asks
    assert not is_query(IGMP + bytes([kind]) + bytes(7), "ipv6")
    assert not is_query(IGMP + bytes([kind, 0, 0, 0]) + socket.inet_aton(GROUP), "ipv4")


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


@pytest.mark.parametrize("keys", [{"rate_pps": 1e6}, {"groups": 0}, {"direction": "both"}])
def test_what_cannot_be_sent_is_refused(keys: dict[str, object]) -> None:
    assert [*faults(Workload(kind="multicast", **keys))]  # type: ignore[arg-type]


def test_a_neighbour_speaks_igmp_alone() -> None:
    load = Workload(kind="multicast", direction="down", family="ipv6", neighbour=True)
    assert ["`neighbour`" in fault for fault in faults(load)] == [True]
