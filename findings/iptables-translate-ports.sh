#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# iptables-translate 1.8.9, 1.8.11: `--ports 2001:2004` becomes its two ends, `! --ports` loses its "not".
#
# The tool is how rules are moved to nft, and what it cannot say it leaves as a comment; so one expects
# of what it does translate the same packets. `--dports` and `--sports` come out right, also negated and
# with ranges. `--ports` (either port) becomes pairs in a set: of a range the two ends alone, and
# with "!" the same set as without. Exit status 0, nft takes it. 1.8.9 (Debian 12) loses the "!" of UDP's
# `--dport` as well, not that of TCP or of `--sport`. Whom it hurts: who moves a box's rules, classes or
# counters by it: "all but these ports" becomes "these ports", and a range counts only its ends.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root iptables=1.8.9-2 libxtables12=1.8.9-2 libip4tc2=1.8.9-2 libip6tc2=1.8.9-2 \
	libnftnl11=1.2.4-2 nftables=1.0.6-2+deb12u2 libnftables1=1.0.6-2+deb12u2 libjansson4=2.14-2 >/dev/null
mkdir 12 13
for package in *.deb; do dpkg -x "$package" 12; done
rm ./*.deb
mkdir -p lists/partial cache/archives/partial
sed 's/bookworm/trixie/g' /etc/apt/sources.list.d/debian.sources >debian.sources
cat >apt.conf <<APT
Dir::Etc::sourcelist "$place/debian.sources";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$place/lists";
Dir::Cache "$place/cache";
APT::Sandbox::User "root";
APT
export APT_CONFIG="$place/apt.conf"
apt-get update -q=2 >/dev/null
apt-get download -q=2 iptables=1.8.11-2 libxtables12 libip4tc2 libip6tc2 libnftnl11 libmnl0 libc6 \
	libnetfilter-conntrack3 libnfnetlink0 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" 13; done
cat >probe.py <<'PYTHON'
"""Prints which UDP ports a rule drops: by iptables, and by nft with what either version makes of it."""

import os
import socket
import subprocess
from glob import glob

PORTS = range(2000, 2006)
RULES = (
    "! --dport 2001",
    "-m multiport --dports 2001:2004",
    "-m multiport ! --dports 2001,2003",
    "-m multiport --ports 2001:2004",
    "-m multiport ! --ports 2001,2003",
)
(OLD,) = glob(os.getcwd() + "/12/usr/lib/*-linux-gnu")
(NEW,) = glob(os.getcwd() + "/13/usr/lib/*-linux-gnu")
(LOADER,) = glob(NEW + "/ld-linux-*.so.*")
OLDER = {"LD_LIBRARY_PATH": OLD, "XTABLES_LIBDIR": OLD + "/xtables"}
NEWER = {"XTABLES_LIBDIR": NEW + "/xtables"}


def run(*words, env=OLDER, text=""):
    return subprocess.run(words, env=env, input=text, check=True, capture_output=True, text=True).stdout


def translated(version, rule):
    name, words = "iptables-translate", ("-A", "OUTPUT", "-p", "udp", "-m", "udp", *rule.split(), "-j", "DROP")
    if version == "1.8.9":
        made = run("12/usr/sbin/" + name, *words)
    else:
        program = "13/usr/sbin/xtables-nft-multi"
        made = run(LOADER, "--argv0", name, "--library-path", NEW, program, *words, env=NEWER)
    return made.partition("'")[2].rpartition("'")[0]


def dropped():
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.bind(("127.0.0.1", 0))
    ports = []
    for port in PORTS:
        try:
            sender.sendto(b"", ("127.0.0.2", port))
        except PermissionError:
            ports.append(port)
    return ports or "none"


for rule in RULES:
    print(rule)
    words = ("OUTPUT", "-p", "udp", "-m", "udp", *rule.split(), "-j", "DROP")
    run("12/usr/sbin/iptables-legacy", "-A", *words)
    print("  iptables:", dropped())
    run("12/usr/sbin/iptables-legacy", "-F", "OUTPUT")
    for version in ("1.8.9", "1.8.11"):
        made = translated(version, rule)
        chain = "add table ip filter\nadd chain ip filter OUTPUT { type filter hook output priority 0; }\n"
        run("12/usr/sbin/nft", "-f", "-", text=chain + made + "\n")
        print(f"  nft, by {version}:", dropped())
        run("12/usr/sbin/nft", "flush", "ruleset")
PYTHON
unshare -n sh -c 'ip link set lo up; exec python3 probe.py' | tee seen.txt
cat >expected.txt <<'TEXT'
! --dport 2001
  iptables: [2000, 2002, 2003, 2004, 2005]
  nft, by 1.8.9: [2001]
  nft, by 1.8.11: [2000, 2002, 2003, 2004, 2005]
-m multiport --dports 2001:2004
  iptables: [2001, 2002, 2003, 2004]
  nft, by 1.8.9: [2001, 2002, 2003, 2004]
  nft, by 1.8.11: [2001, 2002, 2003, 2004]
-m multiport ! --dports 2001,2003
  iptables: [2000, 2002, 2004, 2005]
  nft, by 1.8.9: [2000, 2002, 2004, 2005]
  nft, by 1.8.11: [2000, 2002, 2004, 2005]
-m multiport --ports 2001:2004
  iptables: [2001, 2002, 2003, 2004]
  nft, by 1.8.9: [2001, 2004]
  nft, by 1.8.11: [2001, 2004]
-m multiport ! --ports 2001,2003
  iptables: [2000, 2002, 2004, 2005]
  nft, by 1.8.9: [2001, 2003]
  nft, by 1.8.11: [2001, 2003]
TEXT
cmp seen.txt expected.txt
