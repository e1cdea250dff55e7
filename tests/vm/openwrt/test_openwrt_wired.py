# SPDX-License-Identifier: Apache-2.0
"""An OpenWrt box without a port for SSH alone: refused, and made fit by what is printed.

Each test has a box of its own: what is pasted is committed, and takes the way in away.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatemark.error import NodeError
from gatemark.station.qemu.lab import OURS
from vm.box import OPENWRT, Box, box
from vm.openwrt import require
from vm.openwrt.swconfig import PLANTED
from vm.openwrt.test_openwrt_box import SETTLED_S, introduced, running
from vm.test_box import kept, sound
from vm.test_introduced import NO_VLANS

pytestmark = [pytest.mark.long, pytest.mark.box, pytest.mark.timeout(1500)]
CONTROL = "192.168.9"
# As a box fresh from its carton: one network for all ports but WAN's, and no other way in.
ALL_IN_ONE_BRIDGE = """
uci -q batch <<'BATCH'
delete network.control
add_list network.@device[0].ports=eth0
delete network.lan.ipaddr
add_list network.lan.ipaddr=192.0.2.2/24
commit
BATCH
cat > /tmp/plug <<'PLUG'
/etc/init.d/network reload
/etc/init.d/firewall reload
PLUG
"""
# As boxes with DSA have it: one bridge that keeps VLANs apart, the WAN's frames tagged.
DSA = """
uci -q batch <<'BATCH'
delete network.@device[0].ports
add_list network.@device[0].ports=eth1
add_list network.@device[0].ports=eth2
add network bridge-vlan
set network.@bridge-vlan[-1].device=br-lan
set network.@bridge-vlan[-1].vlan=4
add_list network.@bridge-vlan[-1].ports=eth1:u*
add network bridge-vlan
set network.@bridge-vlan[-1].device=br-lan
set network.@bridge-vlan[-1].vlan=7
add_list network.@bridge-vlan[-1].ports=eth2:t
set network.lan.device=br-lan.4
set network.wan.device=br-lan.7
set network.wan6.device=br-lan.7
commit
BATCH
/etc/init.d/network reload
"""
WITHOUT_ZONE = """
z=$(uci -X show firewall | sed -n "s/^firewall\\.\\([^.]*\\)\\.name='control'/\\1/p")
uci delete firewall.$z; uci commit
"""


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Box]:
    require("x86_64")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "box"
    folder.mkdir()
    with box(folder, OPENWRT) as made:
        yield made


def planted(bench: Box, text: str) -> None:
    """Have the box as the text makes it, and wait until it lets in again."""
    bench.said(text + WITHOUT_ZONE)
    later(bench, "plug")
    until(bench, f"ip -o addr show dev br-lan | grep -c {OURS.host}/")


def pasted(bench: Box, printed: str) -> None:
    """Paste the commands that were printed, as who is logged in would."""
    lines = [line for line in printed.splitlines() if line.startswith(("b=", "uci "))]
    text = "\n".join(lines)
    bench.said(f"cat > /tmp/paste <<'PASTE'\n{text}\nPASTE")
    later(bench, "paste")


def later(bench: Box, file: str) -> None:
    """Run a file there once we have logged out: it may end the session."""
    bench.said(f"(sleep 1; sh /tmp/{file}) > /tmp/{file}.log 2>&1 & sleep 0.1")
    time.sleep(SETTLED_S)


def until(bench: Box, question: str) -> None:
    """Ask until the answer is 1, from a box that is out of reach meanwhile."""
    while True:
        try:
            if bench.said(f"{question} || true").strip() == "1":
                break
        except NodeError:
            bench.host.run("ip", "neigh", "flush", "all")
        time.sleep(1)
    time.sleep(SETTLED_S)


def reached(bench: Box, nic: str) -> None:
    """Plug this host in for SSH at the control port."""
    bench.host.run("ip", "link", "set", nic, "up")
    bench.host.run("ip", "addr", "add", f"{CONTROL}.2/24", "dev", nic)
    bench.listens(f"{CONTROL}.1")
    time.sleep(SETTLED_S)


def refused_then_introduced(bench: Box, out: Path, plant: str, why: str, nic: str) -> str:
    """What is printed in the end, where the commands of a refusal were pasted; `nic`: for SSH."""
    planted(bench, plant)
    printed = introduced(bench, out, fails=True)
    assert why in printed.splitlines()[-1]
    pasted(bench, printed)
    reached(bench, nic)
    printed = introduced(bench, out, address=f"{CONTROL}.1")
    assert "NO  " not in printed
    return printed


def test_a_port_is_taken_out_of_the_bridge_by_the_commands_that_are_printed(
    bench: Box, tmp_path: Path
) -> None:
    why = "SSH comes in by br-lan, which all LAN ports are in (eth0, eth1): take eth1 out of it"
    file = tmp_path / "bench.toml"
    printed = refused_then_introduced(bench, file, ALL_IN_ONE_BRIDGE, why, "nic0")
    for line in ("| ctl0    |-----------------| eth0     LAN |", "| eth1     SSH |"):
        assert line in printed


def test_a_socket_of_a_switch_is_given_a_vlan_by_the_commands_that_are_printed(
    bench: Box, tmp_path: Path
) -> None:
    why = "which all LAN sockets lead to (ports 2, 3 of switch0): take port 3 out of it, for SSH"
    file = tmp_path / "bench.toml"
    printed = refused_then_introduced(bench, file, PLANTED, why, "ctl0")
    for line in ("| nic0    |-----------------| eth0.1   LAN |", "| eth0.3   SSH |"):
        assert line in printed
    assert "note: LAN and WAN are VLANs of eth0" in printed
    with running(bench, tmp_path / "run", file) as run:
        _, errors = run.communicate()
    assert len(sound(kept(tmp_path / "run"))) == 2, errors


def test_vlans_of_a_bridge_are_those_that_netifd_makes(bench: Box, tmp_path: Path) -> None:
    file = tmp_path / "bench.toml"
    bench.said(DSA)
    time.sleep(SETTLED_S)
    printed = introduced(bench, file, fails=True)  # this machine's kernel may have no VLANs
    for line in (
        "| nic0    |-----------------| eth1          LAN |",
        "| nic1    |-----------------| eth2, VLAN 7  WAN |",
    ):
        assert line in printed
    assert "share its rate" not in printed
    refused = [line for line in printed.splitlines() if line.startswith("NO  ")]
    assert [line for line in refused if NO_VLANS not in line] == []
    written = file.read_text()
    assert 'lan = "br-lan.4"\nwan = "br-lan.7"\n' in written
    assert '[lan]\nnic = "nic0"\n\n[wan]\nnic = "nic1"\nvlan = 7\n' in written
