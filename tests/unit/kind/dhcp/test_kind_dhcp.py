# SPDX-License-Identifier: Apache-2.0
"""Addresses: messages as bytes, what hosts come to, and what is wrong with a server."""

import struct
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.conftest import Trial, run
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.kind.dhcp import message
from gatemark.kind.dhcp.load import Host, Played
from gatemark.kind.dhcp.message import ACK, FIXED, NAK, OFFER, Answer, parsed
from gatemark.kind.dhcp.plan import DHCP
from gatemark.kind.dhcp.result import named, values
from gatemark.plan.kind import faults
from gatemark.plan.model import Workload
from gatemark.store.record import Definition, Evidence, Record
from gatemark.tell.fact import say
from gatemark.tell.sentence.answer import answer
from gatemark.workload import packet

MS = 1_000_000
MAC = bytes.fromhex("026700000001")
SERVER = bytes.fromhex("0267000000ff")


def reply(kind: int, lease_s: int = 3600, options: bytes | None = None) -> bytes:
    addresses = (bytes(4), IPv4Address("100.64.0.21").packed, bytes(4), bytes(4))
    fixed = FIXED.pack(2, 1, 6, 0, 7, 0, 0, *addresses, MAC.ljust(16, b"\0"))
    own = bytes((53, 1, kind, 54, 4)) + IPv4Address("100.64.0.1").packed
    own += bytes((51, 4)) + struct.pack("!I", lease_s)
    data = fixed + message.COOKIE + (own if options is None else options) + b"\xff"
    macs = (SERVER.hex(":"), MAC.hex(":"))
    return packet.udp(macs, ("100.64.0.1", 67), ("100.64.0.21", 68), data)


def host(number: int, renewed: int | None = 3600, lease: bool = True, address: int = 0) -> Host:
    own = str(IPv4Address("100.64.0.20") + (address or number))
    made = Host(number, MAC, number, first_ns=MS, offer_ns=2 * MS)
    if lease:
        made.lease = Answer(5 * MS, ACK, number, MAC, own, "100.64.0.1", 3600, SERVER)
        made.asked_ns = 10 * MS
        if renewed is not None:
            made.renewed = made.lease._replace(at_ns=11 * MS, lease_s=renewed)
    return made


def record(*hosts: Host) -> Record:
    played = Played([*hosts], sent=4, leasing_ns=1_000 * MS)
    definition = Definition(path="nat", quantity=DHCP, features=("dhcp:dnsmasq",))
    return replace(
        Trial().record(),
        arm="dnsmasq",
        definition=definition,
        values=dict(values(played)),
        evidence=Evidence(service=named(hosts)),
    )


def told(trial: Record) -> dict[str, str]:
    judged = judge(run([trial]), [trial])
    return {f.shape: say.words(f.fact) for each in judged.diagnoses for f in each.findings}


def test_an_offer_is_read() -> None:
    seen = parsed(reply(OFFER), 5)
    assert seen is not None
    assert (seen.kind, seen.xid, seen.mac, seen.address) == (OFFER, 7, MAC, "100.64.0.21")
    assert (seen.server, seen.lease_s, seen.from_mac) == ("100.64.0.1", 3600, SERVER)


@pytest.mark.parametrize("options", [b"", b"\x35", b"\x35\x05\x02", b"\x35\x01\x01", b"\x00" * 9])
def test_a_broken_message_is_no_answer(options: bytes) -> None:
    assert parsed(reply(OFFER, options=options), 0) is None


@given(st.binary(max_size=600))
def test_any_bytes_are_read(data: bytes) -> None:
    parsed(data, 0)
    parsed(reply(NAK)[:280] + data, 0)
    parsed(reply(ACK)[: 14 + 20 + 8 + FIXED.size + 4] + data, 0)


@given(st.integers(0, 400), st.integers(0, 255))
def test_a_spoilt_answer_is_read(at: int, byte: int) -> None:
    frame = bytearray(reply(ACK))
    frame[at % len(frame)] = byte
    parsed(bytes(frame), 0)


def test_a_host_asks_all_and_renews_by_its_server() -> None:
    offer = parsed(reply(OFFER), 0)
    assert offer is not None
    first, renewal = message.discover(MAC, 7), message.renew(MAC, 7, offer)
    assert first[:6] == b"\xff" * 6
    assert (renewal[:6], renewal[6:12]) == (SERVER, MAC)
    assert packet.sender(renewal) == ("100.64.0.21", 68)
    assert len(packet.carried(first, packet.UDP)) >= 308
    back = packet.carried(message.release(MAC, 7, offer), packet.UDP)
    assert bytes((53, 1, 7, 54, 4)) in back


def test_shares_and_times_are_of_all_hosts() -> None:
    seen = record(host(1), host(2, renewed=None), host(3, lease=False)).values
    assert seen["dhcp_leased"] == pytest.approx(2 / 3)
    assert (seen["dhcp_renewed"], seen["dhcp_leases_per_s"]) == (0.5, 2)
    assert (seen["dhcp_lease_p50_ns"], seen["dhcp_renew_p50_ns"]) == (4 * MS, MS)
    assert seen["dhcp_granted"] == pytest.approx(3 / 5)


def test_a_lease_that_is_not_renewed_is_named_with_its_host() -> None:
    words = told(record(host(1), host(2, renewed=None)))["not-renewed"]
    assert words.startswith("1 of 2 leases were not renewed: no answer to 3 requests")
    assert "100.64.0.22 of 02:67:00:00:00:01" in words
    assert "shorter time" in told(record(host(1, renewed=60)))["not-renewed"]


def test_hosts_without_an_address_and_addresses_of_two_hosts_are_named() -> None:
    assert told(record(host(1), host(2, lease=False)))["not-leased"].startswith("1 of 2 hosts")
    assert "100.64.0.25" in told(record(host(1, address=5), host(2, address=5)))["shared-lease"]


def test_a_sound_server_has_no_fault() -> None:
    trial = record(host(1), host(2))
    assert told(trial) == {}
    text = answer(run([trial]), [trial], judge(run([trial]), [trial]))
    assert "leases 2" in text
    assert "renews all" in text


def test_renewals_that_nobody_asked_for_are_not_said() -> None:
    asked_none = host(1)
    asked_none.asked_ns = 0
    trial = record(asked_none)
    text = answer(run([trial]), [trial], judge(run([trial]), [trial]))
    assert "leases 1" in text
    assert "renews" not in text


@pytest.mark.parametrize(
    ("given_", "fault"),
    [
        ({"rate_pps": -1.0}, "`rate_pps`"),
        ({"clients": 0}, "`clients`"),
        ({"duration_s": 1.0}, "`duration_s`"),
        ({"rate_pps": 2000.0, "duration_s": 60.0}, "`duration_s`"),
        ({"direction": "down"}, "`direction`"),
        ({"family": "ipv6"}, "`family`"),
        ({"driver": "iperf3"}, "`driver`"),
    ],
)
def test_what_cannot_be_asked_is_refused(given_: dict[str, object], fault: str) -> None:
    load = replace(Workload(kind="dhcp", duration_s=2.0), **given_)
    assert next(faults(load)).startswith(fault)
