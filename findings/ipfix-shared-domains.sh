#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# IPFIX of two observation domains: netflow 0.12.2 and scapy 2.8.0 take one's template for the other's flows.
#
# RFC 7011 (3.1, 8.1) numbers templates within an observation domain, and routers with several line cards use
# a number for one thing in each. One expects a collector to keep them apart. netflow (PyPI) and scapy's
# netflowv9_defragment have one table: of a flow from 10.0.0.1 to 10.0.0.2 in domain 1, whose template has
# the same fields as domain 2's with source and destination the other way round, they tell the opposite.
# No error; what came last wins. nfcapd 1.7.1, goflow2 2.2.6 and netflume 0.6.0 (PyPI) are right. Whom
# it hurts: who collects from such a router: flows change sides as cards repeat their templates.
set -eu
place=$(mktemp -d)
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q netflow==0.12.2 scapy==2.8.0 netflume==0.6.0
GOBIN=$place go install github.com/netsampler/goflow2/v2/cmd/goflow2@v2.2.6 2>/dev/null
apt-get download -q=2 -o APT::Sandbox::User=root nfdump=1.7.1-2+deb12u1 libpcap0.8=1.10.3-1 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >made.py <<'PYTHON'
import struct

SOURCE, DESTINATION = (8, 4), (12, 4)
OTHERS = ((7, 2), (11, 2), (4, 1), (2, 4), (1, 4), (152, 8), (153, 8))
START = 1699999990000
FLOW = struct.pack("!4s4sHHBIIQQ", b"\n\0\0\1", b"\n\0\0\2", 4000, 443, 17, 10, 10000, START, START + 5000)


def message(domain, number, data):
    head = struct.pack("!HHIII", 10, 20 + len(data), 1700000000, 0, domain)
    return head + struct.pack("!HH", number, 4 + len(data)) + data


def template(*fields):
    return struct.pack("!HH", 300, len(fields)) + b"".join(struct.pack("!HH", *field) for field in fields)


MESSAGES = (
    message(1, 2, template(SOURCE, DESTINATION, *OTHERS)),
    message(2, 2, template(DESTINATION, SOURCE, *OTHERS)),
    message(1, 300, FLOW),
)
PYTHON
cat >probe.py <<'PYTHON'
import ipaddress

import netflow
import netflume
from made import MESSAGES
from scapy.layers.netflow import NetflowHeader, NetflowRecordV9, netflowv9_defragment

known = {"netflow": {}, "ipfix": {}}
(flow,) = [netflow.parse_packet(message, known) for message in MESSAGES][-1].flows
ends = (ipaddress.ip_address(flow.data[f"{end}IPv4Address"]) for end in ("source", "destination"))
print("netflow:", *ends)
(*_, last) = netflowv9_defragment([NetflowHeader(message) for message in MESSAGES])
print("scapy:", last[NetflowRecordV9].IPV4_SRC_ADDR, last[NetflowRecordV9].IPV4_DST_ADDR)
store = netflume.TemplateStore()
((flow,),) = [netflume.parse_message(message, "127.0.0.1", store)[1] for message in MESSAGES][-1:]
print("netflume:", flow["src_addr"], flow["dst_addr"])
PYTHON
cat >export.py <<'PYTHON'
import socket
import time

from made import MESSAGES

sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for message in MESSAGES:
    for port in (2055, 2056):
        sender.sendto(message, ("127.0.0.1", port))
    time.sleep(0.2)
PYTHON
cat >probe.sh <<'SH'
set -eu
ip link set lo up
mkdir flows
./goflow2 -listen netflow://127.0.0.1:2055 -addr 127.0.0.1:8080 -transport.file goflow2.json 2>goflow2.log &
goflow2=$!
usr/bin/nfcapd -b 127.0.0.1 -p 2056 -w flows 2>nfcapd.log &
nfcapd=$!
sleep 2
python3 export.py
sleep 1
kill $goflow2 $nfcapd
wait
sed -n 's/.*"src_addr":"\([^"]*\)","dst_addr":"\([^"]*\)".*/goflow2: \1 \2/p' goflow2.json
echo nfcapd: $(usr/bin/nfdump -R flows -q -N -o fmt:'%sa %da')
SH
{
	venv/bin/python probe.py 2>/dev/null
	LD_LIBRARY_PATH=$(echo "$place"/usr/lib/*-linux-gnu) unshare -n sh probe.sh
} | tee seen.txt
cat >expected.txt <<'TEXT'
netflow: 10.0.0.2 10.0.0.1
scapy: 10.0.0.2 10.0.0.1
netflume: 10.0.0.1 10.0.0.2
goflow2: 10.0.0.1 10.0.0.2
nfcapd: 10.0.0.1 10.0.0.2
TEXT
cmp seen.txt expected.txt
