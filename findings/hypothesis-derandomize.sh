#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hypothesis 6.170.15: the examples of a test with derandomize=True change when an unrelated module does.
#
# derandomize=True is taken to mean that a property is tried on the same examples until the test
# itself changes. But integers, floats, texts and bytes are now and then drawn from the constants of
# all local modules that are loaded: their sources are parsed in each process, and cached below
# .hypothesis/constants. So a new constant anywhere in a project gives every property other examples,
# and a test fails in a change that has nothing to do with it. The parsing is no small part of a
# process that runs few tests. What must be tried each time belongs into @example.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install -q hypothesis==6.170.15
cd "$place"
cat >property.py <<'PYTHON'
import sys

import unrelated  # noqa: F401  loaded, and never used
from hypothesis import given, settings, strategies

drawn = []


@settings(derandomize=True, database=None, max_examples=500)
@given(strategies.integers())
def test(number):
    drawn.append(number)


test()
print(hash(tuple(drawn)), int(sys.argv[1]) in drawn)
PYTHON
try() {
	echo "limit = $1" >unrelated.py
	PYTHONDONTWRITEBYTECODE=1 venv/bin/python property.py 987654321
}
first=$(try 1) again=$(try 1) other=$(try 987654321)
printf 'limit = 1:         %s\nlimit = 1:         %s\nlimit = 987654321: %s\n' "$first" "$again" "$other"
[ "$first" = "$again" ] && [ "$first" != "$other" ] && [ "${other#* }" = True ]
