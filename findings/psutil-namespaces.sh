#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# psutil 7.2.2: net_io_counters of `eth0` in one namespace, then in another, gives their sum.
#
# It keeps what it last read by the interface's name, and takes a smaller number for a counter that wrapped:
# so one process that looks at an eth0 of 3000 packets, enters another namespace and looks at its eth0 of 100
# is given 3100, and back in the first 6000. An interface that is made anew goes on from its former
# self. A thread that entered a namespace alone gets the counters of its process's first thread, as psutil
# reads /proc/net. `nowrap=False` mends the sums, not the threads. Whom it hurts: who reads containers or a
# lab's namespaces from one process, or across a test that sets its links up again.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q psutil==7.2.2
cat >probe.py <<'PYTHON'
"""Enters two namespaces by the descriptors that it inherits; prints hundreds of packets."""

import ctypes
import os
import socket
import subprocess
import sys
import threading

import psutil

libc = ctypes.CDLL(None, use_errno=True)
NEW_NET = 0x40000000


def run(words):
    subprocess.run(words.split(), check=True)


def namespace(packets):
    """Makes one with an eth0 that has sent so many packets; its descriptor."""
    assert libc.unshare(NEW_NET) == 0
    run("ip link add eth0 type veth peer name far")
    run("ip link set eth0 up")
    run("ip link set far up")
    run("ip addr add 10.0.0.1/24 dev eth0")
    run("ip neigh add 10.0.0.2 lladdr 02:00:00:00:00:02 dev eth0")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for _ in range(packets):
            sender.sendto(bytes(1000), ("10.0.0.2", 9))
    return os.open("/proc/self/ns/net", os.O_RDONLY)


def enter(where):
    assert libc.setns(where, NEW_NET) == 0


def hundreds(**words):
    return round(psutil.net_io_counters(pernic=True, **words)["eth0"].packets_sent / 100)


first, second = namespace(3000), namespace(100)
for name, where in (("first", first), ("second", second), ("first", first)):
    enter(where)
    print(f"{name}: {hundreds()} hundreds, nowrap=False: {hundreds(nowrap=False)}")


def apart():
    enter(second)
    print(f"a thread in the second: {hundreds(nowrap=False)}")


thread = threading.Thread(target=apart)
thread.start()
thread.join()
run("ip link del eth0")
run("ip link add eth0 type veth peer name far")
print(f"made anew: {hundreds()}")
PYTHON
venv/bin/python probe.py | tee seen.txt
cat >expected.txt <<'TEXT'
first: 30 hundreds, nowrap=False: 30
second: 31 hundreds, nowrap=False: 1
first: 60 hundreds, nowrap=False: 30
a thread in the second: 30
made anew: 60
TEXT
cmp seen.txt expected.txt
