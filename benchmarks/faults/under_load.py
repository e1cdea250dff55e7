# SPDX-License-Identifier: Apache-2.0
"""A governor on the gateway: after some ms of load it runs a command, after the load another."""

import shlex
import subprocess
import sys
import time
from pathlib import Path

COUNTER = Path("/sys/class/net/gw0/statistics/rx_packets")


def main() -> None:
    """Look each 10 ms, with the arguments SECONDS COMMAND UNDO."""
    seconds, command, undo = float(sys.argv[1]), *map(shlex.split, sys.argv[2:4])
    last, since, is_hot = packets(), 0.0, False
    while True:
        time.sleep(0.01)
        now, count = time.monotonic(), packets()
        if count == last:
            since = 0.0
            if is_hot:
                subprocess.run(undo, check=True)
            is_hot = False
        elif not since:
            since = now
        elif now - since > seconds and not is_hot:
            subprocess.run(command, check=True)
            is_hot = True
        last = count


def packets() -> int:
    """Count what came in."""
    return int(COUNTER.read_text())


if __name__ == "__main__":
    main()
