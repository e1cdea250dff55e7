# SPDX-License-Identifier: Apache-2.0
"""Boxes with VLANs: DSA with a bridge that keeps them apart, PPPoE on one, a trunk, two WANs."""

import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from gatemark.commands.bench.introduce import seen
from gatemark.error import NodeError, UsageError
from gatemark.node.remote.login import Address, Login
from gatemark.station.load import load
from gatemark.station.ssh import bridged
from gatemark.station.ssh.box import Box
from gatemark.station.ssh.bridged import Member
from gatemark.station.ssh.control_port import CommandsError
from gatemark.station.ssh.interview import choose
from gatemark.station.ssh.plugged import vlan_tag
from gatemark.station.ssh.ports import Device, Network, Outlet, Shown, _devices, _dialled, _ethernet
from gatemark.station.ssh.written import Bench, drawing, toml

# As `bridge -j vlan show` prints it (iproute2 6.1), and uci the same.
BRIDGE = """[{"ifname":"lan1","vlans":[{"vlan":4,"flags":["PVID","Egress Untagged"]}]},
{"ifname":"lan2","vlans":[{"vlan":4,"flags":["PVID","Egress Untagged"]}]},
{"ifname":"lan3","vlans":[{"vlan":4,"flags":["PVID","Egress Untagged"]}]},
{"ifname":"lan4","vlans":[{"vlan":4,"flags":["PVID","Egress Untagged"]},{"vlan":9}]},
{"ifname":"wan","vlans":[{"vlan":1}]},
{"ifname":"br-lan","vlans":[{"vlan":1},{"vlan":4},{"vlan":9}]}]"""
UCI = """network.cfg0a=bridge-vlan
network.cfg0a.vlan='4'
network.cfg0a.ports='lan1:u*' 'lan2' 'lan3:*' 'lan4:u*'
network.cfg0b=bridge-vlan
network.cfg0b.vlan='1'
network.cfg0b.ports='wan:t'
network.cfg0c=bridge-vlan
network.cfg0c.vlan='9'
network.cfg0c.ports='lan4:t'
network.lan.vlan='x'"""


def box(
    devices: Iterable[Device], networks: Mapping[str, tuple[str, str, str]], session: str
) -> Shown:
    return Shown(
        model="a box",
        firmware="OpenWrt 23.05",
        devices={device.name: device for device in devices},
        networks={name: Network(name, *words) for name, words in networks.items()},
        addresses={},
        default="",
        session=session,
        tools=frozenset(("ip", "nft", "tc", "uci", "fw4", "flock", "ubus")),
        swconfig=False,
        writes=True,
    )


def vlan(name: str, below: str, number: int = 0) -> Device:
    return Device(name, "vlan", False, "", (below,), True, number)


def port(name: str, master: str = "", kind: str = "dsa", *, carrier: bool = True) -> Device:
    return Device(name, kind, True, master, (), carrier)


BRIDGED = box(
    [
        Device("br-lan", "bridge", False, "", (), True),
        *(port(name, "br-lan") for name in ("lan1", "lan2", "lan3", "lan4", "wan")),
        *(vlan(f"br-lan.{number}", "br-lan") for number in (1, 4, 9)),
    ],
    {
        "lan": ("static", "br-lan.4", "br-lan.4"),
        "wan": ("dhcp", "br-lan.1", "br-lan.1"),
        "mgmt": ("static", "br-lan.9", "br-lan.9"),
    },
    "br-lan.9",
)
KNOWN = replace(BRIDGED, bridge_vlans=bridged.members(BRIDGE, ""))
PPPOE = box(
    [
        Device("br-lan", "bridge", False, "", (), True),
        *(port(name, "br-lan") for name in ("lan1", "lan2")),
        port("lan3"),
        port("wan"),
        vlan("wan.7", "wan", 7),
    ],
    {"lan": ("static", "br-lan", "br-lan"), "wan": ("pppoe", "wan.7", "pppoe-wan")},
    "lan3",
)
TRUNK = box(
    [port("eth0", kind=""), *(vlan(f"eth0.{number}", "eth0") for number in (10, 20, 30))],
    {"lan": ("static", "eth0.10", "eth0.10"), "wan": ("static", "eth0.20", "eth0.20")},
    "eth0.30",
)
TWO_WANS = box(
    [*(port(f"eth{number}", kind="") for number in range(4))],
    {
        "lan": ("static", "eth0", "eth0"),
        "wan": ("dhcp", "eth1", "eth1"),
        "wan6": ("dhcpv6", "eth1", "eth1"),
        "wanb": ("pppoe", "eth2", "pppoe-wanb"),
    },
    "eth3",
)


