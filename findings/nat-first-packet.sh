#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Linux NAT (6.18): a packet from outside that nobody takes, and comes first, moves a host's port for good.
#
# Masquerading keeps a host's port where it is free, so a caller that learned its public port by STUN
# can be sent to, and the first packet from outside, a little early, is merely lost: one bets. It is lost
# where the gateway's input chain drops it. A gateway without such a rule, as a test bench is or a router
# whose firewall is off, answers it with "port unreachable" and keeps a connection of it: that has the
# tuple, so the host's own packets leave from another port a moment later, and what the far end sends
# goes on to the gateway itself. Of a call all is heard there and nothing here, as long as it lasts.
# Whom it hurts: who measures calls, games or hole punching through a bare NAT, or turns a firewall off
# to look for the fault: with it the call works. No package but nftables is needed; own namespaces.
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
"""A host at both sides of a NAT; `case` says who sends first, and whether the gateway has a firewall."""
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
table ip wall {
  chain input {
    type filter hook input priority 0
    %s
  }
}
"""
DROP = 'iifname "out" ct state new drop'


def space():
    """Go into a namespace of our own; returns a way back."""
    assert LIBC.unshare(NEW_NET) == 0, os.strerror(ctypes.get_errno())
    ip("link", "set", "lo", "up")
    return os.open("/proc/self/ns/net", os.O_RDONLY)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def host(fd, address):
    """A socket at port 16000 of a host."""
    LIBC.setns(fd, NEW_NET)
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((address, 16000))
    made.settimeout(1)
    return made


def case(early, wall):
    inside, outside, gateway = space(), space(), space()
    for name, near, fd, own, its in (
        ("in", "10.0.1.1/24", inside, "in0", "10.0.1.2/24"),
        ("out", "10.0.2.1/24", outside, "out0", "10.0.2.2/24"),
    ):
        ip("link", "add", name, "type", "veth", "peer", "name", own)
        ip("link", "set", own, "netns", f"/proc/{os.getpid()}/fd/{fd}")
        ip("addr", "add", near, "dev", name)
        ip("link", "set", name, "up")
        LIBC.setns(fd, NEW_NET)
        ip("addr", "add", its, "dev", own)
        ip("link", "set", own, "up")
        ip("route", "add", "default", "via", near.partition("/")[0])
        LIBC.setns(gateway, NEW_NET)
    open("/proc/sys/net/ipv4/ip_forward", "w").write("1")
    nft = [os.environ["place"] + "/here/usr/sbin/nft", "-f", "-"]
    text = RULES % (DROP if wall else "")
    environment = {**os.environ, "LD_LIBRARY_PATH": os.environ["libraries"]}
    subprocess.run(nft, input=text, text=True, check=True, env=environment)
    ours, theirs = host(inside, "10.0.1.2"), host(outside, "10.0.2.2")
    if early:
        theirs.sendto(b"early", ("10.0.2.1", 16000))
    ours.sendto(b"call", ("10.0.2.2", 16000))
    port = theirs.recvfrom(99)[1][1]
    theirs.sendto(b"answer", ("10.0.2.1", 16000))
    try:
        answer = ours.recvfrom(99)[0].decode()
    except (TimeoutError, OSError):
        answer = "nothing"
    who = "outside first" if early else "inside first"
    wall = "a firewall" if wall else "no firewall"
    print(f"{who}, {wall}: port {'kept' if port == 16000 else 'moved'}, inside hears {answer}")


for early, wall in ((False, False), (True, False), (True, True)):
    if os.fork() == 0:
        case(early, wall)
        sys.stdout.flush()
        os._exit(0)
    assert os.wait()[1] == 0
PYTHON
export place
uname -sr
python3 probe.py | tee seen.txt
cat >expected.txt <<'TEXT'
inside first, no firewall: port kept, inside hears answer
outside first, no firewall: port moved, inside hears nothing
outside first, a firewall: port kept, inside hears answer
TEXT
cmp seen.txt expected.txt
