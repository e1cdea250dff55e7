# SPDX-License-Identifier: Apache-2.0
"""`station introduce` of a box with a kernel of its own whose LAN and WAN are VLANs.

    nic0 ----- eth1      nic1 ----- eth2      ctl0 ----- eth0

The frames that find a cable carry the tags, so each case says which adapter is where. A machine
whose own kernel has no VLANs cannot measure such a box, and the check says so after the file.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command import GATEMARK

from gatemark.station.qemu.lab import OURS
from vm.box import Box
from vm.cpu import placement

pytestmark = [pytest.mark.long, pytest.mark.box]
ALONE = ("timeout", "300", "taskset", "-c", str(placement().sink))
# A bridge that keeps its VLANs apart; the WAN's frames are tagged at their socket.
BRIDGED = """
ip link add br-lan type bridge vlan_filtering 1 vlan_default_pvid 0
for port in eth1 eth2; do ip link set $port master br-lan up; done
bridge vlan add dev eth1 vid 4 pvid untagged
bridge vlan add dev eth2 vid 7
for n in 4 7; do bridge vlan add dev br-lan vid $n self; done
for n in 4 7; do ip link add link br-lan name br-lan.$n type vlan id $n; done
for d in br-lan br-lan.4 br-lan.7; do ip link set $d up; done
"""
TRUNK = """
ip link set eth1 up
for n in 10 20; do ip link add link eth1 name eth1.$n type vlan id $n; done
for n in 10 20; do ip link set eth1.$n up; done
"""
# Two WANs: a VLAN, as an operator has it below PPPoE, and the port itself.
TWO_WANS = """
ip link set eth1 up; ip link set eth2 up
ip link add link eth2 name eth2.35 type vlan id 35; ip link set eth2.35 up
"""
NO_VLANS = "does this kernel have VLANs (8021q)?"
UNDO = """
for d in br-lan.4 br-lan.7 br-lan eth1.10 eth1.20 eth2.35; do
  [ -e /sys/class/net/$d ] && ip link del $d; done
ip link set eth1 down; ip link set eth2 down; true
"""


@contextmanager
def made(box: Box, devices: str) -> Iterator[None]:
    box.said(devices)
    try:
        yield
    finally:
        box.said(UNDO)


def introduced(box: Box, out: Path, *options: str) -> str:
    """What the interview prints that asks nothing, whatever its check finds."""
    way: tuple[str | Path, ...] = (
        "--key",
        box.folder / "key",
        "--known-hosts",
        box.folder / "known",
    )
    words = ("station", "introduce", f"root@{OURS.host}", "--yes", *way, "--out", out, *options)
    return box.host.run("sh", "-c", '"$@" || true', "sh", *ALONE, *GATEMARK, *words)


CASES = {
    "bridge": (
        BRIDGED,
        ("br-lan.4", "br-lan.7"),
        ("| nic0    |-----------------| eth1          LAN |", "| eth2, VLAN 7  WAN |"),
        ('[lan]\nnic = "nic0"\n\n', '[wan]\nnic = "nic1"\nvlan = 7\n'),
    ),
    "trunk": (
        TRUNK,
        ("eth1.10", "eth1.20"),
        ("| nic0    |-----------------| eth1, VLAN 10  LAN |", "| eth1, VLAN 20  WAN |"),
        ('[lan]\nnic = "nic0"\nvlan = 10\n', '[wan]\nnic = "nic0"\nvlan = 20\n'),
    ),
    "vlan below": (
        TWO_WANS,
        ("eth1", "eth2.35"),
        ("| nic0    |-----------------| eth1           LAN |", "| eth2, VLAN 35  WAN |"),
        ('[lan]\nnic = "nic0"\n\n', '[wan]\nnic = "nic1"\nvlan = 35\n'),
    ),
    "the other wan": (
        TWO_WANS,
        ("eth1", "eth2"),
        (
            "| nic0    |-----------------| eth1     LAN |",
            "| nic1    |-----------------| eth2     WAN |",
        ),
        ('[lan]\nnic = "nic0"\n\n', '[wan]\nnic = "nic1"\n'),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_file_drawing_and_cables_are_those_of_the_vlans(
    desk_box: Box, tmp_path: Path, case: str
) -> None:
    devices, (lan, wan), drawn, written = CASES[case]
    out = tmp_path / "bench.toml"
    with made(desk_box, devices):
        printed = introduced(desk_box, out, "--lan", lan, "--wan", wan)
    for line in drawn:
        assert line in printed
    refused = [line for line in printed.splitlines() if line.startswith("NO  ")]
    assert [line for line in refused if NO_VLANS not in line] == []
    for lines in written:
        assert lines in out.read_text()
