#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `tc -s class` of an HTB: "dropped 0", whatever the fq_codel or CAKE below the class has dropped.
#
# A class has a line "Sent ... (dropped ...)" of its own, so one expects the packets of that class that
# were dropped. It counts those alone that its queue refused as they came: all that a pfifo drops, and none
# that fq_codel drops as it takes packets out, or CAKE out of its own queues. The qdisc's line has them, and so
# has the root's. Linux 6.1.176 and, tried once, 6.12.113. Whom it hurts: who watches shaped customers
# or priorities by their classes, as they were with pfifo: since the leaves became fq_codel no
# class drops anything, and the overload of one is seen nowhere by its class.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root user-mode-linux=6.1um4+b13 busybox-static iproute2=6.1.0-3 \
	libbpf1 libelf1 libmnl0 libcap2 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >probe.py <<'PYTHON'
"""Overloads an HTB class of 1 Mbit/s with each leaf; what the class, the leaf and the root say of it."""

import json
import re
import socket
import subprocess
import time


def tc(words):
    return subprocess.run(["tc", *words.split()], check=True, capture_output=True, text=True).stdout


sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for leaf in ("pfifo limit 5", "fq_codel", "cake"):
    tc("qdisc replace dev va root handle 1: htb default 1")
    tc("class add dev va parent 1: classid 1:1 htb rate 1mbit")
    tc(f"qdisc add dev va parent 1:1 handle 10: {leaf}")
    for _ in range(2000):
        sender.sendto(bytes(500), ("10.0.0.2", 9))
        time.sleep(0.0005)
    time.sleep(1)
    dropped = {queue["kind"]: queue["drops"] for queue in json.loads(tc("-s -j qdisc show dev va"))}
    (shaped,) = re.findall(r"dropped (\d+)", tc("-s class show dev va classid 1:1"))
    root, below = dropped["htb"], dropped[leaf.split()[0]]
    assert root == below > 100, (leaf, root, below)
    print(f"seen: {leaf}: of those dropped the class has {int(shaped) / below:.0%}", flush=True)
    tc("qdisc del dev va root")
PYTHON
cat >init <<SH
#!/bin/sh
export PATH=$place/sbin:$place/bin:\$PATH LD_LIBRARY_PATH=$(echo "$place"/usr/lib/*-linux-gnu):$(echo "$place"/lib/*-linux-gnu)
mount -t proc proc /proc
for name in veth sch_htb sch_fq_codel sch_cake; do
	$place/bin/busybox insmod \$(find $place/usr/lib/uml -name "\$name.ko")
done
ip link add va type veth peer name vb
ip link set va up
ip link set vb up
ip addr add 10.0.0.1/24 dev va
ip neigh add 10.0.0.2 lladdr 02:00:00:00:00:02 dev va
python3 $place/probe.py 2>&1 | sed '/^seen/!s/^/seen: /'
echo o >/proc/sysrq-trigger
sleep 9
SH
chmod +x init
usr/bin/linux.uml root=/dev/root rootfstype=hostfs ro mem=256M quiet init="$place/init" con=null con0=null,fd:1 \
	</dev/null 2>&1 | grep -o 'seen: .*' | tr -d '\r' | tee seen.txt
cat >expected.txt <<'TEXT'
seen: pfifo limit 5: of those dropped the class has 100%
seen: fq_codel: of those dropped the class has 0%
seen: cake: of those dropped the class has 0%
TEXT
cmp seen.txt expected.txt
