# SPDX-License-Identifier: Apache-2.0
"""The claims of the study of boards: planted ones hold, their opposites do not."""

from collections.abc import Iterator

import builder
import pytest

from gatemark.stats.change.claim import IPV6_FASTER, UDP_LESS, claims
from gatemark.store.record import Definition, Record, Scalar

RATES = {("tcp", "ipv4"): 300e6, ("udp", "ipv4"): 250e6}


def trials(rates: dict[tuple[str, str], float], length: int = 1500) -> Iterator[Record]:
    for (l4, family), bps in rates.items():
        tcp = l4 == "tcp"
        definition = Definition(
            path="route",
            l4=l4,
            family=family,
            write_bytes=length if tcp else None,
            frame_bytes=None if tcp else length,
        )
        for repeat in range(1, 7):
            values = {"goodput_bps" if tcp else "received_l4_bps": bps * (1 + repeat / 1000)}
            point: dict[str, Scalar] = {"kind": l4, "family": family, "length": length}
            yield builder.record("p/q", "route", point, definition, repeat, values)


def told(rates: dict[tuple[str, str], float]) -> dict[tuple[str, str], str]:
    return {(c.claim, c.between): c.holds for c in claims(trials(rates))}


@pytest.mark.parametrize(
    ("udp", "holds"), [(250e6, "holds"), (350e6, "does not hold"), (300.3e6, "cannot be told")]
)
def test_udp_against_tcp(udp: float, holds: str) -> None:
    assert told(RATES | {("udp", "ipv4"): udp}) == {(UDP_LESS, "ipv4"): holds}


def test_ipv6_against_ipv4_by_protocol() -> None:
    rates = RATES | {("tcp", "ipv6"): 330e6, ("udp", "ipv6"): 240e6}
    assert told(rates) == {
        (UDP_LESS, "ipv4"): "holds",
        (UDP_LESS, "ipv6"): "holds",
        (IPV6_FASTER, "tcp"): "holds",
        (IPV6_FASTER, "udp"): "does not hold",
    }


def test_the_longest_length_counts() -> None:
    short = trials({("tcp", "ipv4"): 10e6, ("udp", "ipv4"): 90e6}, length=64)
    (claim,) = claims([*short, *trials(RATES)])
    assert claim.holds == "holds"


def test_one_side_alone_claims_nothing() -> None:
    assert told({("tcp", "ipv4"): 300e6}) == {}
