# SPDX-License-Identifier: Apache-2.0
"""A gateway over SSH, measured from NICs of this machine and from two hosts over SSH.

One namespace plays the host with its two NICs, others the gateway and the hosts (played.py).
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import backlog
import pytest
from command import GATEMARK

from gatemark.plan.model import Arm
from gatemark.station.load import load
from lab.station import played
from lab.station.played import CONTROL, Played
from lab.station.server import PORT, keys, listening, serving

GATEWAY = """
ip addr add 192.168.1.1/24 dev eth0; ip addr add 2001:db8:1::1/64 dev eth0 nodad
ip addr add 203.0.113.1/24 dev eth1; ip addr add 2001:db8:2::1/64 dev eth1 nodad
echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
"""
KEYS = 'key = "key"\nknown_hosts = "known"'
STATION = f"""
schema = "gatemark.station/1"
[gateway]
kind = "ssh"
address = "root@{CONTROL["gw"]}.2:{PORT}"
{KEYS}
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


FAR_STATION = STATION.replace(
    "[lan]", f'[lan]\nkind = "ssh"\naddress = "root@{CONTROL["lan2"]}.2:{PORT}"\n{KEYS}'
).replace("[wan]", f'[wan]\nkind = "ssh"\naddress = "root@{CONTROL["wan"]}.2:{PORT}"\n{KEYS}')


@pytest.fixture(scope="module")
def host(folder: Path) -> Iterator[Played]:
    """A host with a gateway that listens."""
    with listening(folder) as host:
        host.on("gw", "sh", "-ec", GATEWAY)
        yield host


@pytest.fixture(scope="module")
def far(folder: Path) -> Iterator[Played]:
    """A host that has no NICs: two others have them."""
    with ExitStack() as stack:
        host = stack.enter_context(played.host(far=True))
        for name in host.names.values():
            if name != host.names["lan"]:
                stack.enter_context(serving(name, folder))
        host.on("gw", "sh", "-ec", GATEWAY)
        host.on("wan", "ethtool", "-K", "enp4s0", "tso", "off")
        yield host


def station(folder: Path, text: str = STATION) -> Path:
    """A station file."""
    path = folder / "bench.toml"
    path.write_text(text)
    return path


def records(out: Path) -> list[dict[str, object]]:
    """What a run kept."""
    return [json.loads(line) for line in (out / "trials.jsonl").read_text().splitlines()]


@pytest.mark.long
def test_udp_through_a_gateway_over_ssh(host: Played, folder: Path, tmp_path: Path) -> None:
    before = host.run("ip", "-o", "addr"), host.run("ip", "route"), host.run("ip", "-o", "link")
    out = tmp_path / "run"
    bench, plan = station(folder, STATION + CABLE), folder / "both.toml"
    plan.write_text(PLAN.replace('["up", "down"]', '["both"]'))
    with backlog.watched() as backlogs:
        host.run(*GATEMARK, "run", plan, "--station", bench, "--out", out)
    assert json.loads((out / "run.json").read_text())["before"]["bench"] == STATED
    kept = records(out)
    assert [(record["status"], record["reason"]) for record in kept] == [("ok", "")] * 2
    assert backlog.lost(kept) <= backlogs.dropped
    assert before == (
        host.run("ip", "-o", "addr"),
        host.run("ip", "route"),
        host.run("ip", "-o", "link"),
    )


LOOK = """
ip -o addr; ip route show table all; ip -6 route show table all; ip neigh show dev {nic}
ethtool -k {nic}
"""


def seen(host: Played) -> list[str]:
    """What of the hosts may not have changed."""
    sides = {"lan2": "enp3s0", "wan": "enp4s0"}
    return [host.on(end, "sh", "-ec", LOOK.format(nic=nic)) for end, nic in sides.items()]


@pytest.mark.long
def test_udp_between_two_hosts_over_ssh(far: Played, folder: Path, tmp_path: Path) -> None:
    before, out = seen(far), tmp_path / "run"
    bench = station(folder, FAR_STATION)
    with backlog.watched() as backlogs:
        far.run(*GATEMARK, "run", folder / "plan.toml", "--station", bench, "--out", out)
    kept = records(out)
    direct = [record for record in kept if record["arm"] == "direct"]
    assert {record["status"] for record in direct} == {"skipped"}
    assert all("two machines" in str(record["reason"]) for record in direct)
    through = [record for record in kept if record["arm"] == "route"]
    assert [(record["status"], record["reason"]) for record in through] == [("ok", "")] * 2
    assert backlog.lost(through) <= backlogs.dropped
    assert "\n".join(seen(far)).splitlines() == "\n".join(before).splitlines()


LINE = "[line]\nrate_bps = 2e6\n"


def over_a_line(
    host: Played, folder: Path, out: Path, text: str, *, fails: bool = False
) -> list[dict[str, object]]:
    """What a run kept whose plan has a line; it fails where no trial was valid."""
    plan, bench = folder / "line.toml", station(folder, text)
    plan.write_text(PLAN + LINE)
    host.run(*GATEMARK, "run", plan, "--station", bench, "--out", out, fails=fails)
    return records(out)


@pytest.mark.long
def test_a_nic_goes_behind_the_line_and_comes_home(
    host: Played, folder: Path, tmp_path: Path
) -> None:
    before = host.run("ip", "-o", "addr"), host.run("ip", "-o", "link")
    with backlog.watched() as backlogs:
        kept = over_a_line(host, folder, tmp_path / "run", STATION)
    assert [(record["status"], record["reason"]) for record in kept] == [("ok", "")] * 4
    assert backlog.lost(kept) <= backlogs.dropped
    frame_ns = 0.95 * 8 * 124 / 2e6 * 1e9  # a delay is told by its histogram's buckets
    assert all(record["values"]["delay_min_ns"] >= frame_ns for record in kept)  # type: ignore[index]
    assert before == (host.run("ip", "-o", "addr"), host.run("ip", "-o", "link"))


