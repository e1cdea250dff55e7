# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at random moments of a program, on machines beside each other: all goes in its time.

`KILLS=20 pytest tests/lab/killed -n 0 -m long` kills each 20 times; a round at once holds the lock.

`PYTHONPATH=src:tests:classifier/tests python -m lab.killed.struck KIND NUMBER`, behind `unshare` as
in machine.py, repeats one of them.
"""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from gatemark.station import lock
from lab.killed import machine

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
KILLS = int(os.environ.get("KILLS", "4"))
# Program -> how many at once: four processes of Dask and a block take both CPUs for seconds.
KINDS = {
    "act": 20,
    "attach": 20,
    "capture": 20,
    "run": 4,
    "application": 2,
    "campaign": 20,
    "scheduler": 4,
    "worker": 4,
}
PATIENCE_S = 900.0


def struck(kind: str, number: int) -> dict[str, Any]:
    """What one kill came to."""
    command = machine.words("lab.killed.struck", kind, str(number))
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=machine.own()) as process:
        try:
            out, _ = process.communicate(timeout=PATIENCE_S)
        finally:
            process.terminate()
    row: dict[str, Any] = json.loads(out)
    return row | {"number": number}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_left_of_what_was_killed(kind: str) -> None:
    if kind in ("scheduler", "worker"):
        pytest.importorskip("distributed")
    rows: list[dict[str, Any]] = []
    for first in range(0, KILLS, KINDS[kind]):
        numbers = range(first, min(first + KINDS[kind], KILLS))
        with lock.machine(lambda _: None), ThreadPoolExecutor(KINDS[kind]) as pool:
            rows += pool.map(partial(struck, kind), numbers)
    assert [row for row in rows if row["last"]] == []
