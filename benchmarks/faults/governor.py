# SPDX-License-Identifier: Apache-2.0
"""A governor on the gateway: after 200 ms of load it drops a third, until the load is over."""

import subprocess
import time
from pathlib import Path

COUNTER = Path("/sys/class/net/gw0/statistics/rx_packets")
RULE = "nft add rule ip planted faults udp dport 9 numgen random mod 3 0 drop"


def main() -> None:
    """Look each 10 ms."""
    last, since, is_hot = packets(), 0.0, False
    while True:
        time.sleep(0.01)
        now, count = time.monotonic(), packets()
        if count == last:
            since = 0.0
            if is_hot:
                run("nft flush chain ip planted faults")
            is_hot = False
        elif not since:
            since = now
        elif now - since > 0.2 and not is_hot:
            run(RULE)
            is_hot = True
        last = count


def packets() -> int:
    """Count what came in."""
    return int(COUNTER.read_text())


def run(command: str) -> None:
    """Run a command to its end."""
    subprocess.run(command.split(), check=True)


if __name__ == "__main__":
    main()
