#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pyperf 2.11.0: two benchmarks with unequal numbers of values always differ "significantly".
#
# `compare_to` tests whether two means differ and hides those that do not, so one expects about one of
# twenty pairs without any difference to stay, for any number of values, as with every t test. pyperf's
# own test wants equal numbers and raises an error, and compare_to takes an error for "significant". The
# list of words says so under each pair; the tables, plain or Markdown, which are what goes into reports
# and pull requests, say nothing and show every row as faster or slower. Numbers are unequal where a
# side ran with --fast or --rigorous, was appended to, or lost a run. Whom it hurts: who trusts the
# missing "not significant", and a CI that fails on rows: a quick check against a thorough reference,
# both of the same code, has all its benchmarks changed.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q pyperf==2.11.0
cat >write.py <<'PYTHON'
"""Writes 40 benchmarks a file, all of the same distribution: a second, 2 % standard deviation."""

import random

import pyperf

source = random.Random(1)
for name, values in (("before", 60), ("equal", 60), ("fewer", 30), ("lost", 59)):
    suite = []
    for number in range(40):
        meta = {"name": f"case{number:02}"}
        runs = [
            pyperf.Run([source.gauss(1, 0.02)], metadata=meta, collect_metadata=False)
            for _ in range(values)
        ]
        suite.append(pyperf.Benchmark(runs))
    pyperf.BenchmarkSuite(suite).dump(f"{name}.json")
PYTHON
venv/bin/python write.py
venv/bin/pip list 2>/dev/null | grep "^pyperf"
for name in equal fewer lost; do
	venv/bin/python -m pyperf compare_to --table --table-format md before.json $name.json >$name.md
	echo "before and $name: $(grep -c '^| case' $name.md || true) of 40 shown as changed," \
		"$(grep -ci error $name.md || true) errors told"
done | tee seen.txt
sed -n 1,4p lost.md
equal=$(sed -n 's/^before and equal: \([0-9]*\) .*/\1/p' seen.txt)
[ "$equal" -le 5 ]
grep -q '^before and fewer: 40 of 40 shown as changed, 0 errors told' seen.txt
grep -q '^before and lost: 40 of 40 shown as changed, 0 errors told' seen.txt
