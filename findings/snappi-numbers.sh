#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# snappi 1.62.0: what it writes of 64-bit integers is text, and times in nanoseconds go by 256.
#
# snappi is the client of OTG (Open Traffic Generator). Its objects have `pps` and `frames_tx` as
# numbers. What `serialize` gives, and sends by HTTP, has them as text, as JSON of Protocol Buffers
# does, where OTG's OpenAPI file has `type: integer`: a server made of that file refuses
# `flows.0.rate.pps`. So of two flows' metrics kept as dictionaries the longest text is not the most,
# and a count of "0" is true. Of 32 bits, as `packets`, they stay numbers. By gRPC the times of the
# first and the last packet are doubles: today's nanoseconds have steps of 256.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q snappi==1.62.0
venv/bin/python >seen.txt <<'PYTHON'
import json

import snappi
from snappi import otg_pb2

flow = snappi.Config().flows.flow(name="f")[-1]
flow.rate.pps, flow.duration.fixed_packets.packets = 2000, 5
print("pps:", repr(flow.rate.pps), "sent as", repr(json.loads(flow.rate.serialize())["pps"]))
print("packets: sent as", repr(json.loads(flow.duration.serialize())["fixed_packets"]["packets"]))

response = snappi.MetricsResponse()
response.flow_metrics.metric(name="few", frames_tx=9).metric(name="many", frames_tx=10)
rows = response.serialize("dict")["flow_metrics"]
print("most frames sent by:", max(rows, key=lambda row: row["frames_tx"])["name"])

times = [1_796_050_894_438_216_300 + gap for gap in (0, 60, 120)]  # 30 November 2026
kept = [int(otg_pb2.MetricTimestamp(first_timestamp_ns=time).first_timestamp_ns) for time in times]
print("gaps of 60 and 60 ns:", *(later - earlier for earlier, later in zip(kept, kept[1:])))
PYTHON
cat seen.txt
cat >wanted.txt <<'EOT'
pps: 2000 sent as '2000'
packets: sent as 5
most frames sent by: few
gaps of 60 and 60 ns: 256 0
EOT
cmp -s seen.txt wanted.txt
