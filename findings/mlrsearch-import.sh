#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# MLRsearch 1.2.1: what is already imported makes its own import slow.
#
# A package whose import takes a tenth of a second alone is expected to take that anywhere. This one
# describes the fields of its dataclasses by a decorator, which asks inspect.stack() for the name of
# the class, once for each property and each of its setters. inspect.stack() asks for the module of
# each frame's file, for which it walks sys.modules, and reads sources. So the cost is frames times
# modules: .11 s of CPU alone, .27 s in a program with 980 modules, and 3 s as pytest collects four
# hundred test modules, below some 80 frames. Import it first, or only where a search begins.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install -q MLRsearch==1.2.1
cat >"$place/count.py" <<'PYTHON'
"""Counts the calls of inspect.stack() and the modules that they look at, few and many loaded."""

import inspect
import subprocess
import sys

CHILD = """
import inspect, sys, types
for number in range({more}):
    sys.modules[f"filler_{{number}}"] = types.ModuleType(f"filler_{{number}}")
stack, ismodule, calls, looks = inspect.stack, inspect.ismodule, [], []
inspect.stack = lambda *a: calls.append(1) or stack(*a)
inspect.ismodule = lambda what: looks.append(1) or ismodule(what)
import MLRsearch
print(len(calls), len(looks))
"""

results = []
for more in (0, 2000):
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(more=more)], capture_output=True, text=True, check=True
    )
    calls, looks = map(int, done.stdout.split())
    print(f"{more} modules more: inspect.stack() called {calls} times, {looks} looks at modules")
    results.append((calls, looks))
(few_calls, few), (many_calls, many) = results
sys.exit(not (few_calls == many_calls >= 10 and many > 5 * few))
PYTHON
"$place/venv/bin/python" "$place/count.py"
