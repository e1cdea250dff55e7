# SPDX-License-Identifier: Apache-2.0
"""A gateway that is taken as it is gets no load between addresses that it was not told of."""

from typing import Any

import pytest

from gatemark.error import UnavailableError
from gatemark.node.shell import Local
from gatemark.plan.model import Workload
from gatemark.station.lent import introduced
from gatemark.station.mode import Mode
from gatemark.station.wiring import GATEWAY_PORTS, ROLES, Gateway, Port, wires

GATEWAY, HOST = Local("gateway"), Local("host")
PORTS = {role: Port(GATEWAY if role in GATEWAY_PORTS else HOST, role, "") for role in ROLES}
MADE_UP: list[dict[str, Any]] = [
    {"kind": "udp", "clients": 2, "flows": 2},
    {"kind": "udp", "flow_ports": "random"},
    {"kind": "connections", "clients": 2},
    {"kind": "replay", "trace": "voip"},
    {"kind": "fill"},
    {"kind": "walk"},
]


def require(mode: Mode, path: str, **keys: Any) -> None:
    direction = "receive" if path == "endpoint" else "up"
    gateway = Gateway(GATEWAY, {}, mode=mode)
    introduced.require(gateway, Workload(**keys), wires(PORTS, path, direction))


def refusal(mode: Mode, path: str, **keys: Any) -> str:
    try:
        require(mode, path, **keys)
    except UnavailableError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("path", ["route", "nat", "endpoint"])
def test_made_up_addresses_need_a_gateway_that_is_told(path: str) -> None:
    texts = [(keys, refusal(Mode.OBSERVE, path, **keys)) for keys in MADE_UP]
    assert [row for row in texts if f"kind {row[0]['kind']} uses addresses" not in row[1]] == []


def test_a_gateway_that_is_told_takes_them() -> None:
    for mode in (Mode.APPLY, Mode.OPENWRT):
        assert [keys for keys in MADE_UP if refusal(mode, "route", **keys)] == []


def test_where_no_packet_is_routed_nobody_is_told() -> None:
    for path in ("direct", "switch"):
        require(Mode.OBSERVE, path, kind="replay", trace="voip")


def test_loads_between_the_hosts_own_addresses_need_nothing() -> None:
    for kind in ("udp", "tcp", "connections", "responsiveness", "algorithm"):
        require(Mode.OBSERVE, "nat", kind=kind)
