# SPDX-License-Identifier: Apache-2.0
"""Router advertisements: read from any bytes, what a host has of them, and what is wrong."""

import struct
from ipaddress import IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.conftest import Trial, run
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.kind.adverts.load import MAC, Watched
from gatemark.kind.adverts.message import Advert, parsed, solicitation
from gatemark.kind.adverts.plan import ADVERTS
from gatemark.kind.adverts.result import values
from gatemark.plan.kind import faults
from gatemark.plan.model import Workload
from gatemark.store.record import Definition
from gatemark.tell.fact import say

NS = 1_000_000_000


def frame(router_s: int = 12, hops: int = 255, options: bytes | None = None) -> bytes:
    own = IPv6Address("2001:2:0:1::").packed
    prefix = struct.pack("!BBBBII4x", 3, 4, 64, 0xC0, 86400, 14400) + own
    message = struct.pack("!BBHBBHII", 134, 0, 0, 64, 0, router_s, 0, 0)
    message += prefix if options is None else options
    header = struct.pack("!IHBB", 6 << 28, len(message), 58, hops) + bytes(32)
    return bytes(12) + b"\x86\xdd" + header + message


def watched(*at_s: float, router_s: int = 12, preferred_s: int = 14400) -> Watched:
    prefixes = (("2001:2:0:1::/64", 86400, preferred_s),)
    adverts = [Advert(round(at * NS), router_s, prefixes) for at in at_s]
    return Watched(asked_ns=0, end_ns=20 * NS, adverts=adverts)


def told(of: Watched) -> dict[str, str]:
    definition = Definition(path="route", quantity=ADVERTS, features=("ra:radvd",))
    trial = replace(Trial().record(), definition=definition, values=dict(values(of)))
    judged = judge(run([trial]), [trial])
    return {f.shape: say.words(f.fact) for each in judged.diagnoses for f in each.findings}


def test_an_advert_is_read() -> None:
    assert parsed(frame(), 5) == Advert(5, 12, (("2001:2:0:1::/64", 86400, 14400),))
    assert parsed(frame(options=b""), 5) == Advert(5, 12, ())


def test_what_came_through_a_router_is_no_advert() -> None:
    assert parsed(frame(hops=64), 0) is None
    assert parsed(solicitation(MAC), 0) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    parsed(data, 0)
    parsed(frame(options=data), 0)
    parsed(frame()[:70] + data, 0)


def test_times_are_from_one_advert_to_the_next() -> None:
    seen = dict(values(watched(1, 5, 9, 14)))
    assert (seen["ra_asked_ns"], seen["ra_every_ns"]) == (NS, 4 * NS)
    assert (seen["ra_longest_ns"], seen["ra_kept"]) == (6 * NS, 1)


def test_a_router_that_ends_before_its_next_advert_is_named() -> None:
    assert dict(values(watched(0, 10, router_s=5)))["ra_kept"] == pytest.approx(0.5)
    assert "For 50 % of the time" in told(watched(0, 10, router_s=5))["adverts-end"]
    assert "adverts-end" in told(watched(0, 10, preferred_s=0))
    assert "adverts-late" in told(watched(5, 9, 13))
    assert told(watched(1, 5, 9, 14)) == {}


@pytest.mark.parametrize(
    ("given_", "fault"),
    [
        ({"duration_s": 1.0}, "`duration_s`"),
        ({"direction": "down"}, "`direction`"),
        ({"driver": "iperf3"}, "`driver`"),
    ],
)
def test_what_cannot_be_watched_is_refused(given_: dict[str, object], fault: str) -> None:
    load = replace(Workload(kind="adverts", duration_s=5.0), **given_)
    assert next(faults(load)).startswith(fault)
