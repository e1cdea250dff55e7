#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# netem: `reorder 25% 50%`, the example of tc-netem(8), reorders 7 %; `duplicate 10% 50%` drops the 50 %.
#
# The manual says of its own example that packets are sent at once "with a probability of 0.25 (with
# correlation of 50%)", so one expects a quarter of them, in runs. netem mixes each random number with the
# one before, which draws all numbers to the middle: fewer fall below a quarter, and next to none below a
# tenth. So `reorder 25% 50%` reorders some 7 %, `corrupt 10% 50%` corrupts next to nothing, and `loss 10%
# 50%` (of which alone the manual warns) loses next to nothing. `duplicate 10% 50%` duplicates 10 %, for tc
# 6.1.0 does not send the 50 % and says nothing. Linux 6.1.176 and, tried once, 6.12.113. Whom it
# hurts: who tests a codec or TCP "with 25 % of reordering" as the manual has it, and has a fraction.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root user-mode-linux=6.1um4+b13 busybox-static iproute2=6.1.0-3 \
	libbpf1 libelf1 libmnl0 libcap2 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >probe.py <<'PYTHON'
"""Sends numbered datagrams through netem on a loopback and counts what came of them."""

import socket
import subprocess
import time

COUNT = 4000


def trial(words):
    subprocess.run(["tc", "qdisc", "replace", "dev", "lo", "root", "pfifo"], check=True)
    subprocess.run(["tc", *f"qdisc replace dev lo root netem limit 100000 {words}".split()], check=True)
    sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sink.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)
    sink.bind(("127.0.0.1", 7))
    sink.settimeout(1)
    for number in range(COUNT):
        sink.sendto(number.to_bytes(4, "big"), ("127.0.0.1", 7))
        time.sleep(0.0005)
    came = []
    try:
        while True:
            came.append(int.from_bytes(sink.recv(100), "big"))
    except TimeoutError:
        pass
    least, ahead = COUNT, 0
    for number in reversed(came):
        ahead += number > least
        least = min(least, number)
    return {"reorder": ahead, "duplicate": len(came) - len(set(came)), "loss": COUNT - len(set(came))}


for word, plain in (("reorder", 25), ("duplicate", 10), ("loss", 10), ("corrupt", 10)):
    for share in (f"{plain}%", f"{plain}% 50%"):
        words = f"{'delay 10ms ' if word == 'reorder' else ''}{word} {share}"
        # What is corrupted fails its checksum, and is lost.
        seen = trial(words)[word.replace("corrupt", "loss")]
        print(f"seen: {words}: {seen / COUNT:.1%}", flush=True)
PYTHON
cat >init <<SH
#!/bin/sh
export PATH=$place/sbin:$place/bin:\$PATH LD_LIBRARY_PATH=$(echo "$place"/usr/lib/*-linux-gnu):$(echo "$place"/lib/*-linux-gnu)
mount -t proc proc /proc
$place/bin/busybox insmod $(find "$place" -name sch_netem.ko)
ip link set lo up
echo "seen: Linux \$(uname -r), \$(tc -V)"
python3 $place/probe.py
echo o >/proc/sysrq-trigger
sleep 9
SH
chmod +x init
usr/bin/linux.uml root=/dev/root rootfstype=hostfs ro mem=256M quiet init="$place/init" con=null con0=null,fd:1 \
	</dev/null 2>&1 | grep -o 'seen: .*' | tr -d '\r' | tee seen.txt
python3 - <<'PYTHON'
import re

seen = dict(re.findall(r"seen: (.*): (.*)%", open("seen.txt").read()))
between = {
    "delay 10ms reorder 25%": (20, 30),
    "delay 10ms reorder 25% 50%": (3, 11),
    "duplicate 10%": (7, 13),
    "duplicate 10% 50%": (7, 13),
    "loss 10%": (7, 13),
    "loss 10% 50%": (0, 1),
    "corrupt 10%": (7, 13),
    "corrupt 10% 50%": (0, 1),
}
assert seen.keys() == between.keys(), seen
for words, (least, most) in between.items():
    assert least <= float(seen[words]) <= most, (words, seen[words])
PYTHON
