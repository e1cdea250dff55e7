# SPDX-License-Identifier: Apache-2.0
"""What a block's process does to its folder, with trials that are but lines: `fake_block DIR`."""

import fcntl
import os
import sys
import time

TRIALS = 5


def main(place: str) -> None:
    with open(f"{place}/lock", "a+") as lock:  # noqa: PTH123  a short start
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        if os.path.exists(f"{place}/end.json"):  # noqa: PTH110
            return
        os.makedirs(f"{place}/run", exist_ok=True)  # noqa: PTH103
        with open(f"{place}/run/run.json", "w") as run:  # noqa: PTH123
            run.write("{}")
        with open(f"{place}/run/trials.jsonl", "a+") as trials:  # noqa: PTH123
            trials.seek(0)
            for number in range(len(trials.readlines()), TRIALS):
                time.sleep(0.005)
                trials.write(f"{number}\n")
                trials.flush()
        with open(f"{place}/draft", "w") as end:  # noqa: PTH123
            end.write('{"code": 0, "why": ""}')
        os.rename(f"{place}/draft", f"{place}/end.json")  # noqa: PTH104


if __name__ == "__main__":
    main(sys.argv[1])
