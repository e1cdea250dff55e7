#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Otava 0.8.0: JSON tells a change in whole percent, as a text: "0" for a found change of 0.4 %.
#
# A change point comes with `forward_change_percent`, which one takes for the size of the change. It is
# rounded to a whole number, and `magnitude` beside it, a share without a sign, has six digits. So a gate
# that reads the percent lets every change below half a percent pass, which the program itself has found
# and found significant, and a script that adds the changes up comes to nothing.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q apache-otava==0.8.0
cat >otava.yaml <<'YAML'
tests:
  rate:
    type: csv
    file: rate.csv
    time_column: time
    metrics: [pps]
YAML
python3 - >rate.csv <<'PYTHON'
print("time,pps")
for at in range(60):
    level = 1_000_000 if at < 30 else 1_004_000
    print(f"2026-01-01T00:{at:02d}:00+00:00,{level + (at * 7919 % 11 - 5) * 50}")
PYTHON
venv/bin/otava analyze rate --config-file otava.yaml --since 2020-01-01 --output json 2>/dev/null >seen.json
python3 - >seen.txt <<'PYTHON'
import json

((change,),) = ([point["changes"][0] for point in points] for points in json.load(open("seen.json")).values())
print(change["index"], repr(change["forward_change_percent"]), repr(change["magnitude"]))
PYTHON
echo "the value at which it changes, its percent and its magnitude: $(cat seen.txt)"
[ "$(cat seen.txt)" = "30 '0' '0.003958'" ]
