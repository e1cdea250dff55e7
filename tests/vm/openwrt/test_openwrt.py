# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's own userland on a virtual gateway: set by its own means, and given back to the byte."""

from typing import Literal

import pytest
from msgspec.structs import replace

from gatemark.error import NodeError, StationError
from gatemark.gateway import fw4
from gatemark.gateway.setup import Setup
from gatemark.plan.model import Arm, Workload
from vm.box import OPENWRT_SETTINGS
from vm.conftest import FEW, Booted, Stand

pytestmark = pytest.mark.long
# Of one connection alone a queue that is short runs empty where the guest is held up.
TCP = Workload(kind="tcp", streams=4, settle_s=1.5, duration_s=3.0)
Path = Literal["route", "nat", "switch"]


@pytest.fixture
def openwrt(openwrt_stand: Stand) -> Booted:
    return openwrt_stand.booted()


def test_it_is_openwrt_from_its_first_process_on(openwrt: Booted) -> None:
    assert openwrt.said("readlink /proc/1/exe") == "/sbin/procd"
    assert openwrt.said("ubus list | grep -c '^network.interface'") != "0"
    assert openwrt.said("fw4 check > /dev/null 2>&1; echo $?") == "0"
    assert "OpenWrt" in openwrt.said(". /etc/os-release; echo $NAME")


def test_its_addresses_are_on_the_bridge_and_not_on_its_port(openwrt: Booted) -> None:
    lan = openwrt.lab.gateway.devices["gw0"]
    assert lan == "br-lan"
    assert " 198.18.1.1/24 " in openwrt.said(f"ip -o addr show dev {lan}")
    assert "198.18.1.1" not in openwrt.said("ip -o addr show dev eth1")


def test_its_addresses_outlast_a_reload_of_its_network(openwrt: Booted) -> None:
    addresses = "ip -o addr show scope global | sed 's/ *valid_lft.*//'"
    before = openwrt.said(addresses)
    openwrt.said("/etc/init.d/network reload; sleep 3")
    assert openwrt.said(addresses) == before


@pytest.mark.parametrize("path", ["route", "nat", "switch"])
def test_a_path_is_measured_and_given_back_to_the_byte(openwrt: Booted, path: Path) -> None:
    before = openwrt.said(OPENWRT_SETTINGS)
    record = openwrt.measure(path)
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    assert record.accounting.unique > 0.5 * record.accounting.tried
    openwrt.run(openwrt.bench.setup.undo())
    assert openwrt.said(OPENWRT_SETTINGS) == before


@pytest.mark.parametrize(
    ("path", "opened", "masquerades"), [("route", True, False), ("nat", False, True)]
)
def test_the_rules_in_the_kernel_are_those_that_were_meant(
    openwrt: Booted, path: Path, opened: bool, masquerades: bool
) -> None:
    setup = Setup(openwrt.lab.gateway)
    openwrt.run(setup.begin())
    openwrt.run(setup.change(Arm(path=path)))
    rules = openwrt.run(fw4.read(openwrt.lab.gateway))
    assert rules.opens("lan", "wan")
    assert rules.opens("wan", "lan") is opened
    assert ("masquerade" in rules.chains["srcnat_wan"]) is masquerades
    assert openwrt.run(setup.end()) == []


# Feature -> what is staged for it.
OF_FEATURE = {
    "offload:software": ".flow_offloading='1'",
    "vlan": "network.gatemark_vlan.device='eth2.7'",
}


@pytest.mark.parametrize("feature", OF_FEATURE)
def test_a_feature_is_set_by_its_own_means_and_given_back_to_the_byte(
    openwrt: Booted, feature: str
) -> None:
    before = openwrt.said(OPENWRT_SETTINGS)
    load = replace(FEW, direction="up")
    record = openwrt.measure(Arm(path="route", name=feature, features=(feature,)), load)
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    assert record.accounting.unique > 0.5 * record.accounting.tried
    staged = openwrt.said("uci changes")
    openwrt.run(openwrt.bench.setup.undo())
    assert OF_FEATURE[feature] in staged
    assert openwrt.said(OPENWRT_SETTINGS) == before


def require_sqm(openwrt: Booted) -> None:
    if openwrt.said("[ -e /etc/init.d/sqm ] || echo absent"):
        pytest.skip("this image was built from sources without sqm-scripts")


