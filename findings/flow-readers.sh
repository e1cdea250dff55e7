#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# netflow 0.12.2 and ipfix 0.9.7 (PyPI) count a record of options as a flow; ipfix refuses a template's padding.
#
# A sampler's rate comes in records of options beside those of flows, so one expects a reader to keep the two
# apart. Both give one list: of one flow and one record of options they make two flows, one of which has no
# addresses and no packets. ipfix raises "bad template ID 0" for the zeros that RFC 7011 (3.3.1) allows behind
# a set of templates. node-netflowv9 0.2.16 (npm), whose manual names IPFIX's field numbers, gives no flow of an
# IPFIX message and no error. Whom it hurts: who counts flows or averages over them.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q netflow==0.12.2 ipfix==0.9.7
npm install --silent --no-fund --no-audit node-netflowv9@0.2.16 >/dev/null
cat >probe.py <<'PYTHON'
import io
import struct

import ipfix.ie
import ipfix.reader
import netflow

FIELDS = ((8, 4), (12, 4), (2, 4), (1, 4))
FLOW = struct.pack("!4s4sII", b"\n\0\0\1", b"\n\0\0\2", 10, 10000)


def message(*sets):
    body = b"".join(struct.pack("!HH", number, 4 + len(data)) + data for number, data in sets)
    return struct.pack("!HHIII", 10, 16 + len(body), 1700000000, 0, 7) + body


template = struct.pack("!HH", 300, len(FIELDS)) + b"".join(struct.pack("!HH", *field) for field in FIELDS)
options = struct.pack("!HHHHHHH", 301, 2, 1, 149, 4, 34, 4)
sampled = message((2, template), (3, options), (301, struct.pack("!II", 7, 1000)), (300, FLOW))
padded = message((2, template + bytes(2)), (300, FLOW))
open("plain", "wb").write(message((2, template), (300, FLOW)))
ipfix.ie.use_iana_default()


def by_netflow(data):
    return [flow.data for flow in netflow.parse_packet(data, {"netflow": {}, "ipfix": {}}).flows]


def by_ipfix(data):
    return list(ipfix.reader.from_stream(io.BytesIO(data)).namedict_iterator())


for name, read in (("netflow", by_netflow), ("ipfix", by_ipfix)):
    flows = read(sampled)
    print(f"{name}: a flow and a record of options: {len(flows)} flows,", end=" ")
    print(sum("packetDeltaCount" in flow for flow in flows), "with packets")
    try:
        print(f"{name}: a template with padding: {len(read(padded))} flow")
    except ValueError as error:
        print(f"{name}: a template with padding: {error}")
PYTHON
cat >probe.js <<'JAVASCRIPT'
const fs = require("fs");
const Collector = require("node-netflowv9");
const made = Collector(() => {});
const read = made.nfPktDecode(fs.readFileSync("plain"), { address: "127.0.0.1", port: 1 });
console.log("node-netflowv9: a flow by IPFIX:", read && read.flows ? read.flows.length : read);
process.exit(0);
JAVASCRIPT
{
	venv/bin/python probe.py 2>/dev/null
	node probe.js
} | tee seen.txt
cat >expected.txt <<'TEXT'
netflow: a flow and a record of options: 2 flows, 1 with packets
netflow: a template with padding: 1 flow
ipfix: a flow and a record of options: 2 flows, 1 with packets
ipfix: a template with padding: bad template ID 0
node-netflowv9: a flow by IPFIX: undefined
TEXT
cmp seen.txt expected.txt
