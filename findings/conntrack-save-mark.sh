#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# conntrack 1.4.7: connections saved with `-o save` and loaded again come back without their mark.
#
# The manual copies "all entries" with `conntrack -L -o save | conntrack --load-file -`. Zone, NAT,
# status and time left are saved, so one takes the mark to be too, which the same tool lists and sets.
# No line of the file has it (nor with 1.4.9). Marks are given once, to the first packet: by them a
# router with two uplinks keeps a connection on its link, and a shaper keeps it in its class. After a
# restore, a fail-over or a move between zones, connections go on, are translated and counted, and
# leave by the default link or class. What has only new connections in its test sees nothing.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root conntrack=1:1.4.7-1+b2 \
	libnetfilter-conntrack3=1.0.9-3 libnfnetlink0=1.0.2-2 nftables libnftables1 libnftnl11 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
LD_LIBRARY_PATH=$(echo "$place"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH
cat >rules <<'NFT'
table ip box {
	chain output {
		type filter hook output priority -400
		meta l4proto udp ct zone set 7
	}
	chain paint {
		type filter hook output priority 0
		ct state new ct mark set 85
		udp dport 5000 ct mark 85 counter comment "by its mark"
		udp dport 5000 ct mark != 85 counter comment "by default"
	}
}
NFT
cat >probe.py <<'PYTHON'
"""Counts 3 datagrams of a marked and answered flow, and 3 more after the table is saved and loaded."""

import json
import socket
import subprocess


def run(*words, stdin=None):
    done = subprocess.run(words, check=True, capture_output=True, text=True, input=stdin)
    return done.stdout


def counters():
    listed = json.loads(run("usr/sbin/nft", "-j", "list", "chain", "ip", "box", "paint"))["nftables"]
    rules = [entry["rule"] for entry in listed if "comment" in entry.get("rule", {})]
    return {
        rule["comment"]: part["counter"]["packets"]
        for rule in rules
        for part in rule["expr"]
        if "counter" in part
    }


run("ip", "link", "set", "lo", "up")
run("usr/sbin/nft", "-f", "rules")
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 5000))
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.bind(("127.0.0.1", 4000))
client.sendto(b"x", ("127.0.0.1", 5000))
server.sendto(b"y", ("127.0.0.1", 4000))
for _ in range(2):
    client.sendto(b"x", ("127.0.0.1", 5000))
print("before:", counters())
saved = run("usr/sbin/conntrack", "-L", "-o", "save")
(line,) = [line for line in saved.splitlines() if "--dport 5000" in line]
print(line)
run("usr/sbin/conntrack", "-F")
run("usr/sbin/conntrack", "-R", "-", stdin=saved)
print(run("usr/sbin/conntrack", "-L", "-w", "7"), end="")
for _ in range(3):
    client.sendto(b"x", ("127.0.0.1", 5000))
print("after: ", counters())
PYTHON
usr/sbin/conntrack -V
unshare -n python3 probe.py | tee seen.txt
grep -q "^before: {'by its mark': 3, 'by default': 0}" seen.txt
grep -q "^after:  {'by its mark': 3, 'by default': 3}" seen.txt
grep -q 'mark=0 zone=7' seen.txt
