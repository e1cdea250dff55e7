# SPDX-License-Identifier: Apache-2.0
"""NICs that a station file names come home as they were, however the laboratory ends.

the host [ enp3s0, enp4s0 ] ---- the gateway          veth pairs stand in for NICs and cables
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.station.played import Played, host

# A laboratory that has taken both NICs, changed all that it may, and then does what it is told.
LABORATORY = """
import subprocess, sys
from gatemark.station import lock, space
from gatemark.station.ssh import loan
lab = sys.argv[1]
nodes = space.spaces(lab, ("lan", "wan"))
with lock.named(lab, "run"):
    space.create(nodes)
    lan, wan = (node.netns for node in nodes.values())
    taken = loan.Taken.take(lab, {lan: "enp3s0", wan: "enp4s0"})
    try:
        for name, nic in ((lan, "enp3s0"), (wan, "enp4s0")):
            for words in (f"addr add 198.18.77.1/24 dev {nic}", f"link set {nic} mtu 1280 up"):
                subprocess.run(["ip", "-n", name, *words.split()], check=True)
            away = ["ethtool", "-K", nic, "tso", "off", "gso", "off", "gro", "on"]
            subprocess.run(["ip", "netns", "exec", name, *away], check=True)
        print(taken._guard.pid, flush=True)
        if input() == "fail":
            raise RuntimeError("as told")
    finally:
        taken.give_back()
        space.remove(nodes)
"""
RECOVER = "from gatemark.station.recover import recover; print(*recover(), sep='\\n')"
# As station/line/splice.py does.
SPLICED = """
ip netns add gm-{lab}-line
ip -n gm-{lab}-wan link set enp4s0 netns gm-{lab}-line
ip -n gm-{lab}-line link add line1 type veth peer name enp4s0 netns gm-{lab}-wan
"""
LAB = "abcdef"
HOME_S = 30.0  # of a machine with other work

NICS = ("enp3s0", "enp4s0")
AS_FOUND = """
ip addr add 192.168.1.10/24 brd + dev enp3s0 label enp3s0:1
ip addr add 192.168.7.1/32 dev enp3s0 valid_lft 5000 preferred_lft 4000
ip addr add 2001:db8:1::10/64 dev enp3s0 nodad
ip addr add 2001:db8:1::11/64 dev enp3s0 nodad noprefixroute
ip link set enp3s0 mtu 1400
ip route add 10.99.0.0/16 via 192.168.1.1 dev enp3s0 metric 70
ip route add 10.98.0.0/16 dev enp3s0 src 192.168.1.10 table 99 mtu 1300
ip -6 route add 2001:db8:9::/48 via 2001:db8:1::1 dev enp3s0
echo 2 > /proc/sys/net/ipv4/conf/enp3s0/rp_filter
echo 0 > /proc/sys/net/ipv6/conf/enp3s0/accept_ra
ethtool -K enp3s0 tso off rx-gro-list on
ethtool -K enp4s0 tx-tcp-mangleid-segmentation off
ip link set enp4s0 down
"""
# Lifetimes run; a device that is down shows its queueing discipline only if it never moved.
PICTURE = """
for nic in enp3s0 enp4s0; do
  ip -o link show $nic | sed 's/qdisc [a-z]*//'
  ip -o addr show $nic | grep -v 192.168.7.1; ethtool -k $nic
  ip -4 route show table all dev $nic; ip -6 route show table all dev $nic
  grep -r . /proc/sys/net/ipv4/conf/$nic /proc/sys/net/ipv6/conf/$nic
done; true
"""


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    """A host whose NICs have a bit of everything."""
    with host() as played:
        played.run("sh", "-ec", AS_FOUND)
        yield played


@pytest.fixture
def before(played: Played) -> str:
    """How the NICs were found."""
    return picture(played)


def picture(played: Played) -> str:
    """All that a NIC is: names, numbers, addresses, routes, sysctls, features."""
    return played.run("sh", "-c", PICTURE)


def laboratory(played: Played) -> tuple["subprocess.Popen[str]", int]:
    """One that has taken the NICs, and its guard's pid."""
    process = played.python(LABORATORY, LAB)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    assert "enp3s0" not in played.run("ip", "link"), "taken"
    return process, int(line)


