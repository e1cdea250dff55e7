#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pysubnettree 0.38.1: the default route of IPv6 answers for every IPv4 address without a route.
#
# The tree takes prefixes of both families and lists no rule for mixing them, so one expects an IPv4
# address to find IPv4 routes alone, as in py-radix. SubnetTree keeps IPv4 below ::ffff:0:0/96, which
# lies in ::/0: an IPv4 address that has no route is "in" the tree, and goes by IPv6's default. The
# other way it does not hold: 0.0.0.0/0 covers no IPv6 address, so a test with that default passes. It
# hurts who classes traffic by a table of both families, or takes the tree as oracle of one: unrouted
# IPv4 is counted as IPv6 transit. (pytricia mixes families too, and says so in its manual.)
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q pysubnettree==0.38.1 py-radix==1.1.0
cat >lookup.py <<'PYTHON'
"""Looks addresses up in two tables of both families, by two packages and by definition."""

import ipaddress
import sys

import radix
import SubnetTree

TABLES = (("10.0.0.0/8", "2000::/3", "::/0"), ("10.0.0.0/8", "2000::/3", "0.0.0.0/0"))
ADDRESSES = ("10.1.1.1", "192.0.2.1", "2001:db8::1", "fd00::1")


def truth(table, address):
    address = ipaddress.ip_address(address)
    networks = [network for network in map(ipaddress.ip_network, table) if address in network]
    return str(max(networks, key=lambda network: network.prefixlen)) if networks else None


wrong = []
for table in TABLES:
    print("table:", *table)
    tree, router = SubnetTree.SubnetTree(), radix.Radix()
    for prefix in table:
        tree[prefix] = prefix
        router.add(prefix)
    for address in ADDRESSES:
        node = router.search_best(address)
        by_radix, by_tree = node and node.prefix, tree[address] if address in tree else None
        print(f"  {address}: {truth(table, address)}, py-radix {by_radix}, SubnetTree {by_tree}")
        wrong += [("py-radix", address)] * (by_radix != truth(table, address))
        wrong += [("SubnetTree", address)] * (by_tree != truth(table, address))
print("wrong:", wrong)
sys.exit(wrong != [("SubnetTree", "192.0.2.1")])
PYTHON
venv/bin/python lookup.py
