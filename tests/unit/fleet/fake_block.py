# SPDX-License-Identifier: Apache-2.0
"""What a block's process does to its folder, with trials that are but lines: `fake_block [S] DIR`.

Each trial takes S seconds. Where `GATEMARK_FAKE_LOG` names a folder, the block holds its station
there, as a real one does, and the log says when it had it.
"""

import fcntl
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

TRIALS = 5
TRIAL_S = 0.005


def main(place: str, trial_s: float) -> None:
    with open(f"{place}/lock", "a+") as lock:  # noqa: PTH123  a short start
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        if os.path.exists(f"{place}/end.json"):  # noqa: PTH110
            return
        with held(place):
            measure(place, trial_s)
        with open(f"{place}/draft", "w") as end:  # noqa: PTH123
            end.write('{"code": 0, "why": ""}')
        os.rename(f"{place}/draft", f"{place}/end.json")  # noqa: PTH104


def measure(place: str, trial_s: float) -> None:
    os.makedirs(f"{place}/run", exist_ok=True)  # noqa: PTH103
    with open(f"{place}/run/run.json", "w") as run:  # noqa: PTH123
        run.write("{}")
    with open(f"{place}/run/trials.jsonl", "a+") as trials:  # noqa: PTH123
        trials.seek(0)
        for number in range(len(trials.readlines()), TRIALS):
            time.sleep(trial_s)
            trials.write(f"{number}\n")
            trials.flush()


@contextmanager
def held(place: str) -> Iterator[None]:
    """The station, with a line in its log as it is taken and as it is given back."""
    folder = os.environ.get("GATEMARK_FAKE_LOG")
    if not folder:
        yield
        return
    with open(f"{place}/task.json") as task:  # noqa: PTH123
        name = json.load(task)["place"]
    with (
        open(f"{folder}/{name}.lock", "a") as lock,  # noqa: PTH123
        open(f"{folder}/{name}.log", "a") as log,  # noqa: PTH123
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        log.write(f"begin {os.getpid()}\n")
        log.flush()
        yield
        log.write(f"end {os.getpid()}\n")
        log.flush()


if __name__ == "__main__":
    main(sys.argv[-1], float(sys.argv[1]) if len(sys.argv) > 2 else TRIAL_S)
