# SPDX-License-Identifier: Apache-2.0
"""Prefix delegation: read from any bytes, which renewals came through, and what is wrong."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.conftest import Trial, run
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.kind.delegation import message
from gatemark.kind.delegation.load import Served
from gatemark.kind.delegation.message import (
    IA_NA,
    IA_PD,
    PREFIX,
    REBIND,
    RENEW,
    REQUEST,
    SOLICIT,
    Asked,
    answer,
    echo,
    echoed,
    parsed,
)
from gatemark.kind.delegation.plan import DELEGATION
from gatemark.kind.delegation.result import named, values
from gatemark.plan.kind import faults
from gatemark.plan.model import Workload
from gatemark.store.record import Definition
from gatemark.tell.fact import say
from gatemark.workload import packet

NS = 1_000_000_000
MACS = "02:00:00:00:00:01", "02:00:00:00:00:02"
ONCE = ((SOLICIT, 0, 1), (REQUEST, 1, 2))  # kind, at s, number of the exchange


def frame(kind: int = RENEW, options: bytes = b"") -> bytes:
    ends = ("fe80::2", message.CLIENT_PORT), ("ff02::1:2", message.SERVER_PORT)
    return packet.udp(MACS, *ends, bytes((kind,)) + b"abc" + options)


def option(code: int, data: bytes) -> bytes:
    return struct.pack("!HH", code, len(data)) + data


def served(*asked: tuple[int, float, int], end_s: float = 20, deaf: range = range(0)) -> Served:
    messages = [
        Asked(round(at * NS), kind, number.to_bytes(3, "big"), b"", "", ())
        for kind, at, number in (*ONCE, *asked)
    ]
    pings = [n * NS // 10 for n in range(200)]
    answered = {n: at + 1000 for n, at in enumerate(pings) if n >= 20 and n not in deaf}
    return Served(messages, pings, answered, round(end_s * NS))


def told(of: Served) -> dict[str, str]:
    definition = Definition(path="route", quantity=DELEGATION, features=("pd:dhcpcd",))
    evidence = replace(Trial().record().evidence, service=named(of))
    trial = replace(
        Trial().record(), definition=definition, values=dict(values(of)), evidence=evidence
    )
    judged = judge(run([trial]), [trial])
    return {f.shape: say.words(f.fact) for each in judged.diagnoses for f in each.findings}


def test_a_question_is_read_and_a_prefix_is_the_answer() -> None:
    asked = parsed(frame(options=option(IA_PD, b"name" + bytes(8)) + option(IA_NA, bytes(12))), 5)
    assert asked is not None
    assert (asked.kind, asked.xid, asked.source) == (RENEW, b"abc", "fe80::2")
    given_ = answer(asked, MACS[0])
    assert PREFIX.network_address.packed in given_
    assert b"name" + struct.pack("!II", 3, 5) in given_
    assert parsed(given_, 0) is None


def test_an_answer_of_the_prefix_is_known_by_its_number() -> None:
    question = echo(MACS, "2001:2:0:2::2", 7)
    assert echoed(question) is None
    reply = packet.icmp6(MACS, (message.INSIDE, "2001:2:0:2::2"), 129, b"\x67\x6d\x00\x07")
    assert echoed(reply) == 7


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    echoed(data)
    for each in (data, frame(options=data), frame()[:60] + data):
        if asked := parsed(each, 0):
            answer(asked, MACS[0])


def test_a_prefix_that_is_renewed_and_answers_is_clean() -> None:
    clean = served(*((RENEW, at, at) for at in (4, 7, 10, 13, 16, 19)))
    seen = dict(values(clean))
    assert (seen["pd_held"], seen["pd_renewed"], seen["pd_gap_ns"]) == (1, 1, 0)
    assert (seen["pd_up_ns"], seen["pd_renew_ns"]) == (2 * NS + 1000, 3 * NS)
    assert told(clean) == {}


@pytest.mark.parametrize(
    ("asked", "how"),
    [
        (((RENEW, 4, 3), (REBIND, 6, 4), (RENEW, 9, 5)), "as if no answer"),
        (((RENEW, 4, 3), (RENEW, 5, 3), (RENEW, 8, 4)), "as if no answer"),
        (((REBIND, 6.2, 3), (RENEW, 9, 4)), "did not ask in time"),
    ],
)
def test_a_renewal_that_is_lost_is_named(asked: tuple[tuple[int, float, int]], how: str) -> None:
    words = told(served(*asked, end_s=10))
    assert words.keys() == {"prefix-not-renewed"}
    assert words["prefix-not-renewed"].startswith("1 of ")
    assert how in words["prefix-not-renewed"]


def test_a_client_that_asks_no_more_and_its_prefix_are_named() -> None:
    words = told(served(deaf=range(100, 200)))
    assert words.keys() == {"prefix-gone", "prefix-not-renewed"}
    assert "did not ask in time" in words["prefix-not-renewed"]
    assert "did not answer, for 10" in words["prefix-gone"]


def test_a_prefix_that_never_answers_is_named() -> None:
    never = served((RENEW, 4, 4))
    never.answered.clear()
    assert dict(values(never))["pd_held"] == 0
    assert "prefix-gone" in told(never)


@pytest.mark.parametrize(
    ("given_", "fault"),
    [
        ({"duration_s": 1.0}, "`duration_s`"),
        ({"direction": "down"}, "`direction`"),
        ({"driver": "iperf3"}, "`driver`"),
    ],
)
def test_what_cannot_be_served_is_refused(given_: dict[str, object], fault: str) -> None:
    load = replace(Workload(kind="delegation", duration_s=20.0), **given_)
    assert next(faults(load)).startswith(fault)
