#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pyroute2 0.9.7: an IPRoute that was made inside a network namespace answers for another one.
#
# A netlink socket belongs to the namespace in which it was opened, so the usual way to watch several
# is to enter each in a thread, to make an IPRoute there, and to use it from anywhere. With pyroute2
# 0.7.12 and 0.8.1 it answers for the namespace in which it was made. From 0.9 on each thread that
# uses an object opens a socket of its own, in the namespace in which that thread is: the same object
# lists other ports in each, and sets or deletes them, without an error. `IPRoute(netns=NAME)` keeps
# its namespace in all threads.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
cat >ports.py <<'PYTHON'
"""Prints the ports that one IPRoute lists: in the thread that made it, and in another."""

import ctypes
import threading
from importlib.metadata import version

from pyroute2 import IPRoute

CLONE_NEWNET = 0x40000000  # sched.h
seen = {}


def ports(ip):
    return ",".join(sorted(link.get_attr("IFLA_IFNAME") for link in ip.get_links()))


def make():
    assert ctypes.CDLL(None).unshare(CLONE_NEWNET) == 0  # this thread alone
    seen["object"] = IPRoute()
    seen["made"] = ports(seen["object"])


thread = threading.Thread(target=make)
thread.start()
thread.join()
print(version("pyroute2"), "where it was made:", seen["made"], "elsewhere:", ports(seen["object"]))
PYTHON
for version in 0.7.12 0.8.1 0.9.7; do
	python3 -m venv "venv-$version"
	"venv-$version/bin/pip" install -q "pyroute2==$version"
	unshare -n sh -c "ip link add v0 type veth peer name v1; venv-$version/bin/python ports.py"
done | sed -E 's/,?(gre|gretap|erspan|ip6|sit|tunl|ifb|dummy|bond|teql)[a-z0-9_]*//g' >seen.txt
cat seen.txt
cat >wanted.txt <<'TEXT'
0.7.12 where it was made: lo elsewhere: lo
0.8.1 where it was made: lo elsewhere: lo
0.9.7 where it was made: lo elsewhere: lo,v0,v1
TEXT
cmp -s seen.txt wanted.txt
