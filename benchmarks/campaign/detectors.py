# SPDX-License-Identifier: Apache-2.0
"""The rank scan on made-up series, with Otava as its judge where that is installed.

Otava 0.8.0 pins numpy and brings clients of other services, so it has an environment of its own:
`python -m venv judge && judge/bin/pip install apache-otava==0.8.0`; then JUDGE=judge/bin/python.
"""

import json
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from series import heavy, normal, spiked, stepped

from gatemark.judge.change.trend import steps

AT = 30  # of the builds: where a step is
SERIES = 100
OTAVA = """
import json, sys
from otava.analysis import compute_change_points
for line in sys.stdin:
    values = json.loads(line)
    made = compute_change_points(values, max_pvalue=0.001, min_magnitude=0.01)
    print(len(made[0] if isinstance(made, tuple) else made))
"""


def facts(count: int, out: Path | None) -> Iterator[tuple[str, float, float | None]]:
    """Shares of series; those that should be large are told as what was missed."""
    del out
    for name, noise, change, target in (
        ("false alarms, normal noise of 3 %", normal, 0.0, 0.03),
        ("false alarms, heavy tails", heavy, 0.0, 0.03),
        ("false alarms, outliers", spiked, 0.0, 0.03),
        ("steps of 5 % missed, normal noise of 3 %", normal, -0.05, 0.1),
        ("steps of 5 % missed, outliers", spiked, -0.05, None),
        ("steps of 2 % missed, normal noise of 3 %", normal, -0.02, None),
    ):
        rng = random.Random(7)
        rows = [stepped(rng, noise, change, AT) for _ in range(count or SERIES)]
        marked = [bool(steps(row)) for row in rows]
        yield f"ours: {name}", _wrong(marked, change), target
        if judged := _otava(rows):
            yield f"Otava: {name}", _wrong(judged, change), None
            differ = sum(a != b for a, b in zip(marked, judged, strict=True)) / len(rows)
            yield f"the two differ: {name}", differ, None


def _wrong(marked: list[bool], change: float) -> float:
    share = sum(marked) / len(marked)
    return 1 - share if change else share


def _otava(rows: list[list[float]]) -> list[bool]:
    """What it finds of each; nothing where it is not installed."""
    if not (judge := os.environ.get("JUDGE")):
        return []
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    done = subprocess.run(
        [judge, "-c", OTAVA], input=text, capture_output=True, text=True, check=True
    )
    return [int(line) > 0 for line in done.stdout.split()]
