#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Python's statistics.quantiles() gives a p99 above the longest duration and a p1 below zero.
#
# Its default method is "exclusive": of a population that may have more extreme values. Beyond the first and
# the last value it goes on along the line through the outer two, so of 20 durations from 1 to 90 ms, one
# of them above 19, p99 is 146 ms, and p1 of ten can be negative. numpy's and R's quantiles lie within what was
# measured, and so does method="inclusive". The manual names the population, not that line. Python 3.11
# and 3.13. Whom it hurts: who tests or reports p99 of fewer than 100 requests by the standard library.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
cat >probe.py <<'PYTHON'
from statistics import quantiles

durations = [*range(1, 20), 90]
others = [2, 9, *range(10, 18)]
for method in ("exclusive", "inclusive"):
    p99 = quantiles(durations, n=100, method=method)[98]
    p1 = quantiles(others, n=100, method=method)[0]
    print(f"{method}: p99 {p99:.1f} of at most {max(durations)}, p1 {p1:.1f} of at least {min(others)}")
PYTHON
python3 probe.py | tee seen.txt
cat >expected.txt <<'TEXT'
exclusive: p99 146.1 of at most 90, p1 -4.2 of at least 2
inclusive: p99 76.5 of at most 90, p1 2.6 of at least 2
TEXT
cmp seen.txt expected.txt
