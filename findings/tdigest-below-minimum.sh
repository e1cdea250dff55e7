#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tdigest 0.5.2.2 (PyPI): low percentiles of durations lie below the minimum, and below zero.
#
# A digest keeps the extremes exactly and interpolates between points that it was given, so one expects
# each percentile between minimum and maximum, as with fastdigest and with tdigest of npm. This one
# extends the first centroid's slope to the left without end: the 10th percentile of nine 0 and one
# 100 is negative, and half of the quantile range of ninety-nine 0 and one 100 is. percentile(0) is
# the minimum all the same, so a check of both ends passes, and percentiles fall from 0 to 1. Whom it
# hurts: who reports p1 or p5 of latencies, of queue lengths or of gaps, all of which have many equal
# low values and few high ones; at ten thousands of random values only the lowest hundred-thousandth is wrong.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q tdigest==0.5.2.2 fastdigest==0.12.0
npm install --silent --prefix npm tdigest@0.1.3 >/dev/null
cat >port.js <<'JS'
const { TDigest } = require("./npm/node_modules/tdigest");
for (const line of require("fs").readFileSync(0, "utf8").trim().split("\n")) {
	const [values, quantiles] = JSON.parse(line), digest = new TDigest();
	values.forEach((value) => digest.push(value));
	digest.compress();
	console.log(JSON.stringify(quantiles.map((quantile) => digest.percentile(quantile))));
}
JS
cat >port.py <<'PYTHON'
import json
import subprocess
import sys

import fastdigest
import tdigest

QUANTILES = (0, 0.01, 0.1, 0.25, 0.5, 0.99, 1)
SAMPLES = ([10, 1000], [5, 6, 1000], [0] * 9 + [100], [0] * 99 + [100])
lines = "\n".join(json.dumps([values, QUANTILES]) for values in SAMPLES)
node = subprocess.run(["node", "port.js"], input=lines, check=True, capture_output=True, text=True)
below = []
for values, line in zip(SAMPLES, node.stdout.splitlines(), strict=True):
    digest = tdigest.TDigest()
    digest.batch_update(values)
    fast = fastdigest.TDigest.from_values([float(value) for value in values])
    answers = {
        "tdigest": [round(float(digest.percentile(100 * q)), 2) for q in QUANTILES],
        "fastdigest": [round(fast.quantile(q), 2) for q in QUANTILES],
        "npm": [round(number, 2) for number in json.loads(line)],
    }
    print(f"{len(values)} values from {min(values)} to {max(values)}; quantiles {QUANTILES}")
    for name, answer in answers.items():
        print(f"  {name:10} {answer}")
    below.append({name: min(answer) < min(values) for name, answer in answers.items()})
sys.exit(below != [{"tdigest": True, "fastdigest": False, "npm": False}] * len(SAMPLES))
PYTHON
venv/bin/python port.py
