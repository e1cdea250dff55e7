# SPDX-License-Identifier: Apache-2.0
"""Features that this machine's own kernel lacks, on a virtual gateway: at work, and undone."""

import pytest
from msgspec.structs import replace

from gatemark.plan.model import Arm, Direction
from vm.conftest import FEW, Booted

STATE = """
ip -o addr | sed 's/^[0-9]*: //' | sort; ip route; ip -6 route; ip neigh show nud permanent | sort
nft list ruleset; ip netns list; cat /proc/sys/net/ipv4/ip_forward
"""
TAGGED = Arm(path="nat", name="vlan", features=("vlan",))
TUNNEL = Arm(path="route", name="wireguard", features=("wireguard",))


def test_what_goes_up_by_a_vlan_leaves_with_a_tag(booted: Booted) -> None:
    record = booted.measure(TAGGED)
    assert record.accounting is not None
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting.unique > 0.5 * record.accounting.tried
    sent = booted.said("cat /sys/class/net/gm-vlan/statistics/tx_packets")
    assert int(sent) >= record.accounting.unique


@pytest.mark.parametrize("direction", ["up", "down"])
def test_packets_cross_a_tunnel_encrypted(direction: Direction, booted: Booted) -> None:
    record = booted.measure(TUNNEL, replace(FEW, direction=direction))
    assert record.accounting is not None
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting.unique > 0.3 * record.accounting.tried
    received, sent = booted.said("wg show gm-wg transfer").split()[1:]
    carried = int(sent if direction == "up" else received)
    assert carried >= record.accounting.unique * (46 + 32)  # a packet of a 64-byte frame, and more


@pytest.mark.parametrize("arm", [TAGGED, TUNNEL], ids=lambda arm: arm.name)
def test_it_is_given_back_as_it_was(arm: Arm, booted: Booted) -> None:
    setup = booted.bench.setup
    booted.run(setup.undo())
    before = booted.said(STATE)
    booted.run(setup.change(arm))
    during = booted.said(STATE)
    booted.run(setup.undo())
    assert booted.said(STATE) == before
    assert during != before
