#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# goflow2 2.2.6: of "1 packet sampled, 999 left out" in IPFIX it makes a sampling rate of 1.
#
# samplingInterval (34) is deprecated; by RFC 5477 an exporter gives samplingPacketInterval (305), the
# packets taken in a row, and samplingPacketSpace (306), those left out: 1 and 999 are 1 in 1000. One
# expects goflow2, which reads field 305 of the options, to read its pair. It takes 305 alone as the
# rate. nfcapd 1.7.1 reads the same datagrams as 1 in 1000 (nfacctd 1.7.7 with nfacctd_renormalize does
# too), and goflow2 does so with field 34. Whom it hurts: who multiplies by sampling_rate. After an
# exporter's update to the new fields all his traffic shrinks a thousandfold, and nothing says that
# the rate is not known: 0 would, 1 means that each packet was seen.
set -eu
place=$(mktemp -d)
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
cd "$place"
GOBIN=$place go install github.com/netsampler/goflow2/v2/cmd/goflow2@v2.2.6 2>/dev/null
apt-get download -q=2 -o APT::Sandbox::User=root nfdump=1.7.1-2+deb12u1 libpcap0.8=1.10.3-1 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
LD_LIBRARY_PATH=$(echo "$place"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH
cat >export.py <<'PYTHON'
"""Sends in IPFIX how packets are sampled, then a flow of 10 packets, to each port."""

import socket
import struct
import sys
import time

FIELDS = ((8, 4), (12, 4), (7, 2), (11, 2), (4, 1), (2, 4), (1, 4), (152, 8), (153, 8))
START = 1699999990000
FLOW = struct.pack("!4s4sHHBIIQQ", b"\n\0\0\1", b"\n\0\0\2", 4000, 443, 17, 10, 10000, START, START + 5000)
OPTIONS = {
    "305+306": (((149, 4), (305, 4), (306, 4)), struct.pack("!III", 7, 1, 999)),
    "34": (((149, 4), (34, 4)), struct.pack("!II", 7, 1000)),
}


def message(sequence, *sets):
    body = b"".join(struct.pack("!HH", number, 4 + len(data)) + data for number, data in sets)
    return struct.pack("!HHIII", 10, 16 + len(body), 1700000000, sequence, 7) + body


def template(head, fields):
    return struct.pack(f"!{len(head)}H", *head) + b"".join(struct.pack("!HH", *field) for field in fields)


fields, values = OPTIONS[sys.argv[1]]
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for port in sys.argv[2:]:
    for datagram in (
        message(0, (2, template((300, len(FIELDS)), FIELDS)), (3, template((301, len(fields), 1), fields))),
        message(0, (301, values)),
        message(1, (300, FLOW)),
    ):
        sender.sendto(datagram, ("127.0.0.1", int(port)))
        time.sleep(0.2)
PYTHON
cat >probe <<'SH'
set -eu
ip link set lo up
for fields in 305+306 34; do
	mkdir "$fields" "$fields/templates"
	./goflow2 -listen netflow://127.0.0.1:2055 -addr 127.0.0.1:8080 -templates.path "$fields/templates" \
		-transport.file "$fields/flows" 2>"$fields/goflow2.log" &
	goflow2=$!
	usr/bin/nfcapd -b 127.0.0.1 -p 2056 -w "$fields" 2>"$fields/nfcapd.log" &
	nfcapd=$!
	sleep 2
	python3 export.py $fields 2055 2056
	sleep 1
	kill $goflow2 $nfcapd
	wait
	rate=$(sed -n 's/.*"packets":10,.*/&/; s/.*"sampling_rate":\([0-9]*\).*/\1/p' "$fields/flows")
	packets=$(usr/bin/nfdump -r "$fields"/nfcapd.2* -q -N -o fmt:%pkt)
	echo "fields $fields: 10 packets seen; goflow2: sampling_rate $rate; nfdump: packets" $packets
done
SH
./goflow2 -v
usr/bin/nfcapd -V
unshare -n sh ./probe | tee seen.txt
cat >expected.txt <<'TEXT'
fields 305+306: 10 packets seen; goflow2: sampling_rate 1; nfdump: packets 10000
fields 34: 10 packets seen; goflow2: sampling_rate 1000; nfdump: packets 10000
TEXT
cmp seen.txt expected.txt
