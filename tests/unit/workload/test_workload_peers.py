# SPDX-License-Identifier: Apache-2.0
"""Whose connections a far end takes: the LAN hosts', or the gateway's where it translates."""

import pytest

from gatemark.node.shell import Local
from gatemark.plan.model import Workload
from gatemark.station.wiring import ROLES, Port, wires
from gatemark.workload.peers import peers, strangers

PORTS = {role: Port(Local(), role, "") for role in ROLES}


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("direct", "198.18.9.1"),
        ("switch", "198.18.1.2"),
        ("route", "198.18.1.2"),
        ("endpoint", "198.18.1.2"),
        ("nat", "198.19.1.1"),
    ],
)
def test_one_host(path: str, wanted: str) -> None:
    """Whichever end sends."""
    for way in ("receive", "send") if path == "endpoint" else ("up", "down"):
        (wire,) = wires(PORTS, path, way)
        assert peers(PORTS, wire, path, Workload()) == [wanted], way


def test_many_clients() -> None:
    (wire,) = wires(PORTS, "route", "up")
    many = peers(PORTS, wire, "route", Workload(clients=3, family="ipv6"))
    assert many == ["2001:2:0:1::4", "2001:2:0:1::5", "2001:2:0:1::6"]


def test_strangers_are_noted() -> None:
    assert strangers({"strangers": 0}, {}) == ()
    assert strangers({"strangers": 1}, {"strangers": 2}) == (
        "3 connections of other hosts to the far end were closed",
    )
