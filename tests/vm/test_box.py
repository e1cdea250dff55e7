# SPDX-License-Identifier: Apache-2.0
"""A box on a desk with a kernel of its own: set and given back, restarted, tagged."""

import json
import re
import subprocess
import time
from pathlib import Path

import backlog
import pytest
from command import GATEMARK, environment

from gatemark.station.qemu.lab import OURS
from vm.box import PLAN, SETTINGS, STATION, Box
from vm.cpu import placement
from vm.test_program import DIGEST

pytestmark = [pytest.mark.long, pytest.mark.box]
ALONE = ("timeout", "300", "taskset", "-c", str(placement().sink))  # the box has the other CPU
# One arm: a reboot under emulation takes a minute.
RESTARTED = """
schema = "gatemark.plan/1"
title = "A box that is restarted"
why = "It is there."
reading = "As it is."
[setup]
path = "nat"
[workload]
rate_pps = 500
restart_s = 0.5
duration_s = 1.5
[repeat]
times = 1
"""
KERNEL = """
schema = "gatemark.plan/1"
title = "Look-ups on a box"
why = "It is there."
reading = "As it is."
[setup]
path = "endpoint"
[workload]
kind = "algorithm"
command = "lpm"
[workload.words]
table = "generated:300:1"
mix = "uniform"
queries = 4096
repeats = 1
pass_ms = 0
[sweep]
words.structure = ["tbm4", "dxr18"]
[repeat]
times = 1
"""


@pytest.fixture(scope="module")
def bench(desk_box: Box) -> Box:
    return desk_box


def asked(bench: Box, plan: str, out: Path, station: str = STATION) -> list[str | Path]:
    """The command that runs a plan on the box."""
    (bench.folder / "bench.toml").write_text(station)
    (out.parent / "plan.toml").write_text(plan)
    words = ("run", out.parent / "plan.toml", "--station", bench.folder / "bench.toml")
    return [*ALONE, *GATEMARK, *words, "--out", out]


def kept(out: Path) -> list[dict[str, object]]:
    """The records of a run."""
    path = out / "trials.jsonl"
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def sound(records: list[dict[str, object]]) -> list[object]:
    """Their names; each has to be measured whole."""
    assert {(record["status"], record["reason"]) for record in records} == {("ok", "")}
    return [record["trial"] for record in records]


def test_it_is_set_and_given_back(bench: Box, tmp_path: Path) -> None:
    before = bench.said(SETTINGS)
    with backlog.watched() as backlogs:
        bench.host.run(*asked(bench, PLAN.format(times=1), tmp_path / "run"))
    records = kept(tmp_path / "run")
    assert len(sound(records)) == 2
    assert backlog.lost(records) <= backlogs.dropped
    assert bench.said(SETTINGS) == before


def test_a_kernel_computes_there_what_it_does_everywhere(bench: Box, tmp_path: Path) -> None:
    bench.host.run(*asked(bench, KERNEL, tmp_path / "run"))
    records = kept(tmp_path / "run")
    assert len(sound(records)) == 2
    kernels = [record["evidence"]["kernels"][0] for record in records]  # type: ignore[index]
    assert {kernel["digest"] for kernel in kernels} == {DIGEST}


def test_its_restart_is_timed(bench: Box, tmp_path: Path) -> None:
    booting = bench.said("cat /proc/sys/kernel/random/boot_id")
    bench.host.run(*asked(bench, RESTARTED, tmp_path / "run"))
    records = kept(tmp_path / "run")
    assert len(sound(records)) == 1
    assert bench.said("cat /proc/sys/kernel/random/boot_id") != booting
    values = records[0]["values"]
    assert isinstance(values, dict)
    assert 0 < values["reset_s"] <= values["reset_full_s"]


