# SPDX-License-Identifier: Apache-2.0
"""Tags and WireGuard, which this machine's kernel may lack, on a virtual gateway."""

import pytest
from msgspec.structs import replace

from gatemark.plan.model import Arm, Direction, Family
from vm.conftest import FEW, Booted, Stand, on
from vm.line import Line, given_back, line_of, masqueraded, of

pytestmark = pytest.mark.long
TAGGED = Arm(path="nat", name="vlan", features=("vlan",))
TUNNEL = Arm(path="route", name="wireguard", features=("wireguard",))
HIDDEN = Arm(path="nat", name="hidden", features=("wireguard",))
SESSION = Arm(path="route", name="pppoe", features=("pppoe",))
NO_SESSION = {
    "qemu-x86": "no PPPoE in its kernel",  # the cloud's
    "qemu-mips": "no pppd on it: our image has one where memory_mib is 128 or more",
}


@pytest.fixture(scope="module")
def line(stand: Stand, request: pytest.FixtureRequest) -> Line:
    """Of the arm that is its parameter."""
    return line_of(stand, request.param)


@of("line", TAGGED)
def test_what_goes_up_by_a_vlan_leaves_with_a_tag(line: Line) -> None:
    booted = line.booted
    record = booted.measure(TAGGED)
    assert record.accounting is not None
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting.unique > 0.5 * record.accounting.tried
    sent = booted.said("cat /sys/class/net/gm-vlan/statistics/tx_packets")
    assert int(sent) >= record.accounting.unique


@of("line", TUNNEL)
@pytest.mark.parametrize("direction", ["up", "down"])
def test_packets_cross_a_tunnel_encrypted(direction: Direction, line: Line) -> None:
    booted = line.booted
    record = booted.measure(TUNNEL, replace(FEW, direction=direction))
    assert record.accounting is not None
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting.unique > 0.3 * record.accounting.tried
    received, sent = booted.said("wg show gm-wg transfer").split()[1:]
    carried = int(sent if direction == "up" else received)
    assert carried >= record.accounting.unique * (46 + 32)  # a packet of a 64-byte frame, and more


@of("line", HIDDEN)
@pytest.mark.parametrize(
    ("direction", "family"),
    [
        ("up", "ipv4"),
        ("down", "ipv6"),
    ],
)
def test_a_tunnel_is_masqueraded(direction: Direction, family: Family, line: Line) -> None:
    masqueraded(line.booted, HIDDEN, replace(FEW, direction=direction, family=family), 0.3)


@on("qemu-x86", "qemu-mips")
def test_a_gateway_without_it_tells_what_it_lacks(booted: Booted) -> None:
    record = booted.measure(SESSION)
    assert record.status == "skipped"
    assert record.reason == f"not available here: pppoe: {NO_SESSION[booted.lab.name]}"


@of("line", HIDDEN)
def test_what_is_masqueraded_is_given_back_as_it_was(line: Line) -> None:
    given_back(line)


@of("line", TAGGED, TUNNEL)
def test_it_is_given_back_as_it_was(line: Line) -> None:
    given_back(line)
