# SPDX-License-Identifier: Apache-2.0
"""The interview about a box: what it proposes for boxes of several kinds, and what it refuses."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gatemark.error import UsageError
from gatemark.node.remote.login import ASK, Address, Login
from gatemark.station.load import load
from gatemark.station.mode import Mode
from gatemark.station.ssh.box import Box
from gatemark.station.ssh.control_port import CommandsError
from gatemark.station.ssh.interview import choose
from gatemark.station.ssh.ports import Device, Network, Shown
from gatemark.station.ssh.swconfig import Vlan
from gatemark.station.ssh.written import Bench, drawing, toml


def device(name: str, kind: str = "", master: str = "", *, carrier: bool = True) -> Device:
    below = (name.partition(".")[0],) if kind == "vlan" else ()
    return Device(name, kind, kind in ("", "dsa"), master, below, carrier)


def shown(*devices: Device, networks: Mapping[str, str], session: str, **other: object) -> Shown:
    made = Shown(
        model="a box",
        firmware="OpenWrt",
        devices={item.name: item for item in devices},
        networks={
            name: Network(name, "static" if name != "wan" else "dhcp", at, at)
            for name, at in networks.items()
        },
        addresses={"br-lan": ["192.168.1.1/24"]},
        default="",
        session=session,
        tools=frozenset(("ip", "nft", "tc", "uci", "fw4", "flock", "ubus")),
        swconfig=False,
        writes=True,
    )
    return replace(made, **other)  # type: ignore[arg-type]


DSA = shown(
    device("br-lan", "bridge"),
    *(device(name, "dsa", "br-lan") for name in ("lan1", "lan2", "lan3")),
    device("lan4", "dsa"),
    device("wan", "dsa"),
    networks={"lan": "br-lan", "wan": "wan"},
    session="lan4",
)
ONE_BRIDGE = replace(
    DSA,
    devices={**DSA.devices, "lan4": device("lan4", "dsa", "br-lan", carrier=False)},
    session="br-lan",
)
SWCONFIG = shown(
    device("br-lan", "bridge"),
    device("eth0"),
    device("eth0.1", "vlan", "br-lan"),
    device("eth0.2", "vlan"),
    networks={"lan": "br-lan", "wan": "eth0.2"},
    session="br-lan",
    swconfig=True,
)
LAN_VLAN = Vlan("cfg05", "switch0", 1, 1, ("2", "3", "4"), ("0t",))
WAN_VLAN = Vlan("cfg06", "switch0", 2, 2, ("1",), ("0t",))
SOCKETS = replace(SWCONFIG, vlans=(LAN_VLAN, WAN_VLAN))
PLAIN = shown(
    *(device(name) for name in ("eth0", "eth1", "eth2")),
    networks={},
    session="eth0",
    tools=frozenset(("ip", "nft")),
)


@pytest.mark.parametrize("down", ["wan", "lan"])
def test_a_network_that_is_down_is_known_by_its_name_alone(down: str) -> None:
    network = replace(DSA.networks[down], layer3="")
    choice = choose(replace(DSA, networks={**DSA.networks, down: network}))
    assert (choice.lan, choice.wan) == ("br-lan", "wan")


def test_a_box_with_a_control_port_is_set_by_uci() -> None:
    choice = choose(DSA)
    assert (choice.lan, choice.wan, choice.control, choice.mode) == (
        "br-lan",
        "wan",
        "lan4",
        Mode.OPENWRT,
    )
    assert choice.lan_ports == ("lan1", "lan2", "lan3")
    assert "wan asks for its address by DHCP" in choice.notes[0]


def test_a_box_that_is_no_openwrt_is_set_by_ip_and_nft() -> None:
    choice = choose(PLAIN)
    assert (choice.lan, choice.wan, choice.mode) == ("eth1", "eth2", Mode.APPLY)


def test_the_port_of_the_default_route_is_the_wan_port() -> None:
    choice = choose(replace(PLAIN, default="eth1"))
    assert (choice.lan, choice.wan) == ("eth2", "eth1")


def test_a_box_with_one_port_besides_is_an_end_of_the_traffic() -> None:
    choice = choose(replace(PLAIN, devices={n: device(n) for n in ("eth0", "eth1")}))
    assert (choice.lan, choice.wan) == ("eth1", "")
    assert "path endpoint" in choice.notes[0]


def test_one_bridge_is_refused_with_the_commands_that_take_a_port_out() -> None:
    with pytest.raises(
        CommandsError, match=r"SSH comes in by br-lan.*take lan4 out of it"
    ) as caught:
        choose(ONE_BRIDGE)
    assert "network.$b.ports='lan4'" in caught.value.commands
    assert "network.control.device='lan4'" in caught.value.commands


@pytest.mark.parametrize(
    ("unlinked", "kept", "taken"),
    [((), "0t 2 3", "0t 4"), ((("switch0", "1"), ("switch0", "3")), "0t 2 4", "0t 3")],
    ids=["the last", "rather one without a link"],
)
def test_a_socket_of_a_switch_is_given_a_vlan_of_its_own(
    unlinked: tuple[tuple[str, str], ...], kept: str, taken: str
) -> None:
    with pytest.raises(CommandsError, match=r"ports 2, 3, 4 of switch0.: take port \d ") as caught:
        choose(replace(SOCKETS, unlinked=frozenset(unlinked)))
    lines = caught.value.commands.splitlines()
    assert lines[0] == f"uci set network.cfg05.ports='{kept}'"
    assert f"uci set network.control_vlan.ports='{taken}'" in lines
    assert "uci set network.control_vlan.vlan='3'" in lines
    assert "uci set network.control.device='eth0.3'" in lines


def test_two_vlans_of_one_port_share_its_rate() -> None:
    reached = {**SOCKETS.devices, "eth0.3": device("eth0.3", "vlan")}
    notes = choose(replace(SOCKETS, devices=reached, session="eth0.3")).notes
    assert "LAN and WAN are VLANs of eth0: up and down at once share its rate" in notes


@pytest.mark.parametrize(
    "vlans",
    [
        (replace(LAN_VLAN, tagged=()), WAN_VLAN),
        (replace(LAN_VLAN, sockets=("2",)), WAN_VLAN),
        (LAN_VLAN, replace(LAN_VLAN, switch="switch1")),
    ],
    ids=["the processor untagged", "a single socket", "two switches"],
)
def test_where_it_is_not_plain_what_to_set_nothing_is_to_be_pasted(
    vlans: tuple[Vlan, ...],
) -> None:
    with pytest.raises(UsageError, match=r"give one socket of it a VLAN.*shows how") as caught:
        choose(replace(SOCKETS, vlans=vlans))
    assert not isinstance(caught.value, CommandsError)


REFUSED: list[tuple[Shown, dict[str, Any], str]] = [
    (
        replace(SWCONFIG, swconfig=False),
        {},
        "SSH comes in by br-lan, and the LAN's ports are VLANs",
    ),
    (SWCONFIG, {}, "a switch that swconfig sets: give one socket of it a VLAN"),
    (replace(DSA, session="wan"), {}, "SSH comes in by wan, the WAN port"),
    (replace(PLAIN, devices={"eth0": device("eth0")}), {}, "no port for traffic besides eth0"),
    (DSA, {"lan": "lna1"}, r"--lan: the box has no port 'lna1'; did you mean 'lan1'\?"),
    (replace(DSA, tools=DSA.tools - {"flock"}), {}, "no flock.*opkg install flock"),
    (replace(PLAIN, tools=frozenset(("ip",))), {}, "no nft, by which it would be set"),
    (replace(DSA, lacks=("readlink",)), {}, "shell lacks readlink: a full busybox has it"),
    (replace(DSA, writes=False), {}, "takes no file.*is it full"),
    (DSA, {"observe": True}, "wan of the box has no IPv4 address .its protocol is dhcp"),
]


def test_what_cannot_be_measured_is_refused_with_the_fix() -> None:
    def refusal(box: Shown, options: dict[str, Any]) -> str:
        with pytest.raises(UsageError) as refused:
            choose(box, **options)
        return str(refused.value)

    texts = [(refusal(box, options), why) for box, options, why in REFUSED]
    assert [row for row in texts if not re.search(row[1], row[0])] == []


@pytest.mark.parametrize("observe", [False, True])
def test_what_is_written_is_a_station_file(tmp_path: Path, observe: bool) -> None:
    held = {"br-lan": ["192.168.1.1/24", "2001:db8:1::1/64"], "wan": ["203.0.113.10/24"]}
    box = replace(DSA, addresses=held)
    login = Login(Address("192.168.9.1", "root"), key=tmp_path / "key", password=ASK)
    nics = {"lan": "enp3s0", "wan": "enp4s0"}
    bench = Bench(login, choose(box, observe=observe), nics, {"enp3s0": "lan2"}, "enp2s0", held)
    file = tmp_path / "bench.toml"
    file.write_text(toml(bench, file))
    station = load(str(file))
    assert isinstance(station, Box)
    assert station.asked.set is (Mode.OBSERVE if observe else Mode.OPENWRT)
    assert station.asked.devices == {"gw0": "br-lan", "gw1": "wan"}
    assert station.asked.login.password == "ask"
    own = {end: dict(side.own) for end, side in station.asked.sides.items()}
    expected = {
        "lan": {"ipv4": "192.168.1.10/24", "ipv6": "2001:db8:1::a/64"},
        "wan": {"ipv4": "203.0.113.11/24"},
    }
    assert own == (expected if observe else {"lan": {}, "wan": {}})


def test_the_drawing_has_the_ports_that_were_seen() -> None:
    login = Login(Address("192.168.9.1", "root"))
    nics = {"lan": "enp3s0", "wan": "enp4s0"}
    text = drawing(Bench(login, choose(DSA), nics, {"enp3s0": "lan2"}, "enp2s0", {}))
    assert [line.split() for line in text.splitlines()[2:5]] == [
        ["|", "enp3s0", "|-----------------|", "lan2", "LAN", "|"],
        ["|", "enp4s0", "|-----------------|", "wan", "WAN", "|"],
        ["|", "enp2s0", "|-----------------|", "lan4", "SSH", "|"],
    ]
