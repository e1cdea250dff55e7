# SPDX-License-Identifier: Apache-2.0
"""`packet_steering` of OpenWrt's own userland, on a virtual gateway of two processors."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from gatemark.plan.model import Arm
from vm import openwrt
from vm.box import OPENWRT_SETTINGS
from vm.conftest import FEW, Booted, Stand

pytestmark = pytest.mark.long
STATION = """
schema = "gatemark.station/1"
[gateway]
kind = "qemu"
arch = "x86_64"
image = "openwrt"
set = "openwrt"
cpus = 2
boot_s = 600
"""
UP = replace(FEW, direction="up")
QUEUES = "grep . /sys/class/net/*/queues/rx-*/rps_* /sys/class/net/*/threaded"
OF_PORTS = "cat /sys/class/net/eth[123]/queues/rx-*/rps_cpus"


@pytest.fixture(scope="module")
def pair_stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    file = tmp_path_factory.mktemp("station") / "pair.toml"
    file.write_text(STATION)
    yield from openwrt.stand(str(file), "x86_64")


@pytest.fixture
def pair(pair_stand: Stand) -> Booted:
    return pair_stand.booted()


@pytest.mark.parametrize(("to", "value", "mask"), [("softirq", "0", "0"), ("all", "2", "3")])
def test_it_is_staged_and_every_queue_is_given_back(
    pair: Booted, to: str, value: str, mask: str
) -> None:
    before = pair.said(OPENWRT_SETTINGS), pair.said(QUEUES)
    arm = Arm(path="route", name="steered", features=(f"steering:{to}", "vlan"))
    record = pair.measure(arm, UP)
    staged, masks = pair.said("uci changes network"), pair.said(OF_PORTS).split()
    pair.run(pair.bench.setup.undo())
    assert (record.status, record.reason) == ("ok", "")
    assert f"steering is set by packet_steering = {value}" in record.notes
    assert f"network.globals.packet_steering='{value}'" in staged
    assert {*masks} == {mask}
    assert (pair.said(OPENWRT_SETTINGS), pair.said(QUEUES)) == before


def test_a_word_that_it_has_not_is_set_in_sys_and_a_note_says_so(pair: Booted) -> None:
    before = pair.said(QUEUES)
    record = pair.measure(Arm(path="route", name="steered", features=("steering:rps",)))
    pair.run(pair.bench.setup.undo())
    assert (record.status, record.reason) == ("ok", "")
    assert "steering is set in /sys: no packet_steering means rps" in record.notes
    assert pair.said(QUEUES) == before
