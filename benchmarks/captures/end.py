# SPDX-License-Identifier: Apache-2.0
"""One end of a program: its script in a place of its own, watched; run by turn.py in a namespace.

Reads a line of JSON (`script`, `values`, `root`, `seconds`), then `start` and at the end `stop`;
prints a line of JSON with `watch` (kind/application/watch.py) and the script's last words.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from gatemark.kind.application import place
from gatemark.kind.application.watch import Watch
from gatemark.workload import talk

MOST = 600  # characters of what was printed last


def main() -> None:
    """Run a script until the word comes."""
    request = json.loads(sys.stdin.readline())
    folder = place.folder()
    # JACK has its memory there, and each end its own.
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], check=True)  # noqa: S108
    place.enter(folder)
    if request["root"]:
        subprocess.run(["umount", "/etc/passwd"], check=True)
    else:
        talk.least_power()
    words = Path("words")
    with words.open("wb") as out:
        script = subprocess.Popen(
            ["/bin/sh", "-c", request["script"]],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=os.environ | request["values"] | {"PATH": f"{os.environ['PATH']}:/usr/games"},
        )
        watch = Watch(request["seconds"])
        sys.stdin.readline()
        watch.start()
        sys.stdin.readline()
        report = {"watch": watch.stop(), "code": script.poll()}
    last = words.read_bytes()[-MOST:].decode(errors="replace")
    sys.stdout.write(json.dumps(report | {"words": last}) + "\n")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
