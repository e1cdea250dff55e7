# SPDX-License-Identifier: Apache-2.0
"""Likeness: all that a source says must agree; what it does not say is no difference."""

from typing import Any

import msgspec
import pytest

from gatemark.judge.point.likeness import alike, distance, unlike_beside
from gatemark.store.published import Published
from gatemark.store.record import Definition

TCP = Definition(
    path="nat",
    l4="tcp",
    quantity="goodput",
    direction="up",
    write_bytes=8192,
    streams=1,
    socket_buffer_bytes=0,
    congestion="cubic",
    duration_s=2.0,
    slow_to_pps=30_000,
)
SAID = {"path": "nat", "features": (), "direction": "up", "l4": "tcp", "family": "ipv4"}


def published(assumed: dict[str, Any] | None = None, **said: Any) -> Published:
    return Published(
        study="wrt54",
        device="box",
        experiment="nat.tcp",
        parameter="throughput",
        quantity="goodput_bps",
        value=47.5e6,
        printed="47.5 Mbit/s",
        kind="printed",
        note="printed; table",
        stated=SAID | said,
        assumed=assumed or {},
    )


def ours(**fields: Any) -> Definition:
    return msgspec.structs.replace(TCP, **fields)


def test_what_is_not_said_is_no_difference() -> None:
    assert alike(TCP, published())


@pytest.mark.parametrize(
    "fields",
    [
        {"path": "route"},
        {"direction": "down"},
        {"family": "ipv6"},
        {"l4": "udp"},
        {"features": ("filter:100",)},
        {"loss_criterion": 0.01},
        {"offload": True},
        {"line": "10 Mbit/s, 100 packets"},
        {"beside": ("uploads: tcp streams=8",)},
        {"turn_ms": 2.0},
        {"dscp": 46},
    ],
)
def test_what_is_said_must_agree(fields: dict[str, Any]) -> None:
    assert not alike(ours(**fields), published())


def test_a_field_that_a_value_names_is_not_held_to_be_plain() -> None:
    loaded = ours(line="1 Mbit/s, 50 packets", beside=("upload: tcp",))
    named = published({"beside": ["upload: tcp"]}, line="1 Mbit/s, 50 packets")
    assert alike(loaded, named)


def test_a_slowdown_is_no_difference() -> None:
    assert alike(ours(slow_to_pps=0), published())


def test_another_duration_is_tolerated() -> None:
    assert alike(TCP, published(duration_s=20))


@pytest.mark.parametrize(
    ("said", "agrees"),
    [
        (8192, True),
        (4096, False),
        ({"min": 8192}, True),
        ({"min": 8193}, False),
        ({"max": 8192}, True),
        ({"max": 8191}, False),
        ({"in": (1024, 8192)}, True),
        ({"in": (1024,)}, False),
    ],
)
def test_a_range_holds_its_ends(said: Any, agrees: bool) -> None:
    assert alike(TCP, published(write_bytes=said)) == agrees


def test_what_we_did_not_record_lies_in_no_range() -> None:
    assert not alike(ours(write_bytes=None), published(write_bytes={"min": 1}))


def test_a_tuned_socket_buffer_is_alike_to_any() -> None:
    assert alike(TCP, published(socket_buffer_bytes=65_536))


def test_a_set_socket_buffer_is_not_alike_to_a_tuned_one() -> None:
    assert not alike(ours(socket_buffer_bytes=65_536), published(socket_buffer_bytes=0))


def test_offload_is_alike_where_it_is_said() -> None:
    assert alike(ours(offload=True), published(offload={"in": (False, True)}))


@pytest.mark.parametrize("size", [1024, 16_384, None])
def test_nothing_is_nearer_than_the_assumed(size: int | None) -> None:
    value = published({"write_bytes": 8192})
    assert distance(TCP, value) < distance(ours(write_bytes=size), value)


def test_sizes_are_apart_by_their_ratio() -> None:
    value = published({"write_bytes": 8192})
    assert distance(ours(write_bytes=16_384), value) < distance(ours(write_bytes=1024), value)


def test_a_workload_beside_is_compared_key_by_key() -> None:
    value = published({"beside": ("upload: tcp duration_s=40.0 start_s=10.0 congestion=reno",)})
    reno, cubic, bbr = (
        ours(beside=(f"upload: tcp duration_s=16.0 start_s=4.0{text}",))
        for text in (" congestion=reno", "", " congestion=bbr")
    )
    assert distance(reno, value) < distance(cubic, value) == distance(bbr, value)
    assert distance(reno, value) < distance(ours(beside=()), value)


def test_when_a_workload_beside_begins_is_told_and_not_decisive() -> None:
    texts = ("upload: tcp duration_s=40.0 start_s=10.0",), ("upload: tcp duration_s=16.0",)
    value = published({"beside": texts[0]})
    assert distance(ours(beside=texts[0]), value) == distance(ours(beside=texts[1]), value)
    differing = [("upload", "duration_s", "40.0", "16.0"), ("upload", "start_s", "10.0", "")]
    assert list(unlike_beside(*texts)) == differing