def home(played: Played, before: str) -> None:
    """Wait until the NICs are home."""
    until = time.monotonic() + HOME_S
    while picture(played) != before and time.monotonic() < until:
        time.sleep(0.05)
    assert picture(played) == before


@pytest.mark.long
@pytest.mark.parametrize(("order", "code"), [("end", 0), ("fail", 1)])
def test_nics_come_home_as_they_were(played: Played, before: str, order: str, code: int) -> None:
    process, _ = laboratory(played)
    errors = process.communicate(f"{order}\n")[1]
    assert process.returncode == code, errors
    assert picture(played) == before


@pytest.mark.alone
def test_a_killed_laboratorys_nics_come_home_at_once(played: Played, before: str) -> None:
    process, _ = laboratory(played)
    process.kill()
    process.wait()
    home(played, before)
    assert f"lab {LAB}" in played.run(sys.executable, "-c", RECOVER)


@pytest.mark.long
@pytest.mark.alone
def test_a_nic_behind_a_line_comes_home_from_a_killed_laboratory(
    played: Played, before: str
) -> None:
    """The WAN host has another device of its name meanwhile, which is not the NIC."""
    process, _ = laboratory(played)
    played.run("sh", "-ec", SPLICED.format(lab=LAB))
    process.kill()
    process.wait()
    home(played, before)
    assert f"lab {LAB}, 3 namespaces" in played.run(sys.executable, "-c", RECOVER)


@pytest.mark.long
@pytest.mark.alone
def test_with_the_guard_killed_too_the_next_start_brings_them_home(
    played: Played, before: str
) -> None:
    process, guard = laboratory(played)
    os.kill(guard, signal.SIGKILL)
    process.kill()
    process.wait()
    assert "enp3s0" not in played.run("ip", "link")
    output = played.run(sys.executable, "-c", RECOVER)
    assert "given back: enp3s0, enp4s0" in output
    assert picture(played) == before
    assert not Path(f"/run/gatemark/{LAB}.nics.json").exists(), "it was the host's own /run"


@pytest.mark.long
def test_a_signal_to_the_guard_does_not_end_it(played: Played, before: str) -> None:
    process, guard = laboratory(played)
    os.kill(guard, signal.SIGTERM)
    process.kill()
    process.wait()
    home(played, before)
    played.run(sys.executable, "-c", RECOVER)


TAKE = "from gatemark.station.ssh.nic import require_movable; require_movable('enp3s0')"


@pytest.mark.long
@pytest.mark.parametrize(
    ("made", "undone", "why"),
    [
        (
            "link add br9 type bridge; ip link set enp3s0 master br9",
            "link del br9",
            "enp3s0: it is part of br9",
        ),
        (
            "link add mac9 link enp3s0 type macvlan",
            "link del mac9",
            "enp3s0: mac9 stands on it",
        ),
        (
            "route add default via 192.168.1.1",
            "route del default",
            "this machine's default route goes by it",
        ),
    ],
)
def test_a_nic_that_more_depends_on_is_refused(
    played: Played, made: str, undone: str, why: str
) -> None:
    played.run("sh", "-ec", f"ip {made}")
    try:
        assert why in played.run(sys.executable, "-c", TAKE, fails=True)
    finally:
        played.run("sh", "-ec", f"ip {undone}")


@pytest.mark.long
def test_a_nic_that_is_shaped_is_refused(played: Played) -> None:
    played.run("sh", "-c", "tc qdisc add dev enp3s0 root pfifo")
    try:
        assert "queueing discipline (pfifo 8" in played.run(sys.executable, "-c", TAKE, fails=True)
    finally:
        played.run("sh", "-c", "tc qdisc del dev enp3s0 root")


@pytest.mark.long
def test_a_nic_that_somebody_is_logged_in_by_is_refused(played: Played) -> None:
    played.run("ip", "link", "set", "lo", "up")
    server = played.python(SESSION)
    assert server.stdout is not None
    assert server.stdout.readline() == "held\n"
    try:
        output = played.run(sys.executable, "-c", TAKE, fails=True)
        assert "enp3s0: an SSH session from 192.168.1.10" in output
    finally:
        server.kill()
        server.wait()


# A connection to port 22 of an address of the NIC, as a shell of somebody's would hold it.
SESSION = """
import socket, time
server = socket.create_server(("192.168.1.10", 22))
client = socket.create_connection(("192.168.1.10", 22))
print("held", flush=True)
time.sleep(60)
"""
