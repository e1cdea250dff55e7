#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Linux NAT (6.18): whether a second client has one port outside or two depends on whom it asks first.
#
# Two clients behind a masquerade have the same port, as phones of one make do, and the first has spoken to
# a host A. The second speaks to A and to B. One bets on one rule: a port for each host ("symmetric"), or one
# for all ("cone"). Both hold. If it asks A first, where its port is taken, it gets another port and keeps that
# one for B. If it asks B first, where nothing is in the way, it keeps its own port there, which is then two
# clients' at once, and gets another one for A. A test of NAT by STUN, which asks two servers, tells "cone" or
# "symmetric" of the same box by the order of its servers, and of one client alone always "cone".
# Whom it hurts: calls and games between two homes: the port that a STUN server told is not the one that
# the other home sees. No package but nftables is needed; own namespaces.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root nftables=1.0.6-2+deb12u2 libnftables1=1.0.6-2+deb12u2 \
	libnftnl11=1.2.4-2 libjansson4=2.14-2 >/dev/null
for package in *.deb; do dpkg -x "$package" here; done
libraries=$(echo "$place"/here/usr/lib/*-linux-gnu)
export libraries
cat >probe.py <<'PYTHON'
"""Two clients and two hosts of a NAT; `case` says whom the second client asks first."""
import ctypes
import os
import socket
import subprocess
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
NEW_NET = 0x40000000
RULES = """
table ip nat {
  chain post {
    type nat hook postrouting priority srcnat
    oifname "out" masquerade
  }
}
"""


def space():
    """Go into a namespace of our own; returns a way back."""
    assert LIBC.unshare(NEW_NET) == 0, os.strerror(ctypes.get_errno())
    ip("link", "set", "lo", "up")
    return os.open("/proc/self/ns/net", os.O_RDONLY)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def host(fd, address):
    """A socket at port 16000 of an address."""
    LIBC.setns(fd, NEW_NET)
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((address, 16000))
    made.settimeout(1)
    return made


def case(order):
    inside, outside, gateway = space(), space(), space()
    for name, near, fd, own, its in (
        ("in", "10.0.1.1/24", inside, "in0", ("10.0.1.2/24", "10.0.1.3/24")),
        ("out", "10.0.2.1/24", outside, "out0", ("10.0.2.2/24", "10.0.2.3/24")),
    ):
        ip("link", "add", name, "type", "veth", "peer", "name", own)
        ip("link", "set", own, "netns", f"/proc/{os.getpid()}/fd/{fd}")
        ip("addr", "add", near, "dev", name)
        ip("link", "set", name, "up")
        LIBC.setns(fd, NEW_NET)
        for address in its:
            ip("addr", "add", address, "dev", own)
        ip("link", "set", own, "up")
        ip("route", "add", "default", "via", near.partition("/")[0])
        LIBC.setns(gateway, NEW_NET)
    open("/proc/sys/net/ipv4/ip_forward", "w").write("1")
    nft = [os.environ["place"] + "/here/usr/sbin/nft", "-f", "-"]
    environment = {**os.environ, "LD_LIBRARY_PATH": os.environ["libraries"]}
    subprocess.run(nft, input=RULES, text=True, check=True, env=environment)
    first, second = host(inside, "10.0.1.2"), host(inside, "10.0.1.3")
    hosts = {"A": host(outside, "10.0.2.2"), "B": host(outside, "10.0.2.3")}

    def port(client, name):
        """Return the port that a host sees of a client."""
        client.sendto(b"call", hosts[name].getsockname())
        return hosts[name].recvfrom(99)[1][1]

    assert port(first, "A") == 16000
    ports = {name: port(second, name) for name in order}
    own = ", ".join(f"{'its own' if ports[n] == 16000 else 'another'} at {n}" for n in sorted(ports))
    count = len(set(ports.values()))
    print(f"asks {order[0]} first: {count} port{'s' * (count > 1)}, {own}")


for order in ("AB", "BA"):
    if os.fork() == 0:
        case(order)
        sys.stdout.flush()
        os._exit(0)
    assert os.wait()[1] == 0
PYTHON
export place
uname -sr
python3 probe.py | tee seen.txt
cat >expected.txt <<'TEXT'
asks A first: 1 port, another at A, another at B
asks B first: 2 ports, another at A, its own at B
TEXT
cmp seen.txt expected.txt