def test_a_reboot_in_the_middle_of_a_run_loses_nothing(bench: Box, tmp_path: Path) -> None:
    out, before = tmp_path / "run", bench.said(SETTINGS)
    words = bench.host.words(*asked(bench, PLAN.format(times=4), out))
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment()) as run:
        until = time.monotonic() + 120
        while len(kept(out)) < 2:
            assert time.monotonic() < until
            time.sleep(0.1)
        bench.reset()
        _, errors = run.communicate(timeout=120)
    assert run.returncode == 1
    assert "gateway: lost" in errors.splitlines()[-1]
    assert "Traceback" not in errors
    before_it = sound(kept(out))
    assert 2 <= len(before_it) < 8
    bench.wait()
    bench.host.run(*ALONE, *GATEMARK, "run", "--resume", out)
    names = sound(kept(out))
    assert names[: len(before_it)] == before_it
    assert len(names) == len(set(names)) == 8
    assert bench.said(SETTINGS) == before


# In the box: a gateway whose ports are tagged, at the one NIC of a tester that is the box itself.
TAGGED = """
set -e; ip netns add gw
ip link add nic0 type veth peer name trunk netns gw; ip link set nic0 up
ip link add ctl type veth peer name ctl netns gw
ip addr add 198.51.100.1/24 dev ctl; ip link set ctl up; echo 1 > /proc/sys/net/ipv4/ip_forward
ip -n gw addr add 198.51.100.2/24 dev ctl; ip -n gw link set ctl up; ip -n gw link set trunk up
ip -n gw route add default via 198.51.100.1
for id in 10 20; do ip -n gw link add link trunk name trunk.$id type vlan id $id; done
ip netns exec gw dropbear -s -r /etc/dropbear/host_key -P /tmp/gw.pid
"""
SIDE = f"""
kind = "ssh"
address = "root@{OURS.host}"
key = "key"
known_hosts = "known"
nic = "nic0"
vlan = """
ONE_NIC = (
    STATION.partition("[lan]")[0]
    .replace(OURS.host, "198.51.100.2")
    .replace("eth1", "trunk.10")
    .replace("eth2", "trunk.20")
    + f"[lan]{SIDE}10\n[wan]{SIDE}20\n"
)


UNTAGGED = """
kill $(cat /tmp/gw.pid); ip netns del gw; ip link del ctl 2> /dev/null
ip link del nic0 2> /dev/null
echo 0 > /proc/sys/net/ipv4/ip_forward; rm -f /tmp/gw.pid
"""


def tagged(bench: Box, device: str, way: str) -> int:
    """Frames of a VLAN that crossed the trunk."""
    output = bench.said(f"ip netns exec gw cat /proc/net/vlan/{device}")
    return int(re.search(rf"total frames {way}\s+(\d+)", output)[1])  # type: ignore[index]


def test_a_tester_with_one_nic_sends_tagged(bench: Box, tmp_path: Path) -> None:
    bench.said(TAGGED)
    bench.host.run("ip", "route", "add", "198.51.100.0/24", "via", OURS.host)
    try:
        sends_tagged(bench, tmp_path)
    finally:
        bench.host.run("ip", "route", "del", "198.51.100.0/24")
        bench.said(UNTAGGED)


def sends_tagged(bench: Box, tmp_path: Path) -> None:
    links = bench.said("ip -o link show dev nic0; ls /sys/class/net")
    with backlog.watched() as backlogs:
        bench.host.run(*asked(bench, PLAN.format(times=1), tmp_path / "run", ONE_NIC))
    records = kept(tmp_path / "run")
    assert len(sound(records)) == 2
    assert backlog.lost(records) <= backlogs.dropped
    tried = sum(record["accounting"]["tried"] for record in records)  # type: ignore[index]
    assert tried >= 250  # half of what is asked, on a machine that has other work
    assert tagged(bench, "trunk.10", "received") >= tried
    assert tagged(bench, "trunk.20", "transmitted") >= tried
    assert bench.said("ip -o link show dev nic0; ls /sys/class/net") == links
