# SPDX-License-Identifier: Apache-2.0
"""A gateway over SSH, measured from NICs of this machine and from two hosts over SSH.

One namespace plays the host with its two NICs, others the gateway and the hosts (played.py).
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from command import GATEMARK

from lab import played
from lab.played import CONTROL, Played
from lab.server import PORT, keys, serving

GATEWAY = """
ip addr add 192.168.1.1/24 dev eth0; ip addr add 2001:db8:1::1/64 dev eth0 nodad
ip addr add 203.0.113.1/24 dev eth1; ip addr add 2001:db8:2::1/64 dev eth1 nodad
echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
"""
STATION = f"""
schema = "gatemark.station/1"
[gateway]
kind = "ssh"
address = "root@{CONTROL["gateway"]}:{PORT}"
key = "key"
known_hosts = "known"
set = "observe"
lan = "eth0"
wan = "eth1"
[lan]
nic = "enp3s0"
ipv4 = "192.168.1.10/24"
ipv6 = "2001:db8:1::10/64"
[wan]
nic = "enp4s0"
ipv4 = "203.0.113.10/24"
ipv6 = "2001:db8:2::10/64"
"""
PLAN = """
schema = "gatemark.plan/1"
title = "a few packets"
why = "They show that the way is there."
reading = "All of them arrive."
[[arm]]
name = "direct"
path = "direct"
[[arm]]
name = "route"
path = "route"
[workload]
kind = "udp"
frame_bytes = 128
duration_s = 0.3
rate_pps = 1000
[sweep]
direction = ["up", "down"]
[repeat]
times = 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys, a plan."""
    path = tmp_path_factory.mktemp("station")
    keys(path)
    (path / "plan.toml").write_text(PLAN)
    return path


@pytest.fixture(scope="module")
def host(folder: Path) -> Iterator[Played]:
    """A host with a gateway that listens."""
    with ExitStack() as stack:
        host = stack.enter_context(played.host())
        stack.enter_context(serving(host.gateway, folder))
        host.on_gateway("sh", "-ec", GATEWAY)
        yield host


def station(folder: Path, text: str = STATION) -> Path:
    """A station file."""
    path = folder / "bench.toml"
    path.write_text(text)
    return path


def records(out: Path) -> list[dict[str, object]]:
    """What a run kept."""
    return [json.loads(line) for line in (out / "trials.jsonl").read_text().splitlines()]


def test_udp_through_a_gateway_over_ssh(host: Played, folder: Path, tmp_path: Path) -> None:
    before = host.run("ip", "-o", "addr"), host.run("ip", "route"), host.run("ip", "-o", "link")
    out = tmp_path / "run"
    host.run(*GATEMARK, "run", folder / "plan.toml", "--station", station(folder), "--out", out)
    kept = records(out)
    assert [(one["status"], one["reason"]) for one in kept] == [("ok", "")] * 4
    assert {one["accounting"]["lost"] for one in kept} == {0}  # type: ignore[index]
    assert before == (
        host.run("ip", "-o", "addr"),
        host.run("ip", "route"),
        host.run("ip", "-o", "link"),
    )
