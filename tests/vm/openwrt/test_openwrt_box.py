# SPDX-License-Identifier: Apache-2.0
"""An OpenWrt box on a desk, over SSH: introduced, reported, refused, and given back."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import GATEMARK, environment

from gatemark.error import NodeError
from gatemark.station.qemu.lab import OURS
from gatemark.station.wiring import ADDRESS
from vm.box import OPENWRT, PLAN, Box, box
from vm.cpu import placement
from vm.openwrt import require

pytestmark = [pytest.mark.long, pytest.mark.box, pytest.mark.timeout(1500)]
ALONE = ("timeout", "600", "taskset", "-c", str(placement().sink))
SECRETS = """
uci set network.wan.username=anna@isp.example; uci set network.wan.password=hunter-two
uci set network.wg0=interface; uci set network.wg0.proto=wireguard
uci set network.wg0.private_key=yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=
ip addr add 93.184.216.34/24 dev eth2
logger psk=correct-horse at 3c:37:12:ab:cd:ef
"""
FORGOTTEN = "uci revert network; ip addr del 93.184.216.34/24 dev eth2"
SETTLED_S = 8.0  # until netifd has moved ports


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    require("x86_64")
    with box(tmp_path_factory.mktemp("box"), OPENWRT) as made:
        yield made


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def introduced(
    bench: Box, out: Path, *options: str, fails: bool = False, address: str = OURS.host
) -> str:
    """What the interview prints that asks nothing."""
    keys: tuple[str | Path, ...] = (
        "--key",
        bench.folder / "key",
        "--known-hosts",
        bench.folder / "known",
    )
    words = ("station", "introduce", f"root@{address}", "--yes", *keys, "--out", out, *options)
    return bench.host.run(*ALONE, *GATEMARK, *words, fails=fails)


def test_an_interview_writes_a_station_file_that_is_checked_sound(
    bench: Box, tmp_path: Path
) -> None:
    before, out = bench.said(bench.settings), tmp_path / "bench.toml"
    printed = introduced(bench, out)
    written = out.read_text()
    for line in ('lan = "br-lan"', 'wan = "eth2"', 'set = "openwrt"', 'nic = "nic0"'):
        assert line in written
    assert "| nic1 " in next(line for line in printed.splitlines() if "eth2" in line)
    assert "note: wan asks for its address by DHCP: while a run lasts it has one" in printed
    assert "NO  " not in printed
    assert bench.said(bench.settings) == before


def test_a_report_has_the_box_and_none_of_its_secrets(bench: Box, tmp_path: Path) -> None:
    file, out = tmp_path / "bench.toml", tmp_path / "report.md"
    folder = f'"{bench.folder}/'
    file.write_text(
        bench.station.replace('"key"', f'{folder}key"').replace('"known"', f'{folder}known"')
    )
    bench.said(SECRETS)
    try:
        bench.host.run(*ALONE, *GATEMARK, "station", "report", file, "--out", out)
    finally:
        bench.said(FORGOTTEN)
    text = out.read_text()
    assert "network.wan.proto='dhcp'" in text
    assert "ok  wan cable" in text
    assert "## Log" in text
    assert "table inet fw4" in text
    secrets = ("anna", "hunter", "yAnz5", "93.184", "correct-horse", "ab:cd:ef", "02:00:00:00:01")
    assert [secret for secret in secrets if secret in text] == []


FULL = """
mount -o remount,size=$(($(df -k /tmp | tail -n1 | awk '{print $3}') + 64))k /tmp
dd if=/dev/zero of=/tmp/full bs=1k 2> /dev/null || true
"""
FAULTS = {
    "no flock": (
        "mv /usr/bin/flock /usr/bin/flock.away",
        "mv /usr/bin/flock.away /usr/bin/flock",
        "the box has no flock, without which fw4 reloads nothing and says nothing: `opkg install",
    ),
    "a busybox that lacks an applet": (
        "r=$(command -v readlink); mv $r $r.away",
        "cd /bin; [ -e readlink.away ] || cd /usr/bin; mv readlink.away readlink",
        "the box's shell lacks readlink: a full busybox has it",
    ),
    "a full /tmp": (
        FULL,
        "rm -f /tmp/full; mount -o remount,size=96m /tmp",
        "the box's /tmp takes no file, which holds how it is given back: is it full, or read-only?",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_refused_in_one_line_that_says_how_to_fix_it(
    bench: Box, tmp_path: Path, fault: str
) -> None:
    plant, mend, line = FAULTS[fault]
    before = bench.said(bench.settings)
    bench.said(plant)
    try:
        printed = introduced(bench, tmp_path / "bench.toml", fails=True)
    finally:
        bench.said(mend)
    assert line in printed.splitlines()[-1]
    assert not (tmp_path / "bench.toml").exists()
    assert bench.said(bench.settings) == before


def test_a_port_that_is_not_there_is_refused_with_one_that_is(bench: Box, tmp_path: Path) -> None:
    printed = introduced(bench, tmp_path / "bench.toml", "--wan", "eth7", fails=True)
    assert "--wan: the box has no port 'eth7'; did you mean 'eth2'?" in printed.splitlines()[-1]


# It opens by itself: nobody else could. A reload would leave the chain that rejects, though empty.
CLOSED = """
(sleep 30; uci revert firewall; /etc/init.d/firewall restart) > /dev/null 2>&1 &
z=$(uci -X show firewall | sed -n "s/^firewall\\.\\([^.]*\\)\\.name='control'/\\1/p")
uci set firewall.$z.input=REJECT
(sleep 1; /etc/init.d/firewall reload) > /dev/null 2>&1 & sleep 0.1
"""


def test_a_firewall_that_closes_ssh_is_named(bench: Box, tmp_path: Path) -> None:
    bench.said(CLOSED)
    time.sleep(SETTLED_S)
    printed = introduced(bench, tmp_path / "bench.toml", fails=True)
    while True:
        try:
            staged = bench.said("uci changes")
            break
        except NodeError:
            time.sleep(1)
    assert "does the firewall there let in what comes by this port?" in printed.splitlines()[-1]
    assert staged == ""


def test_a_wan_without_an_address_cannot_be_taken_as_it_is(bench: Box, tmp_path: Path) -> None:
    printed = introduced(bench, tmp_path / "bench.toml", "--observe", fails=True)
    assert "eth2 of the box has no IPv4 address (its protocol is dhcp" in printed.splitlines()[-1]


# Ports as DSA calls them, with the control port left as it is; undone in the same way.
RENAMED = """
for pair in {pairs}; do
  ip link set ${{pair%:*}} down; ip link set ${{pair%:*}} name ${{pair#*:}}
done
{config}
/etc/init.d/network reload; /etc/init.d/firewall reload
"""
DSA = """
uci delete network.@device[0].ports; uci add_list network.@device[0].ports=lan1
uci set network.wan.device=wan; uci set network.wan6.device=wan
"""


def test_ports_of_dsa_are_taken_by_their_names(bench: Box, tmp_path: Path) -> None:
    out = tmp_path / "bench.toml"
    bench.said(RENAMED.format(pairs="eth1:lan1 eth2:wan", config=DSA))
    time.sleep(SETTLED_S)
    try:
        printed = introduced(bench, out)
    finally:
        bench.said(RENAMED.format(pairs="lan1:eth1 wan:eth2", config="uci revert network"))
        time.sleep(SETTLED_S)
    assert "| nic0    |-----------------| lan1     LAN |" in printed
    assert "| nic1    |-----------------| wan      WAN |" in printed
    assert 'wan = "wan"' in out.read_text()
    assert "NO  " not in printed


def running(bench: Box, out: Path, station: Path) -> "subprocess.Popen[str]":
    """A run on the box that its owner introduced."""
    (out.parent / "plan.toml").write_text(PLAN.format(times=1))
    words = ("run", out.parent / "plan.toml", "--station", station, "--out", out)
    command = bench.host.words(*ALONE, *GATEMARK, *words)
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment())


def test_a_read_only_root_is_handled(bench: Box, tmp_path: Path) -> None:
    before, out = bench.said(bench.settings), tmp_path / "bench.toml"
    bench.said("mount -o remount,ro /")
    try:
        refused = bench.said("touch /etc/planted 2> /dev/null || echo refused").strip()
        printed = introduced(bench, out)
        with running(bench, tmp_path / "run", out) as run:
            _, errors = run.communicate()
    finally:
        bench.said("mount -o remount,rw /")
    assert refused == "refused"
    assert "NO  " not in printed
    assert run.returncode == 0, errors
    assert bench.said(bench.settings) == before


# A prefix as a provider's router delegates it: netifd is told of it, and uci is not.
UPSTREAM = """
ubus call network add_dynamic '{"name": "upstream", "proto": "static", "device": "eth2",
"ip6prefix": ["2001:db8:77::/56"]}'
"""
ITS_END = """
ubus call network.interface.upstream remove; sleep 5; ip addr del 2001:db8:77::1/60 dev br-lan
"""
ASSIGNED = {  # what plants it, what undoes that, how the address begins
    "a ULA": ("true", "true", " fd"),
    "a delegated prefix": (UPSTREAM, ITS_END, " 2001:db8:77:"),
}
LAN6 = "ip -o -6 addr show dev br-lan scope global"


@pytest.mark.parametrize("prefix", ASSIGNED)
def test_a_lan_address_by_ip6assign_stays_beside_ours(
    bench: Box, tmp_path: Path, prefix: str
) -> None:
    plant, mend, begins = ASSIGNED[prefix]
    out, during = tmp_path / "bench.toml", ""
    bench.said(plant)
    time.sleep(SETTLED_S)
    try:
        before = bench.said(bench.settings)
        introduced(bench, out)
        with running(bench, tmp_path / "run", out) as run:
            while run.poll() is None and ADDRESS["gw0"]["ipv6"] not in during:
                time.sleep(2)
                during = bench.said(LAN6)
            _, errors = run.communicate()
        after = bench.said(bench.settings)
    finally:
        bench.said(mend)
        time.sleep(SETTLED_S)
    assert run.returncode == 0, errors
    assert ADDRESS["gw0"]["ipv6"] in during
    assert begins in during
    assert after == before