@pytest.mark.parametrize(
    ("word", "script"),
    [
        ("cake:5", "piece_of_cake.qos"),
        ("cake:5:diffserv4:ethernet:ack-filter", "layer_cake.qos"),
        ("fq_codel:5:overhead=44:atm", "simplest.qos"),
    ],
)
def test_a_shaper_is_sqms_own_holds_both_ways_and_is_given_back_to_the_byte(
    openwrt: Booted, word: str, script: str
) -> None:
    require_sqm(openwrt)
    before = openwrt.said(OPENWRT_SETTINGS)
    arm = Arm(path="nat", name="shaped", features=(f"shape:{word}",))
    records = [openwrt.measure(arm, replace(TCP, direction=way)) for way in ("up", "down")]
    staged = openwrt.said("uci changes")
    openwrt.run(openwrt.bench.setup.undo())
    for record in records:
        assert (record.status, record.reason) == ("ok", "")
        assert f"shape is set by SQM: {script}" in record.notes
        assert 0.5e6 < record.values["goodput_bps"] < 5e6
    assert f"sqm.gatemark_shape.script='{script}'" in staged
    assert openwrt.said(OPENWRT_SETTINGS) == before


def test_a_kernel_without_sqms_device_is_skipped_with_sqms_own_word(openwrt: Booted) -> None:
    require_sqm(openwrt)
    module = openwrt.said("find /lib/modules -name 'ifb.ko*'")
    openwrt.said(f"rmmod ifb; mv {module} /tmp/ifb.away")
    before = openwrt.said(OPENWRT_SETTINGS)
    try:
        record = openwrt.measure(Arm(path="nat", name="shaped", features=("shape:cake:5",)))
        assert record.status == "skipped"
        assert "shape:cake:5: SQM does not start: Unknown device type." in record.reason
        openwrt.run(openwrt.bench.setup.undo())
        assert openwrt.said(OPENWRT_SETTINGS) == before
    finally:
        openwrt.said(f"mv /tmp/ifb.away {module}")


def test_a_port_that_its_owners_sqm_shapes_is_skipped_with_the_fix(openwrt: Booted) -> None:
    require_sqm(openwrt)
    openwrt.said("cp /etc/config/sqm /tmp/sqm.was; uci set sqm.@queue[0].interface=eth2")
    openwrt.said("uci set sqm.@queue[0].enabled=1; uci commit sqm; /etc/init.d/sqm start eth2")
    try:
        record = openwrt.measure(Arm(path="nat", name="shaped", features=("shape:cake:5",)))
        assert record.status == "skipped"
        assert "eth2 is shaped by its owner's SQM: /etc/init.d/sqm stop eth2" in record.reason
    finally:
        openwrt.run(openwrt.bench.setup.undo())
        openwrt.said("/etc/init.d/sqm stop eth2; mv /tmp/sqm.was /etc/config/sqm")


OWNERS = "firewall.@defaults[0].flow_offloading"


def test_without_its_feature_a_path_offloads_no_flow_of_the_owners_either(openwrt: Booted) -> None:
    setup = Setup(openwrt.lab.gateway)
    openwrt.said(f"uci set {OWNERS}=1; uci commit firewall; /etc/init.d/firewall reload")
    openwrt.run(setup.begin())
    try:
        openwrt.run(setup.change(Arm(path="nat", name="on", features=("offload:software",))))
        openwrt.run(setup.change(Arm(path="nat", name="off")))
        assert not openwrt.run(fw4.read(openwrt.lab.gateway)).offloads
    finally:
        assert openwrt.run(setup.end()) == []
        openwrt.said(f"uci delete {OWNERS}; uci commit firewall; /etc/init.d/firewall reload")


def test_what_its_flow_table_carries_is_counted(openwrt: Booted) -> None:
    arm = Arm(path="nat", name="offload", features=("offload:software",))
    record = openwrt.measure(arm)
    assert record.evidence.offload["entries"] == FEW.flows
    assert record.values["offloaded_share"] > 0.8
    openwrt.run(openwrt.bench.setup.undo())


def test_hardware_offload_is_skipped_with_the_drivers_own_word(openwrt: Booted) -> None:
    before = openwrt.said(OPENWRT_SETTINGS)
    arm = Arm(path="route", name="hardware", features=("offload:hardware",))
    record = openwrt.measure(arm)
    assert record.status == "skipped"
    assert "falls back to software, as a driver takes no flows: eth1: " in record.reason
    assert "eth2: Could not process rule: Operation not supported" in record.reason
    openwrt.run(openwrt.bench.setup.undo())
    assert openwrt.said(OPENWRT_SETTINGS) == before