def test_bridge_and_uci_show_the_same_members() -> None:
    by_uci = bridged.members("", UCI)
    assert set(by_uci) == {m for m in bridged.members(BRIDGE, "") if m.port != "br-lan"}


def test_a_range_of_vlans_is_each_of_them() -> None:
    text = '[{"ifname":"lan1","vlans":[{"vlan":5,"vlanEnd":7}]}]'
    assert [member.number for member in bridged.members(text, "")] == [5, 6, 7]


@pytest.mark.parametrize(
    ("first", "last"), [(0, 0), (1, 4095), (1, 10**12), (-5, 7)], ids=["0", "4095", "many", "less"]
)
def test_numbers_that_no_vlan_has_are_refused(first: int, last: int) -> None:
    text = f'[{{"ifname":"lan1","vlans":[{{"vlan":{first},"vlanEnd":{last}}}]}}]'
    with pytest.raises(NodeError, match="the VLANs of its bridge cannot be read"):
        bridged.members(text, "")


def test_more_members_than_a_switch_has_are_refused() -> None:
    each = ",".join(['{"vlan":1,"vlanEnd":4094}'] * 100)
    with pytest.raises(NodeError, match="the VLANs of its bridge cannot be read"):
        bridged.members(f'[{{"ifname":"lan1","vlans":[{each}]}}]', "")


def test_a_vlan_of_a_bridge_has_the_sockets_that_are_in_it() -> None:
    choice = choose(KNOWN)
    assert (choice.lan, choice.wan, choice.control) == ("br-lan.4", "br-lan.1", "br-lan.9")
    assert choice.lan_ports == ("lan1", "lan2", "lan3", "lan4")
    assert choice.sockets["wan"] == (Outlet("wan", 1),)
    assert choice.sockets["control"] == (Outlet("lan4", 9),)


def test_a_bridge_is_no_shared_wire() -> None:
    assert not [note for note in choose(KNOWN).notes if "share" in note]
    assert "WAN is tagged at wan: frames of VLAN 1 are sent there" in choose(KNOWN).notes


def test_without_the_bridges_vlans_sockets_go_by_their_names() -> None:
    choice = choose(BRIDGED)
    assert (choice.lan_ports, choice.wan_ports) == (("lan1", "lan2", "lan3", "lan4"), ("wan",))
    assert any("does not show which ports are in it" in note for note in choice.notes)


def test_ssh_by_the_lans_vlan_is_refused_with_what_to_paste() -> None:
    """lan4 is in another VLAN as well, so lan3 leaves the bridge, and all of its VLANs."""
    with pytest.raises(CommandsError, match=r"take lan3 out of br-lan") as caught:
        choose(replace(KNOWN, session="br-lan.4"))
    lines = caught.value.commands
    assert "network.$b.ports='lan3'" in lines
    assert "uci set network.control.device='lan3'" in lines
    assert subprocess.run(["sh", "-n", "-c", lines], check=False).returncode == 0


