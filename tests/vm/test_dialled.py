# SPDX-License-Identifier: Apache-2.0
"""`station introduce` of a box that dials by PPPoE on a VLAN, with its own kernel and pppd.

    nic0 ----- eth1      nic1 ----- eth2, eth2.35, ppp0      ctl0 ----- eth0

Nobody answers at the other end, so the session has known numbers, and its device is brought up by
hand, as in `test_malta.py`. A malta's kernel has PPPoE; the cloud's, of `test_introduced.py`, not.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from vm.box import Box, box
from vm.conftest import ROOMY
from vm.test_introduced import NO_VLANS, introduced

pytestmark = [pytest.mark.long, pytest.mark.box]
DIALS = """
modprobe -q pppoe
ip link set eth1 up; ip link set eth2 up
ip link add link eth2 name eth2.35 type vlan id 35; ip link set eth2.35 up
pppd plugin pppoe.so nic-eth2.35 pppoe-sess 1:02:00:00:00:00:77 noauth noipdefault \\
  lcp-restart 60 lcp-max-configure 100 nodetach < /dev/null > /dev/null 2>&1 &
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -e /sys/class/net/ppp0 ] && break; sleep 1; done
ip link set ppp0 up; ip route add default dev ppp0
"""


@pytest.fixture
def dialled(tmp_path: Path) -> Iterator[Box]:
    station = tmp_path / "roomy.toml"
    station.write_text(ROOMY)
    with box(tmp_path, str(station)) as made:
        made.said(DIALS)
        yield made


def test_the_wan_is_the_vlan_below_the_session(dialled: Box, tmp_path: Path) -> None:
    out = tmp_path / "bench.toml"
    printed = introduced(dialled, out)
    for line in (
        "| nic0    |-----------------| eth1           LAN |",
        "| nic1    |-----------------| eth2, VLAN 35  WAN |",
        "note: wan is a PPPoE connection: eth2.35 below it is measured, without PPPoE",
    ):
        assert line in printed
    refused = [line for line in printed.splitlines() if line.startswith("NO  ")]
    assert [line for line in refused if NO_VLANS not in line] == []
    assert '[lan]\nnic = "nic0"\n\n[wan]\nnic = "nic1"\nvlan = 35\n' in out.read_text()
