# SPDX-License-Identifier: Apache-2.0
"""The claims of the study of boards: planted ones hold, their opposites do not."""

from collections.abc import Iterator
from importlib.resources import files

import builder
import pytest
from msgspec.structs import replace

from gatemark.judge.change.claim import (
    D2FA_PATTERNS,
    DIRECTIONS_ALIKE,
    ENDPOINT_IPV6,
    HFA_MIXED,
    IPV6_FASTER,
    NAMES,
    QUERY_FASTER,
    RECEIVES_MORE,
    SST_FASTER,
    UDP_LESS,
    claims,
)
from gatemark.store.mapping import read_map
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


def test_a_filter_is_asked_faster_than_it_is_filled() -> None:
    definition = Definition(path="endpoint", l4="algorithm", kernel="filter structure=bf8")
    point: dict[str, Scalar] = {"words.structure": "bf8"}
    for put, holds in ((20.0, "holds"), (5.0, "does not hold")):
        trials = []
        for repeat in range(1, 7):
            values = {"query.ns": 10.0 + repeat / 1000, "insert.ns": put + repeat / 1000}
            trials.append(builder.record("p/q", "endpoint", point, definition, repeat, values))
        assert [(c.claim, c.holds) for c in claims(trials)] == [(QUERY_FASTER, holds)]


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


def pair(
    factor: str, levels: tuple[Scalar | None, Scalar], rates: tuple[float, float], **own: Scalar
) -> Iterator[Record]:
    for level, rate in zip(levels, rates, strict=True):
        point: dict[str, Scalar] = {} if level is None else {factor: level}
        definition = Definition(path="route", frame_bytes=1496)
        for repeat in range(1, 7):
            values = {"received_l4_bps": rate, "goodput_bps": rate, "ops_s": rate}
            values |= {"flow_bytes": rate}
            kept = {name: value * (1 + repeat / 1000) for name, value in values.items()}
            yield builder.record("p/q", "route", {**point, **own}, definition, repeat, kept)


@pytest.mark.parametrize(
    ("down", "holds"), [(101.0, "holds"), (120.0, "does not hold"), (105.1, "cannot be told")]
)
def test_two_directions_are_alike_within_a_twentieth(down: float, holds: str) -> None:
    made = claims(pair("direction", ("up", "down"), (100.0, down)))
    assert [(c.claim, c.holds) for c in made] == [(DIRECTIONS_ALIKE, holds)]


@pytest.mark.parametrize(("trie", "holds"), [(120.0, "holds"), (90.0, "does not hold")])
def test_a_structure_is_faster_than_another(trie: float, holds: str) -> None:
    made = claims(pair("words.structure", ("tbm4", "sst7"), (100.0, trie)))
    assert [(c.claim, c.holds) for c in made] == [(SST_FASTER, holds)]


@pytest.mark.parametrize(("received", "holds"), [(200.0, "holds"), (90.0, "does not hold")])
def test_what_a_gateway_receives_against_what_it_sends(received: float, holds: str) -> None:
    made = claims(pair("direction", ("send", "receive"), (100.0, received)))
    assert [(c.claim, c.holds) for c in made] == [(RECEIVES_MORE, holds)]


@pytest.mark.parametrize(("newer", "holds"), [(120.0, "holds"), (90.0, "does not hold")])
@pytest.mark.parametrize("way", ["send", "receive"])
def test_ipv6_against_ipv4_where_the_gateway_is_an_end(way: str, newer: float, holds: str) -> None:
    made = claims(pair("family", ("ipv4", "ipv6"), (100.0, newer), direction=way))
    assert [(c.claim, c.holds) for c in made] == [(ENDPOINT_IPV6, holds)]


def test_ipv6_through_a_gateway_is_another_claim() -> None:
    made = claims(pair("family", ("ipv4", "ipv6"), (100.0, 120.0), direction="up"))
    assert ENDPOINT_IPV6 not in {c.claim for c in made}


def test_an_automaton_is_better_for_its_own_patterns_alone() -> None:
    for patterns, claim in (("aut1", D2FA_PATTERNS), ("aut2", HFA_MIXED)):
        levels = ("hfa", "d2fa") if patterns == "aut1" else ("d2fa", "hfa")
        trials = pair("words.engine", levels, (100.0, 130.0), **{"words.patterns": patterns})
        assert [(c.claim, c.holds) for c in claims(trials)] == [(claim, "holds")]


def test_two_repeats_decide_nothing() -> None:
    trials = pair("direction", ("up", "down"), (100.0, 200.0))
    assert [c.holds for c in claims(r for r in trials if r.repeat <= 2)] == ["cannot be told"]


def test_a_side_that_the_tester_limited_decides_nothing() -> None:
    trials = list(pair("direction", ("up", "down"), (100.0, 200.0)))
    points = builder.points(trials)
    limited = [replace(point, at_least=point.point["direction"] == "up") for point in points]
    assert [c.holds for c in claims(trials, points)] == ["does not hold"]
    assert [c.holds for c in claims(trials, limited)] == ["cannot be told"]


def test_a_protocol_that_the_tester_limited_decides_nothing() -> None:
    records = list(trials(RATES))
    points = [replace(p, at_least=p.point["kind"] == "tcp") for p in builder.points(records)]
    assert [c.holds for c in claims(records, points)] == ["cannot be told"]


def test_a_rate_that_was_asked_for_claims_nothing() -> None:
    assert claims(pair("direction", ("up", "down"), (100.0, 100.0), rate_pps=1000)) == []


def test_a_published_claim_is_tested_here() -> None:
    folder = files("gatemark") / "reference"
    mapping = read_map((folder / "map.toml").read_text())
    assert set(mapping.claims.values()) <= NAMES.keys()
