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


@pytest.mark.parametrize("path", ["route", "nat", "endpoint"])
@pytest.mark.parametrize("keys", MADE_UP, ids=lambda keys: "-".join(map(str, keys.values())))
def test_made_up_addresses_need_a_gateway_that_is_told(path: str, keys: dict[str, Any]) -> None:
    with pytest.raises(UnavailableError, match=f"kind {keys['kind']} uses addresses"):
        require(Mode.OBSERVE, path, **keys)


@pytest.mark.parametrize("keys", MADE_UP, ids=lambda keys: "-".join(map(str, keys.values())))
def test_a_gateway_that_is_told_takes_them(keys: dict[str, Any]) -> None:
    for mode in (Mode.APPLY, Mode.OPENWRT):
        require(mode, "route", **keys)


@pytest.mark.parametrize("path", ["direct", "switch"])
def test_where_no_packet_is_routed_nobody_is_told(path: str) -> None:
    require(Mode.OBSERVE, path, kind="replay", trace="voip")


@pytest.mark.parametrize("kind", ["udp", "tcp", "connections", "responsiveness", "algorithm"])
def test_loads_between_the_hosts_own_addresses_need_nothing(kind: str) -> None:
    require(Mode.OBSERVE, "nat", kind=kind)
