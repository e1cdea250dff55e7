# SPDX-License-Identifier: Apache-2.0
"""NAT: what frames show, and what values mean for a requirement."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.conftest import Trial, run
from msgspec.structs import replace

from gatemark.judge.change.diff import Side, diff
from gatemark.judge.judge import judge, judged
from gatemark.kind.nat import QUANTITIES
from gatemark.kind.nat.ends import PORT_UNREACHABLE, parsed
from gatemark.kind.nat.idle import Look, _alive
from gatemark.kind.nat.plan import KIND, NAT
from gatemark.kind.nat.requirement import NS, REQUIREMENTS, share_met, tally
from gatemark.plan.kind import faults
from gatemark.plan.model import Arm, Workload
from gatemark.store.record import Definition, Record
from gatemark.tell.sentence.answer import answer
from gatemark.tell.sentence.nat import changed
from gatemark.workload import packet
from gatemark.workload.packet import ICMP, SYN, TCP, UDP, Segment

MACS = "02:00:00:00:00:01", "02:00:00:00:00:02"
ONE, OTHER = ("198.18.1.4", 30000), ("198.19.1.253", 4000)
BY_NUMBER = {(each.rfc, each.number): each for each in REQUIREMENTS}
IDLE_S = 240.0


def record(**values: float) -> Record:
    definition = Definition(path="nat", quantity=NAT, duration_s=IDLE_S)
    return replace(Trial().record(), definition=definition, values=values)


def test_the_ends_of_each_protocol_are_read() -> None:
    segment = packet.tcp(MACS, ONE, OTHER, Segment(1, 0, SYN))
    echo = packet.icmp(MACS, (ONE[0], OTHER[0]), (8, 0), 7 << 16, b"")
    for frame, protocol, ends in (
        (packet.udp(MACS, ONE, OTHER, b"data"), UDP, (ONE, OTHER)),
        (segment, TCP, (ONE, OTHER)),
        (echo, ICMP, ((ONE[0], 7), (OTHER[0], 7))),
    ):
        seen = parsed(frame, 5)
        assert seen is not None
        assert (seen.protocol, (seen.source, seen.sink)) == (protocol, ends)


def test_an_error_tells_what_it_is_about() -> None:
    quoted = packet.udp(MACS, ONE, OTHER, b"")[14:]
    seen = parsed(packet.icmp(MACS, (OTHER[0], ONE[0]), PORT_UNREACHABLE, 0, quoted), 5)
    assert seen is not None
    assert seen.about == (ONE, OTHER)


@given(st.binary(max_size=80))
def test_no_frame_is_a_fault(data: bytes) -> None:
    parsed(bytes(12) + b"\x08\x00\x45" + data, 0)


def test_a_later_fragment_has_no_ports() -> None:
    frame = bytearray(packet.udp(MACS, ONE, OTHER, b"data"))
    frame[20:22] = struct.pack("!H", 3)
    assert parsed(bytes(frame), 0) is None


@pytest.mark.parametrize(
    ("alive_s", "met"), [(IDLE_S, True), (120.0, True), (110.0, False), (30.0, False)]
)
def test_a_mapping_lives_two_minutes(alive_s: float, met: bool) -> None:
    assert BY_NUMBER[4787, 5].met({"nat_udp_once_ns": alive_s * NS}, IDLE_S) is met


def test_a_trial_that_is_too_short_does_not_tell() -> None:
    assert BY_NUMBER[4787, 5].met({"nat_udp_once_ns": 35 * NS}, 35.0) is None


def test_what_is_not_asked_counts_nowhere() -> None:
    assert share_met({}, IDLE_S) is None
    assert share_met({"nat_echo": 1.0, "nat_error_in": 0.0}, IDLE_S) == 0.5


def test_open_tcp_that_dies_early_is_not_met_and_one_that_lives_is_not_held_against_it() -> None:
    values = dict.fromkeys(BY_NUMBER[5382, 5].read, IDLE_S * NS)
    assert BY_NUMBER[5382, 5].met(values, IDLE_S)
    assert BY_NUMBER[5382, 5].met(values | {"nat_tcp_open_ns": 30 * NS}, IDLE_S) is False


def test_a_hairpin_from_an_address_inside_is_not_met() -> None:
    values = {"nat_udp_hairpin": 1.0, "nat_hairpin_outside": 0.0}
    assert BY_NUMBER[4787, 9].met(values, IDLE_S) is False


def test_one_trial_that_does_not_meet_it_is_enough() -> None:
    of = tally([record(nat_echo=1.0), record(nat_echo=0.0)])
    assert ([*of.met], [each.name for each in of.missed]) == ([], ["RFC 5508 REQ-1"])


def test_each_requirement_reads_values_that_there_are_or_has_a_reason() -> None:
    for each in REQUIREMENTS:
        assert bool(each.judge) != bool(each.reason), each.name
        assert {*each.read} <= {*QUANTITIES}, each.name


def test_the_sentence_names_what_is_not_met() -> None:
    trial = record(nat_met=0.5, nat_echo=1.0, nat_error_in=0.0)
    text = answer(run([trial]), [trial], judge(run([trial]), [trial]))
    assert "meets 1 of 2 requirements" in text
    assert "ICMP errors from outside are translated" in text


@pytest.mark.parametrize(
    "load",
    [
        Workload(kind="nat", direction="down"),
        Workload(kind="nat", family="ipv6"),
        Workload(kind="nat", duration_s=0.5),
    ],
)
def test_each_key_out_of_its_bounds_has_a_fix(load: Workload) -> None:
    assert all(": " in fault or "write" in fault for fault in faults(load))
    assert [*faults(load)]


def test_it_is_of_the_path_nat_alone() -> None:
    load = Workload(kind="nat")
    assert KIND.misfit(Arm(path="route"), load)
    assert not KIND.misfit(Arm(path="nat"), load)


def test_a_look_that_was_late_is_of_the_age_that_it_had() -> None:
    ages = {1.0: True, 9.0: True, 31.0: False, 40.0: False}
    looks = [
        Look("n", UDP, ONE, OTHER, ONE, 0, opened_ns=0, at_ns=int(age * NS), came=came)
        for age, came in ages.items()
    ]
    assert _alive(looks[::-1]) == (9 * NS, "alive after 9 s, not after 31 s")
    assert _alive(looks[2:]) == (0.0, "alive after 0 s, not after 31 s")


def test_what_did_not_run_out_tells_nothing_of_eviction() -> None:
    kept, told = BY_NUMBER[6888, 11], BY_NUMBER[5508, 8]
    assert kept.met({"nat_crowd_refused": 0.0}, IDLE_S) is None
    full = {
        "nat_once_evicted": 1.0,
        "nat_answered_evicted": 0.0,
        "nat_stream_evicted": 0.0,
        "nat_crowd_told": 0.0,
    }
    assert (kept.met(full, IDLE_S), told.met(full, IDLE_S)) == (False, False)


def test_an_error_about_an_echo_names_its_identifier() -> None:
    inner = packet.icmp(MACS, (ONE[0], OTHER[0]), (8, 0), 7 << 16 | 1, b"")[14:]
    seen = parsed(packet.icmp(MACS, (OTHER[0], ONE[0]), PORT_UNREACHABLE, 0, inner), 0)
    assert seen is not None
    assert seen.about == ((ONE[0], 7), (OTHER[0], 7))


def side(**values: float) -> Side:
    trial = record(nat_met=1.0, **values)
    made = judged(run([trial]), [trial])
    return Side(run([trial]), made.judgement, made.rows)


def test_a_later_run_says_which_requirement_is_no_longer_met() -> None:
    old, new = (side(nat_udp_hairpin=met, nat_hairpin_outside=met) for met in (1, 0))
    (text,) = changed(diff(old, new).rows)
    assert text == "nat no longer meets RFC 4787 REQ-9 (hairpinning, from an address outside (UDP))"
