#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pyroute2 0.9.7: `rate=1000000` makes a shaper of 8 Mbit/s, `rate="1000000"` one of 1 Mbit/s.
#
# To tc(8) a rate without a unit is in bits a second, and in Python one expects a number to mean what its
# digits in a string mean. For tbf and htb pyroute2 takes a string without a unit as bits, as tc does, and
# an int as bytes: eight times as much. For CAKE's `bandwidth` (run on a 6.1 kernel) an int is bits. No
# warning. Whom it hurts: who reads a rate from a file, where YAML or JSON gives 1000000 as an int, or makes
# one by arithmetic: the customer has eight times what he pays for, and a test with "1mbit" passes.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root iproute2=6.1.0-3 libbpf1 libelf1 libmnl0 libcap2 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
python3 -m venv venv
venv/bin/pip install -q pyroute2==0.9.7
cat >probe.py <<'PYTHON'
import re
import subprocess

from pyroute2 import IPRoute

ROOT = 0xFFFFFFFF


def tc(*words):
    return subprocess.run(("tc", *words[:2], "dev", "lo", *words[2:]), check=True, capture_output=True, text=True).stdout


with IPRoute() as route:
    (lo,) = route.link_lookup(ifname="lo")
    for rate in (1000000, "1000000", "1mbit"):
        route.tc("add", "tbf", lo, 0x10000, parent=ROOT, rate=rate, burst=5000, latency="50ms")
        text = tc("qdisc", "show")
        route.tc("del", index=lo, parent=ROOT)
        print(f"tbf rate={rate!r}:", *re.findall(r"rate (\S+)", text))
        route.tc("add", "htb", lo, 0x10000)
        route.tc("add-class", "htb", lo, 0x10001, parent=0x10000, rate=rate)
        text = tc("class", "show")
        route.tc("del", index=lo, parent=ROOT)
        print(f"htb rate={rate!r}:", *re.findall(r"rate (\S+)", text))
tc(*"qdisc add root tbf rate 1000000 burst 5000 latency 50ms".split())
print("tc's own rate 1000000:", *re.findall(r"rate (\S+)", tc("qdisc", "show")))
PYTHON
libraries=$(echo "$place"/usr/lib/*-linux-gnu):$(echo "$place"/lib/*-linux-gnu)
unshare -n sh -c "ip link set lo up; PATH=$place/sbin:\$PATH LD_LIBRARY_PATH=$libraries venv/bin/python probe.py" | tee seen.txt
cat >expected.txt <<'TEXT'
tbf rate=1000000: 8Mbit
htb rate=1000000: 8Mbit
tbf rate='1000000': 1Mbit
htb rate='1000000': 1Mbit
tbf rate='1mbit': 1Mbit
htb rate='1mbit': 1Mbit
tc's own rate 1000000: 1Mbit
TEXT
cmp seen.txt expected.txt