@pytest.mark.long
def test_no_line_stands_before_another_machine(far: Played, folder: Path, tmp_path: Path) -> None:
    kept = over_a_line(far, folder, tmp_path / "run", FAR_STATION, fails=True)
    through = [record for record in kept if record["arm"] == "route"]
    assert {record["status"] for record in through} == {"skipped"}
    assert all("a host on this machine" in str(record["reason"]) for record in through)


def checked(host: Played, bench: Path, *, fails: bool = False) -> dict[str, tuple[bool, str]]:
    """What `gatemark station check` says, by what it looked at."""
    output = host.run(*GATEMARK, "station", "check", bench, "--json", fails=fails)
    rows = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    return {row["what"]: (row["ok"], row["text"]) for row in rows}


CABLE = """
[[cable]]
from = "lan"
to = "gateway lan"
type = "Cat 6"
length_m = 2
"""
STATED = {"cable lan to gateway lan": "Cat 6, 2 m"}


@pytest.mark.long
def test_a_sound_station_is_checked_sound(host: Played, folder: Path) -> None:
    checks = checked(host, station(folder, STATION + CABLE))
    assert all(ok for ok, _ in checks.values()), checks
    assert checks["lan cable"][1] == "enp3s0 of LAN host to the gateway's eth0"
    assert checks["lan cable's loss"][1] == "0 of 8000 packets lost on the way to eth0"
    assert checks["stated"][1] == "cable lan to gateway lan: Cat 6, 2 m"
    assert checks["control path"][1] == "by the gateway's ctl0"
    assert checks["WAN host clock"][1] == "this machine's"
    assert "packets/s of 64 bytes" in checks["tester"][1]


@pytest.mark.long
def test_swapped_cables_are_told(host: Played, folder: Path) -> None:
    swapped = STATION.replace("enp3s0", "other").replace("enp4s0", "enp3s0")
    checks = checked(host, station(folder, swapped.replace("other", "enp4s0")), fails=True)
    ok, text = checks["lan cable"]
    assert not ok
    assert "leads to the gateway's eth1, not eth0: swap the cables" in text


@pytest.mark.long
@pytest.mark.parametrize(
    ("right", "wrong", "text"),
    [
        ('nic = "enp3s0"', 'nic = "ctl-gw"', "ctl-gw is the NIC that leads to 198.18.200.2"),
        ('lan = "eth0"', 'lan = "ctl0"', "ctl0 is the port that SSH comes in by"),
        ('nic = "enp3s0"', 'nic = "enp9s0"', "enp9s0: no such NIC on this machine"),
        ('lan = "eth0"', 'lan = "eth9"', "gateway: no port eth9; it has ctl0, eth0, eth1"),
    ],
)
def test_a_wrong_port_is_refused_in_one_line(
    host: Played, folder: Path, right: str, wrong: str, text: str
) -> None:
    before = host.run("ip", "-o", "link")
    checks = checked(host, station(folder, STATION.replace(right, wrong)), fails=True)
    ok, line = checks["station"]
    assert not ok
    assert text in line
    assert host.run("ip", "-o", "link") == before


def test_a_gateway_with_one_port_is_an_endpoint_alone(folder: Path) -> None:
    text = STATION.partition("[wan]")[0].replace('wan = "eth1"\n', "")
    bench = load(str(station(folder, text)))
    assert bench.lacks(Arm(path="endpoint")) == ""
    assert "only be an endpoint" in bench.lacks(Arm(path="nat"))


# In the gateway's namespace: a cable behind its LAN port that drops a packet of a thousand.
LOSING = """
ip link set eth0 down; ip link set eth0 name near; ip link add far type veth peer name eth0
ip link add cable type bridge; for end in near far; do ip link set $end master cable up; done
ip link set cable up; ip link set eth0 up
nft add table netdev cable
nft add chain netdev cable loses '{ type filter hook ingress device near priority 0; }'
nft add rule netdev cable loses numgen inc mod 1000 == 0 drop
"""


@pytest.mark.long
def test_a_cable_that_loses_a_packet_a_second_is_told(folder: Path) -> None:
    with listening(folder) as host:
        host.on("gw", "sh", "-ec", LOSING + GATEWAY)
        checks = checked(host, station(folder), fails=True)
    failed = {name for name, (ok, _) in checks.items() if not ok}
    if "tester's loss" in failed:  # on its own cable: then no other cable's loss is told apart
        pytest.skip("other work keeps the tester from its CPU")
    assert failed == {"lan cable's loss"}, checks
    assert "8 of 8000 packets lost on the way to eth0, in 8 of 8" in checks["lan cable's loss"][1]


@pytest.mark.long
def test_a_gateway_that_lies_about_its_address_runs_nothing(folder: Path, tmp_path: Path) -> None:
    planted = Path(f"/var/tmp/{tmp_path.name}-planted")  # noqa: S108  servers have their own /tmp
    lie = tmp_path / "address"
    lie.write_text(f"02:00:00:00:00:01; touch {planted}\n")
    with ExitStack() as stack:
        far = stack.enter_context(played.host(far=True))
        for end in ("gw", "lan2", "wan"):
            first = f"mount --bind {lie} /sys/class/net/eth0/address" if end == "gw" else ""
            stack.enter_context(serving(far.names[end], folder, first))
        far.on("gw", "sh", "-ec", GATEWAY)
        checks = checked(far, station(folder, FAR_STATION), fails=True)
        assert "gateway: '02:00:00:00:00:01; touch " in checks["station"][1]
    assert not planted.exists()