def test_a_reload_that_failed_is_seen_in_the_rules(openwrt: Booted) -> None:
    setup = Setup(openwrt.lab.gateway)
    openwrt.run(setup.begin())
    openwrt.said("echo 'this is no rule' > /etc/nftables.d/99-fault.nft")
    try:
        with pytest.raises(StationError, match="zone wan is not open to zone lan; zone wan masq"):
            openwrt.run(setup.change(Arm(path="route")))
    finally:
        openwrt.said("rm /etc/nftables.d/99-fault.nft")
        assert openwrt.run(setup.end()) == []
    assert openwrt.said("uci changes") == ""


def test_a_box_without_flock_is_refused_with_the_fix(openwrt: Booted) -> None:
    setup = Setup(openwrt.lab.gateway)
    openwrt.run(setup.begin())
    openwrt.said("mv /usr/bin/flock /usr/bin/flock.away")
    try:
        with pytest.raises(NodeError, match="no flock here, without which fw4 reloads nothing"):
            openwrt.run(setup.change(Arm(path="route")))
    finally:
        openwrt.said("mv /usr/bin/flock.away /usr/bin/flock")
        assert openwrt.run(setup.end()) == []


def test_what_somebody_stages_during_a_run_stays_staged(openwrt: Booted) -> None:
    setup = Setup(openwrt.lab.gateway)
    openwrt.run(setup.begin())
    openwrt.run(setup.change(Arm(path="route")))
    openwrt.said("uci set firewall.theirs=rule; uci set firewall.theirs.name=theirs")
    try:
        openwrt.run(setup.undo())
        assert openwrt.said("uci changes").splitlines() == [
            "firewall.theirs='rule'",
            "firewall.theirs.name='theirs'",
        ]
    finally:
        openwrt.said("uci revert firewall; /etc/init.d/firewall reload")
        openwrt.run(setup.end())


def test_what_somebody_staged_before_is_refused(openwrt: Booted) -> None:
    setup = Setup(openwrt.lab.gateway)
    openwrt.run(setup.begin())
    openwrt.said("uci set firewall.theirs=rule")
    try:
        with pytest.raises(NodeError, match="somebody has staged changes: uci commit"):
            openwrt.run(setup.change(Arm(path="route")))
        assert openwrt.said("uci changes") == "firewall.theirs='rule'"
    finally:
        openwrt.said("uci revert firewall")
        openwrt.run(setup.end())


def test_a_port_in_no_zone_is_refused_with_the_fix(openwrt: Booted) -> None:
    setup = Setup(openwrt.lab.gateway)
    # Reloaded without WAN's networks, and nothing staged any more.
    openwrt.said("for n in wan wan6; do uci del_list firewall.@zone[1].network=$n; done")
    openwrt.said("/etc/init.d/firewall reload; rm /tmp/.uci/firewall")
    openwrt.run(setup.begin())
    try:
        with pytest.raises(NodeError, match="no firewall zone has the port eth2: put its network"):
            openwrt.run(setup.change(Arm(path="route")))
    finally:
        openwrt.said("/etc/init.d/firewall reload")
        openwrt.run(setup.end())


def test_addresses_given_by_ip_outlast_a_reload_of_its_network(openwrt: Booted) -> None:
    openwrt.said("ip addr add 203.0.113.1/24 dev br-lan; /etc/init.d/network reload; sleep 3")
    try:
        assert " 203.0.113.1/24 " in openwrt.said("ip -o addr show dev br-lan")
    finally:
        openwrt.said("ip addr del 203.0.113.1/24 dev br-lan")


def test_a_restart_forgets_what_was_staged_and_the_setup_is_made_anew(openwrt: Booted) -> None:
    setup = openwrt.bench.setup
    openwrt.lab.after_restart = setup.again
    openwrt.run(setup.change(Arm(path="route")))
    staged = openwrt.said("uci changes")
    openwrt.run(openwrt.lab.restart())
    assert staged.splitlines()[-1] == "firewall.gatemark0.dest='lan'"
    assert openwrt.said("uci changes") == staged
    assert openwrt.run(fw4.read(openwrt.lab.gateway)).opens("wan", "lan")
    openwrt.run(setup.undo())
    assert openwrt.said("uci changes") == ""
