#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nfdump 1.7.1 `-t`: a flow that began before the window or ended behind it is not in it.
#
# The manual says "set time window to process flows", so one expects a download of ten minutes to be seen in each
# of them. Only flows that lie within the window are: of a flow from 22:13:20 to 22:23:20 neither the minute
# 22:15, nor the windows that hold its begin or its end, have a packet, with exit status 0. The minutes of an
# hour add up to less than the hour. Whom it hurts: who asks what was on the line while a user
# complained, or draws traffic by windows: the longest flows, which carry most bytes, are missing.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root nfdump=1.7.1-2+deb12u1 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
export TZ=UTC
mkdir kept
cat >probe.py <<'PYTHON'
"""Sends one flow of ten minutes by IPFIX."""

import socket
import struct

FIELDS = ((8, 4), (12, 4), (7, 2), (11, 2), (4, 1), (152, 8), (153, 8), (2, 8), (1, 8))
BEGIN = 1_700_000_000_000
template = struct.pack("!HH", 300, len(FIELDS)) + b"".join(struct.pack("!HH", *field) for field in FIELDS)
ends = (b"\n\0\0\1", b"\n\0\0\2", 1, 2, 17)
flow = struct.pack("!4s4sHHBQQQQ", *ends, BEGIN, BEGIN + 600_000, 100, 10_000)
body = b"".join(struct.pack("!HH", kind, 4 + len(data)) + data for kind, data in ((2, template), (300, flow)))
message = struct.pack("!HHIII", 10, 16 + len(body), 1_700_000_700, 0, 7) + body
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(message, ("127.0.0.1", 4739))
PYTHON
cat >probe <<'SH'
ip link set lo up
usr/bin/nfcapd -b 127.0.0.1 -p 4739 -w kept >/dev/null 2>&1 &
until grep -q ':1283 ' /proc/net/udp; do sleep 0.1; done
python3 probe.py
sleep 1
kill $!
wait
for window in 22:15:00-2023/11/14.22:16:00 22:13:00-2023/11/14.22:16:00 22:20:00-2023/11/14.22:30:00 \
	22:13:00-2023/11/14.22:24:00; do
	count=$(usr/bin/nfdump -R kept -N -q -t "2023/11/14.$window" -o fmt:%pkt | grep -c 100)
	echo "$(echo "$window" | sed 's/2023.11.14.//'): $count flows"
done
SH
unshare -n sh probe | tee seen.txt
cat >expected.txt <<'TEXT'
22:15:00-22:16:00: 0 flows
22:13:00-22:16:00: 0 flows
22:20:00-22:30:00: 0 flows
22:13:00-22:24:00: 1 flows
TEXT
cmp seen.txt expected.txt