def test_the_port_leaves_each_vlan_of_the_bridge(tmp_path: Path) -> None:
    """What is pasted is run, with a uci that prints two sections and what it is told to delete."""
    with pytest.raises(CommandsError) as caught:
        choose(replace(BRIDGED, session="br-lan.4"))
    (tmp_path / "uci").write_text(
        "#!/bin/sh\ncase $* in\n"
        "'-X show network') echo network.c1=bridge-vlan; echo network.c2=bridge-vlan;;\n"
        "'-q get network.c1.ports') echo 'lan3:u* lan4:u*';;\n"
        "'-q get network.c2.ports') echo 'lan4:t';;\n"
        '"del_list "*) echo $*;;\nesac\n'
    )
    (tmp_path / "uci").chmod(0o755)
    loop = caught.value.commands.split("uci set")[0]
    path = f"{tmp_path}:/usr/bin:/bin"
    done = subprocess.run(
        ["sh", "-fc", loop], env={"PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == [
        "del_list network.c1.ports=lan4:u*",
        "del_list network.c2.ports=lan4:t",
    ]


def test_pppoe_on_a_vlan_is_cabled_at_the_port_below() -> None:
    choice = choose(PPPOE)
    assert (choice.wan, choice.sockets["wan"]) == ("wan.7", (Outlet("wan", 7),))
    assert any("PPPoE connection: wan.7 below it is measured" in note for note in choice.notes)
    assert not [note for note in choice.notes if "share" in note]


SOFT = (("bat0", "batadv"), ("vxlan1", "vxlan"))
SESSIONS = """Id       Address              Device
00001A2B 02:00:00:00:00:01  eth2.35
"""


def test_a_default_route_by_pppd_leads_to_the_vlan_below() -> None:
    devices = {d.name: d for d in (port("eth2"), vlan("eth2.35", "eth2"))}
    dialled = _dialled(SESSIONS)
    assert dialled == {"eth2.35"}
    assert _ethernet("ppp0", devices, dialled) == "eth2.35"
    assert _ethernet("eth2", devices, dialled) == "eth2"
    assert _ethernet("ppp0", devices, dialled | {"eth3"}) == "ppp0"


def test_a_box_that_dials_by_itself_is_cabled_at_the_port_below() -> None:
    devices = [port("eth1"), port("eth2"), vlan("eth2.35", "eth2"), port("eth0")]
    shown = replace(box(devices, {}, "eth0"), default="eth2.35", dialled=frozenset(("eth2.35",)))
    choice = choose(shown)
    assert (choice.lan, choice.wan) == ("eth1", "eth2.35")
    assert choice.sockets["wan"] == (Outlet("eth2", 35),)
    assert any("PPPoE connection" in note for note in choice.notes)


def test_a_mesh_and_a_tunnel_in_a_bridge_are_no_sockets() -> None:
    soft = (Device(name, kind, False, "br-lan", (), True) for name, kind in SOFT)
    devices = {d.name: d for d in (*BRIDGED.devices.values(), *soft)}
    members = (*bridged.members(BRIDGE, ""), Member("bat0", 4, False), Member("vxlan1", 4, True))
    shown = replace(BRIDGED, devices=devices, bridge_vlans=members)
    assert [o.port for o in shown.outlets("br-lan.4")] == ["lan1", "lan2", "lan3", "lan4"]


def test_a_trunk_is_one_wire_with_both() -> None:
    choice = choose(TRUNK)
    assert choice.is_trunk
    assert "LAN and WAN are VLANs of eth0: up and down at once share its rate" in choice.notes
    assert seen(choice, {"enp3s0": "eth0"}) == {"lan": "enp3s0", "wan": "enp3s0"}


def test_ssh_by_a_vlan_of_a_trunk_gets_one_more() -> None:
    with pytest.raises(CommandsError, match=r"VLANs of eth0: give SSH VLAN 3 of it") as caught:
        choose(replace(TRUNK, session="eth0.10"))
    assert "uci set network.control.device='eth0.3'" in caught.value.commands


def test_a_lan_that_is_a_vlan_of_the_bridge_beside_a_plain_wan() -> None:
    devices = {**KNOWN.devices, "wan": port("wan")}
    networks = {**KNOWN.networks, "wan": Network("wan", "dhcp", "wan", "wan")}
    choice = choose(replace(KNOWN, devices=devices, networks=networks))
    assert choice.sockets["wan"] == (Outlet("wan"),)
    assert choice.lan_ports == ("lan1", "lan2", "lan3", "lan4")


def test_a_second_wan_is_named_with_its_option() -> None:
    notes = choose(TWO_WANS).notes
    assert "the box has more than one WAN: wanb (eth2); for that: --wan eth2" in notes


@pytest.mark.parametrize("name", ["eth2", "wanb", "pppoe-wanb"])
def test_a_wan_is_named_by_its_device_or_its_network(name: str) -> None:
    assert choose(TWO_WANS, wan=name).wan == "eth2"


def test_a_port_of_no_vlan_alone_is_refused_without_commands() -> None:
    only = tuple(member for member in KNOWN.bridge_vlans if member.port in ("lan4", "wan"))
    with pytest.raises(UsageError, match="no port of br-lan is in its VLAN alone") as caught:
        choose(replace(KNOWN, bridge_vlans=only, session="br-lan.4"))
    assert not isinstance(caught.value, CommandsError)


def test_the_number_of_a_vlan_is_the_kernels_where_its_name_has_none() -> None:
    line = "type=1 kind=vlan port= master= filters= below=eth0 vlan=7 carrier=1 conduit="
    (device,) = _devices(f"name=guest {line}").values()
    assert device.vlan == 7
    assert vlan("eth0.12", "eth0").vlan == 12


def test_the_file_and_the_drawing_have_the_tags() -> None:
    login = Login(Address("192.168.9.1", "root"))
    nics = {"lan": "enp3s0", "wan": "enp4s0"}
    leads = {"enp3s0": "lan2", "enp4s0": "wan"}
    bench = Bench(login, choose(KNOWN), nics, leads, "enp2s0", {})
    text = toml(bench, Path("bench.toml"))
    assert re.search(r'\[wan\]\nnic = "enp4s0"\nvlan = 1\n', text)
    assert re.search(r'\[lan\]\nnic = "enp3s0"\n\n', text)
    assert "wan, VLAN 1  WAN" in drawing(bench)


def test_the_file_of_a_trunk_has_one_nic_with_both_vlans(tmp_path: Path) -> None:
    login = Login(Address("192.168.9.1", "root"))
    nics = {"lan": "enp3s0", "wan": "enp3s0"}
    bench = Bench(login, choose(TRUNK), nics, {"enp3s0": "eth0"}, "enp2s0", {})
    file = tmp_path / "bench.toml"
    file.write_text(toml(bench, file))
    station = load(str(file))
    assert isinstance(station, Box)
    sides = {end: (side.nic, side.vlan) for end, side in station.asked.sides.items()}
    assert sides == {"lan": ("enp3s0", 10), "wan": ("enp3s0", 20)}


def test_a_probe_frame_of_a_vlan_has_its_tag() -> None:
    assert (vlan_tag(0), vlan_tag(7)) == (b"", bytes.fromhex("81000007"))


def bridge(name: str, *, filters: bool = False) -> Device:
    return Device(name, "bridge", False, "", (), True, filters=filters)


def macvlan(name: str, below: str) -> Device:
    return Device(name, "", False, "", (below,), True)


LAN = ("static", "br-lan", "br-lan")


def test_a_wan_of_a_macvlan_is_cabled_at_the_port_below() -> None:
    """mwan3 shares a modem's port so; the second is of another name and the same socket."""
    devices = [
        bridge("br-lan"),
        port("lan1", "br-lan"),
        *(port(name, kind="") for name in ("eth1", "eth2")),
        *(macvlan(name, "eth1") for name in ("vth0", "vth1")),
    ]
    wans = {"wan": ("pppoe", "vth0", "pppoe-wan"), "wan2": ("dhcp", "vth1", "vth1")}
    choice = choose(box(devices, {"lan": LAN} | wans, "eth2"))
    assert choice.sockets["wan"] == (Outlet("eth1"),)
    assert "the box has more than one WAN: wan2 (vth1); for that: --wan vth1" in choice.notes


def test_a_macvlan_whose_name_ends_in_a_number_is_no_vlan() -> None:
    devices = [bridge("br-lan"), port("lan1", "br-lan"), macvlan("br-lan.20", "br-lan")]
    shown = box(devices, {"lan": LAN}, "eth2")
    assert shown.outlets("br-lan.20") == (Outlet("lan1"),)


def test_a_bridge_that_does_not_filter_has_every_vlan_at_every_port() -> None:
    """Its `bridge vlan` shows VLAN 1 alone, which is not at work."""
    devices = [
        bridge("br-lan"),
        *(port(name, "br-lan") for name in ("lan1", "lan2")),
        vlan("br-lan.10", "br-lan"),
    ]
    idle = tuple(bridged.Member(name, 1, False) for name in ("lan1", "lan2", "br-lan"))
    shown = replace(box(devices, {}, ""), bridge_vlans=idle)
    assert shown.outlets("br-lan.10") == (Outlet("lan1", 10), Outlet("lan2", 10))
    assert shown.outlets("br-lan") == (Outlet("lan1"), Outlet("lan2"))


def test_a_filtering_bridge_without_a_vlan_device_has_the_ports_of_its_own_vlan() -> None:
    """lan3 is in VLAN 10 alone, so it does not lead to what the bridge itself has."""
    devices = [bridge("br-lan", filters=True), *(port(f"lan{n}", "br-lan") for n in (1, 2, 3))]
    known = [("lan1", 1, False), ("lan2", 1, True), ("lan3", 10, False), ("br-lan", 1, False)]
    members = tuple(bridged.Member(*member) for member in known)
    shown = replace(box(devices, {"lan": LAN}, ""), bridge_vlans=members)
    assert shown.outlets("br-lan") == (Outlet("lan1"), Outlet("lan2", 1))


def test_a_vlan_of_a_bond_is_tagged_at_each_of_its_ports() -> None:
    devices = [
        Device("bond0", "bond", False, "", (), True),
        *(port(name, "bond0", kind="") for name in ("eth0", "eth1")),
        vlan("bond0.5", "bond0"),
    ]
    assert box(devices, {}, "").outlets("bond0.5") == (Outlet("eth0", 5), Outlet("eth1", 5))


def test_a_box_that_shows_a_circle_is_read_to_its_end() -> None:
    devices = [bridge("a"), replace(bridge("b"), master="a"), macvlan("c", "d"), macvlan("d", "c")]
    shown = box([replace(devices[0], master="b"), *devices[1:]], {}, "")
    assert shown.outlets("a") == (Outlet("a"),)
    assert shown.outlets("c") == (Outlet("c"),)


STICK = box(
    [
        bridge("br-lan"),
        port("eth0", kind=""),
        replace(vlan("eth0.10", "eth0"), master="br-lan"),
        port("eth1", kind=""),
    ],
    {"lan": LAN, "wan": ("static", "eth0", "eth0")},
    "eth1",
)


def test_a_trunk_with_a_side_that_is_not_tagged_is_refused() -> None:
    with pytest.raises(UsageError, match=r"both at eth0, and wan is not tagged there: give it a"):
        choose(STICK)


def test_a_lan_with_a_vlan_of_the_wans_port_shares_its_wire() -> None:
    devices = {**STICK.devices, "lan1": port("lan1", "br-lan")}
    choice = choose(replace(STICK, devices=devices))
    assert choice.sockets["lan"] == (Outlet("eth0", 10), Outlet("lan1"))
    assert choice.sockets["wan"] == (Outlet("eth0"),)
    assert any("eth0: up and down at once share its rate" in note for note in choice.notes)


def test_a_box_without_a_network_called_lan_is_asked_which() -> None:
    """The ports are the bridge's and the session's, so none of them is free."""
    devices = [
        bridge("br-lan", filters=True),
        port("eth0", kind=""),
        port("eth1", "br-lan", kind=""),
        *(vlan(f"br-lan.{number}", "br-lan") for number in (10, 20)),
    ]
    networks = {
        "wan": ("pppoe", "eth0", "pppoe-wan"),
        "staff": ("static", "br-lan.10", "br-lan.10"),
        "voip": ("static", "br-lan.20", "br-lan.20"),
    }
    shown = box(devices, networks, "")
    with pytest.raises(UsageError, match=r"called lan: name the one to measure: --lan staff \("):
        choose(shown)
    assert choose(shown, lan="voip").lan == "br-lan.20"


def test_the_port_below_the_sessions_vlan_is_not_free() -> None:
    devices = [port("eth0", kind=""), vlan("eth0.30", "eth0"), port("eth1", kind="")]
    assert choose(box(devices, {}, "eth0.30")).lan == "eth1"


@pytest.mark.parametrize(
    ("devices", "wan", "why"),
    [
        ((vlan("eth1.9", "eth1", 9), vlan("eth1.9.7", "eth1.9", 7)), "eth1.9.7", "--wan eth1.9"),
        ((Device("wwan0", "wwan", False, "", (), True),), "wwan0", "a radio"),
    ],
)
def test_a_wan_that_no_frame_of_ours_reaches_is_refused(
    devices: tuple[Device, ...], wan: str, why: str
) -> None:
    ports = (bridge("br-lan"), port("lan1", "br-lan"), port("eth1", kind=""), *devices)
    with pytest.raises(UsageError, match=why):
        choose(box(ports, {"lan": LAN, "wan": ("dhcp", wan, wan)}, "eth2"))
