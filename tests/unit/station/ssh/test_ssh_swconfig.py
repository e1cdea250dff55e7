# SPDX-License-Identifier: Apache-2.0
"""The VLANs of a switch that swconfig sets, as `uci -X show network` has them."""

from gatemark.station.ssh.swconfig import Vlan, unlinked, unused, vlans

SHOWN = """
network.@device[0].name='br-lan'
network.lan.device='br-lan'
network.cfg05=switch_vlan
network.cfg05.device='switch0'
network.cfg05.vlan='1'
network.cfg05.ports='0t 2 3 4 5'
network.cfg06=switch_vlan
network.cfg06.device='switch0'
network.cfg06.vlan='2'
network.cfg06.vid='35'
network.cfg06.ports='1  0t'
"""


def test_sockets_and_the_processors_port_are_told_apart() -> None:
    assert vlans(SHOWN) == (
        Vlan("cfg05", "switch0", 1, 1, ("2", "3", "4", "5"), ("0t",)),
        Vlan("cfg06", "switch0", 2, 35, ("1",), ("0t",)),
    )


def test_a_vlan_that_is_written_otherwise_is_left_out() -> None:
    odd = ("", "0t 2; reboot", "5* 1", "lan1 lan2")
    read = {ports: vlans(SHOWN.replace("0t 2 3 4 5", ports)) for ports in odd}
    assert {ports: [vlan.section for vlan in read[ports]] for ports in odd} == {
        ports: ["cfg06"] for ports in odd
    }


def test_a_vlan_of_no_switch_is_left_out() -> None:
    text = SHOWN.replace("network.cfg05.device='switch0'\n", "")
    assert [vlan.section for vlan in vlans(text)] == ["cfg06"]


def test_a_number_that_is_taken_by_a_place_or_a_tag_is_not_used() -> None:
    lan, wan = vlans(SHOWN.replace("'35'", "'4'").replace("vlan='2'", "vlan='3'"))
    assert unused((lan, wan)) == 5
    assert unused(()) == 3


def test_sockets_without_a_link_are_known_by_switch_and_port() -> None:
    assert unlinked("switch0 3\nswitch0 4") == {("switch0", "3"), ("switch0", "4")}
